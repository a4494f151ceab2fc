/* Drains, step by step: every situation and the resulting actions. */
#include "plan/rollout/drain_parts.h"
#include "actions_print.h"

#include "fixture.h"

struct world {
	struct arena a;
	struct knode node;
	struct mc_pod pods[8];
	size_t n_pods;
	bool pods_known;
	struct drain d;
	struct instant now;
	struct actions last;
	struct err err;
	bool image_mode;
	bool no_eviction;
	int64_t evict_ms;
	struct json *mcn; /* the server's object; NULL: there is none */
};

static void world_init(struct world *w, const char *wish, const char *done)
{
	*w = (struct world){ .now = { 1700000000, 0 } };
	w->node = *fx_node(&w->a, S("n v0 v1 Working"));
	w->node.desired_drain = str_of(wish);
	w->node.applied_drain = str_of(done);
	w->err = ERR_INIT(&w->a);
}

static void world_free(struct world *w)
{
	drain_free(&w->d);
	arena_free(&w->a);
}

static void pod(struct world *w, const char *name, const char *daemonset)
{
	w->pods[w->n_pods++] = (struct mc_pod){
		.ns = S("ns"),
		.name = str_of(name),
		.uid = str_fmt(&w->a, "uid-%s", name),
		.daemonset = str_of(daemonset),
	};
}

/* Prints MachineConfigNode writes as their two conditions. */
static void print_mcn(struct arena *a, struct buf *b, const struct action *act)
{
	struct conditions list =
		conditions_of(a, json_at(fx_json(a, act->body), "status.conditions"));
	const struct condition *parent = NULL, *child = NULL;

	for (size_t i = 0; i < list.n; i++) {
		struct condition *c = &list.v[i];

		if (str_eq(c->message, act->reason))
			parent = c;
	}
	if (parent)
		child = conditions_find(&list, parent->reason);
	buf_addf(b, "%s MCN ", act->kind == ACTION_CREATE ? "POST" : "APPLY");
	if (parent && child)
		buf_addf(b, "%.*s=%.*s %.*s | %.*s=%.*s %.*s %.*s\n", STRF(parent->type),
			 STRF(parent->status), STRF(parent->message), STRF(child->type),
			 STRF(child->status), STRF(child->reason), STRF(child->message));
}

/* Plans once. */
static int plan_once(struct world *w)
{
	struct drain_view v = { .now = w->now,
				.node = &w->node,
				.pool = S("worker"),
				.pods = w->pods,
				.n_pods = w->n_pods,
				.pods_known = w->pods_known,
				.eviction_api = w->no_eviction ? S("") : S("policy/v1"),
				.evict_ms = w->evict_ms,
				.image_mode = w->image_mode };

	return plan_drain(&w->a, &v, &w->d, &w->last, &w->err);
}

static struct str print(struct world *w, int rc)
{
	struct buf b;

	buf_init(&b, &w->a);
	for (size_t i = 0; i < w->last.n; i++) {
		struct actions one = { .v = &w->last.v[i], .n = 1 };
		struct buf line;

		if (w->last.v[i].kind == ACTION_CREATE || w->last.v[i].kind == ACTION_APPLY) {
			print_mcn(&w->a, &b, &w->last.v[i]);
			continue;
		}
		buf_init(&line, &w->a);
		actions_print(&line, &one);
		buf_add(&b, str_from(buf_str(&line), (size_t)str_chr(buf_str(&line), ' ') + 1));
	}
	if (rc < 0)
		buf_addf(&b, "ERROR %d %.*s\n", rc, STRF(w->err.msg));
	return buf_str(&b);
}

/* Applies the reports so far to the server's objects. */
static void take_reports(struct world *w)
{
	for (size_t i = 0; i < w->last.n; i++) {
		const struct action *act = &w->last.v[i];

		if (act->kind == ACTION_CREATE)
			w->mcn = fx_json(&w->a, act->body);
		if (act->kind == ACTION_APPLY)
			json_set(w->mcn, S("status"),
				 json_clone(&w->a, json_at(fx_json(&w->a, act->body), "status")));
	}
}

/* The last action reads the MachineConfigNode: answers it and removes it. */
static bool answer_mcn(struct world *w)
{
	struct drain_answer ans = { 0 };

	if (!w->last.n || w->last.v[w->last.n - 1].kind != ACTION_GET ||
	    str_find(w->last.v[w->last.n - 1].path, S("confignodes")) < 0)
		return false;
	w->last.n--;
	take_reports(w);
	ans.status = w->mcn ? 200 : 404;
	ans.body = w->mcn ? json_format(&w->a, w->mcn, 0) : S("");
	drain_reply(&w->d, drain_tag(&w->d, DRAIN_TAG_MCN), w->now, &ans);
	return true;
}

/* Plans until it waits for something other than the MachineConfigNode; returns the
 * actions, one per line. */
static struct str plan(struct world *w)
{
	int rc;

	w->last = (struct actions){ 0 };
	do {
		rc = plan_once(w);
	} while (answer_mcn(w));
	take_reports(w);
	return print(w, rc);
}

#define WHICH "The disruption budget b needs 1 healthy pods and has 1 currently"

/* Answers an action of the last plan. */
static void reply_at(struct world *w, size_t i, int status, const char *message)
{
	struct drain_answer ans = { .status = status,
				    .message = str_of(message),
				    .budget = status == 429 ? S(WHICH) : S("") };

	drain_reply(&w->d, w->last.v[i].tag, w->now, &ans);
}

/* The same for its i-th action, not counting log lines. */
static void reply(struct world *w, size_t i, int status, const char *message)
{
	size_t at = 0;

	for (i++; i; at++)
		i -= w->last.v[at].kind != ACTION_LOG;
	reply_at(w, at - 1, status, message);
}

#define CORDON(why)                                                     \
	"LOG node n: cordoning\n"                                       \
	"LOG node n: initiating cordon (currently schedulable: true)\n" \
	"PATCH /api/v1/nodes/n {\"spec\":{\"unschedulable\":true}}  # " \
	"cordon: " why "\n"
#define UNCORDON(why)                                                      \
	"LOG node n: uncordoning\n"                                        \
	"LOG node n: initiating uncordon (currently schedulable: false)\n" \
	"PATCH /api/v1/nodes/n {\"spec\":{\"unschedulable\":null}}  # "    \
	"uncordon: " why "\n"
#define LOOK "REQUEUE after 10000 ms  # check the result\n"
#define APPLIED(what)                                                                     \
	"LOG node n: operation successful; applying completion annotation\n"              \
	"PATCH /api/v1/nodes/n {\"metadata\":{\"annotations\":{"                          \
	"\"machineconfiguration.openshift.io/lastAppliedDrain\":\"" what "\"}}}  # " what \
	" is done\n"
#define EVICT(p) "LOG node n: evicting pod ns/" p "\n" EVICT_AGAIN(p)
#define EVICT_AGAIN(p)                                                   \
	"EVICT /api/v1/namespaces/ns/pods/" p "/eviction {\"kind\":"     \
	"\"Eviction\",\"apiVersion\":\"policy/v1\",\"metadata\":{"       \
	"\"name\":\"" p "\",\"namespace\":\"ns\"},\"deleteOptions\":{}}" \
	"  # node n: drain-v1\n"
#define UNTIL                                                            \
	"The drain will not be complete until desired drainer drain-v1 " \
	"matches current drainer uncordon-v0"
#define CORDON_WORKED "LOG node n: cordon succeeded (currently schedulable: false)\n"
#define CORDONED                                                         \
	"UpdateExecuted=Unknown Cordoned Node as part of update "        \
	"executed phase | Cordoned=True UpdateExecutedCordoned Cordoned" \
	" node. The node is reporting Unschedulable = false\n"
#define DRAINING                                                         \
	"LOG node n: initiating drain\n"                                 \
	"APPLY MCN UpdateExecuted=Unknown Draining Node as part of "     \
	"update executed phase | Drained=Unknown UpdateExecutedDrained " \
	"Draining node. " UNTIL "\n"
#define DRAINED                                                       \
	"APPLY MCN UpdateExecuted=Unknown Drained Node as part of "   \
	"update executed phase | Drained=True UpdateExecutedDrained " \
	"Drained node. The drain is complete as the desired drainer " \
	"matches current drainer: drain-v1\n"                         \
	"UNMETRIC mcc_drain_err n\n"
#define FULFILLED                          \
	APPLIED("drain-v1")                \
	"METRIC mcc_sub_controller_state " \
	"machine-config-controller-drain,drain,n = now\n"

/* From the drain request to a cordoned node whose pods are being listed. */
static struct str to_cordoned(struct world *w)
{
	(void)plan(w);
	reply(w, 0, 200, "");
	w->node.unschedulable = true;
	return plan(w);
}

TEST drains(void)
{
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	pod(&w, "a", "");
	pod(&w, "d", "ds");
	pod(&w, "orphan", "gone-ds");
	pod(&w, "static", "");
	w.pods[3].mirror = true;
	pod(&w, "done", "ds");
	w.pods[4].finished = true;
	w.pods_known = true;
	ASSERT_STR(CORDON("drain-v1") LOOK, plan(&w));
	ASSERT(!drain_wants_pods(&w.d));
	reply(&w, 0, 200, "");
	w.node.unschedulable = true;
	ASSERT_STR(CORDON_WORKED "POST MCN " CORDONED DRAINING
				 "GET /apis/apps/v1/namespaces/ns/daemonsets/ds  # check the "
				 "controller of a pod\n"
				 "GET /apis/apps/v1/namespaces/ns/daemonsets/gone-ds  # "
				 "check the controller of a pod\n",
		   plan(&w));
	ASSERT(drain_wants_pods(&w.d));
	reply(&w, 2, 200, "");
	reply(&w, 3, 404, "");
	ASSERT_STR(EVICT("a") EVICT("orphan")
			   EVICT("done") "REQUEUE after 90000 ms  # pods are leaving\n",
		   plan(&w));
	reply(&w, 0, 201, "");
	reply(&w, 1, 404, "");
	reply(&w, 2, 201, "");
	w.now.sec += 3;
	ASSERT_STR("REQUEUE after 87000 ms  # pods are leaving\n", plan(&w));
	w.pods[0] = w.pods[1]; /* a and done have left */
	w.pods[1] = w.pods[3];
	w.n_pods = 2;
	ASSERT_STR("LOG node n: Evicted pod ns/a\n"
		   "LOG node n: Evicted pod ns/done\n" DRAINED FULFILLED,
		   plan(&w));
	ASSERT(!drain_wants_pods(&w.d));
	w.node.applied_drain = w.node.desired_drain;
	ASSERT_STR("", plan(&w));
	world_free(&w);
	PASS();
}

TEST nothing_to_evict(void)
{
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	ASSERT_STR(CORDON_WORKED "POST MCN " CORDONED DRAINING, to_cordoned(&w));
	ASSERT_STR("", plan(&w)); /* the pods are not listed yet */
	w.pods_known = true;
	ASSERT_STR(DRAINED FULFILLED, plan(&w));
	world_free(&w);
	PASS();
}

#define BUDGET "Cannot evict pod as it would violate the pod's disruption budget."
#define LATE(p) "error when evicting pods/\"" p "\" -n \"ns\": global timeout reached: 1m30s"
#define FAILED(why)                                                 \
	"APPLY MCN UpdateExecuted=Unknown Node Drain has not "      \
	"succeeded | Drained=Unknown UpdateExecutedDrained Error: " \
	"Node Drain has not succeeded. Error is: " why " " UNTIL "\n"

#define GOING_ON(hours)                                                   \
	"LOG node n: Previous node drain found. Drain has been going on " \
	"for " hours " hours\n"

#define MEANWHILE                                                 \
	"LOG External actor has unexpectedly uncordoned node n, " \
	"cordoning again...\n"

#define REFUSED                                                             \
	"LOG node n: error when evicting pods/\"a\" -n \"ns\" (will retry " \
	"after 5s): " BUDGET " " WHICH "\n"

/* A budget refuses the eviction for one attempt; returns the last plan. */
static int refusals; /* log lines since the test began */
static struct str held_back(struct world *w)
{
	struct str out = S("");

	for (int i = 0; i < 40 && w->d.phase == DRAIN_EVICT; i++) {
		for (size_t k = 0; k < w->last.n; k++)
			if (w->last.v[k].kind == ACTION_EVICT)
				reply_at(w, k, 429, BUDGET);
		w->now.sec += 5;
		out = plan(w);
		refusals += str_find(out, S(REFUSED)) >= 0;
	}
	return out;
}

TEST budget(void)
{
	struct world w;

	refusals = 0;
	world_init(&w, "drain-v1", "uncordon-v0");
	pod(&w, "a", "");
	w.pods_known = true;
	(void)to_cordoned(&w);
	ASSERT_STR("LOG node n: Drain failed. Waiting 1 minute then retrying. "
		   "Error message from drain: " LATE("a") "\n" FAILED(
			   LATE("a")) "REQUEUE after 60000 ms  # the drain "
				      "failed\n",
		   held_back(&w));
	ASSERT_INT(1, refusals); /* of an attempt that sent 18 evictions */
	ASSERT_STR("REQUEUE after 60000 ms  # a drain failed\n", plan(&w));
	/* the eviction is retried; after ten minutes less often */
	for (int i = 0; i < 4; i++) {
		w.now.sec += 60;
		(void)plan(&w);
		(void)held_back(&w);
	}
	w.now.sec += 60;
	(void)plan(&w);
	ASSERT_STR(
		"LOG node n: Drain failed. Drain has been failing for more "
		"than 10 minutes. Waiting 5 minutes then retrying. Error "
		"message from drain: " LATE(
			"a") "\n"
			     "EVENT Warning DrainThresholdExceeded on Node/n: Drain failed."
			     " Drain has been failing for more than 10 minutes. Waiting 5 "
			     "minutes then retrying. Error message from drain: " LATE("a") "\n" FAILED(
				     LATE("a")) "REQUEUE after 300000 ms  # the drain failed\n",
		held_back(&w));
	/* after an hour an alarm is raised, and the budget still refuses */
	w.now.sec += 3600;
	ASSERT_STR(GOING_ON("1.233") "LOG node n: drain exceeded timeout: "
				     "1h0m0s. Will continue to retry.\n"
				     "EVENT Warning DrainFailed on Node/n: node n: drain exceeded"
				     " timeout: 1h0m0s. Will continue to retry.\n"
				     "METRIC mcc_drain_err n = 1\n" DRAINING EVICT(
					     "a") "REQUEUE after 90000 ms  # pods are leaving\n",
		   plan(&w));
	/* then the budget allows it */
	reply(&w, 3, 201, "");
	w.n_pods = 0;
	ASSERT_STR("LOG node n: Evicted pod ns/a\n" DRAINED FULFILLED, plan(&w));
	world_free(&w);
	PASS();
}

/* Tests must not wait for minutes. */
TEST another_pace(void)
{
	struct world w;
	struct str got;

	world_init(&w, "drain-v1", "uncordon-v0");
	w.evict_ms = 3000;
	pod(&w, "a", "");
	w.pods_known = true;
	(void)to_cordoned(&w);
	got = held_back(&w);
	ASSERT(str_find(got, S("global timeout reached: 3s ")) >= 0);
	ASSERT(str_ends(got, S("REQUEUE after 2000 ms  # the drain failed\n")));
	world_free(&w);
	PASS();
}

struct evict_case {
	const char *name;
	int status;
	bool terminating, deleting;
	const char *message, *want;
};

static const struct evict_case evicts[] = {
	{ "accepted: waits until it is gone", 201, false, false, "",
	  "error when waiting for pod \"a\" in namespace \"ns\" to terminate: "
	  "context deadline exceeded" },
	{ "not found: gone", 404, false, false, "", "" },
	{ "refused for another reason", 500, false, false, "boom",
	  "error when evicting pods/\"a\" -n \"ns\": boom" },
	{ "forbidden", 403, false, false, "no", "error when evicting pods/\"a\" -n \"ns\": no" },
	{ "a namespace going away, the pod not yet", 403, true, false, "no", LATE("a") },
	{ "a namespace going away, the pod with it", 403, true, true, "no",
	  "error when waiting for pod \"a\" in namespace \"ns\" to terminate: "
	  "context deadline exceeded" },
};

TEST evictions(void)
{
	for (size_t i = 0; i < ARRAY_LEN(evicts); i++) {
		const struct evict_case *c = &evicts[i];
		struct world w;
		struct str got;
		struct str want = str_of(c->want);

		world_init(&w, "drain-v1", "uncordon-v0");
		pod(&w, "a", "");
		w.pods[0].deleting = c->deleting;
		w.pods_known = true;
		(void)to_cordoned(&w);
		for (size_t k = 0; k < w.last.n; k++)
			if (w.last.v[k].kind == ACTION_EVICT)
				drain_reply(
					&w.d, w.last.v[k].tag, w.now,
					&(struct drain_answer){ .status = c->status,
								.message = str_of(c->message),
								.terminating = c->terminating });
		w.now.sec += c->status == 404 ? 0 : 90;
		got = plan(&w);
		ASSERT_INT_M(c->name, 1, str_find(got, want) >= 0);
		ASSERT_INT_M(c->name, want.n == 0, str_find(got, S("is done")) >= 0);
		world_free(&w);
	}
	PASS();
}

/* Two pods that fail are both named. */
#define NOT_OFFERED                                                         \
	"error when evicting pods/\"a\" -n \"ns\": the server's discovery " \
	"does not offer pods/eviction"
#define LIST "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":["
#define PODS "{\"name\":\"pods\",\"kind\":\"Pod\"}"
#define EVICTION(more) "{\"name\":\"pods/eviction\",\"kind\":\"Eviction\"" more "}"

/* Answers to GET /api/v1; want "": the request is retried. */
TEST discovery(void)
{
	static const struct {
		const char *name, *body, *want;
	} cases[] = {
		{ "a new server",
		  LIST PODS "," EVICTION(",\"group\":\"policy\",\"version\":\"v1\"") "]}",
		  "policy/v1" },
		{ "an old one", LIST EVICTION(",\"group\":\"policy\",\"version\":\"v1beta1\"") "]}",
		  "policy/v1beta1" },
		{ "no version", LIST EVICTION("") "]}", "policy/v1" },
		{ "not offered", LIST PODS "]}", "" },
		{ "nothing offered", LIST "]}", "" },
		{ "no resources", "{\"kind\":\"APIResourceList\"}", "" },
		{ "null", "{\"kind\":\"APIResourceList\",\"resources\":null}", "" },
		{ "another kind", "{\"kind\":\"Status\",\"resources\":[" EVICTION("") "]}", "" },
		{ "no kind", "{\"resources\":[" EVICTION("") "]}", "" },
		{ "not an object", "[]", "" },
		{ "truncated", LIST PODS "," EVICTION(""), "" },
		{ "empty", "", "" },
		{ "garbage", "<html>", "" },
		{ "another kind of eviction",
		  LIST "{\"name\":\"pods/eviction\",\"kind\":\"Pod\"}]}", "" },
		{ "another group", LIST EVICTION(",\"group\":\"x\"") "]}", "" },
		{ "a strange version", LIST EVICTION(",\"version\":\"v1\\\",\\\"x\"") "]}", "" },
		{ "no version at all", LIST EVICTION(",\"version\":\"\"") "]}", "" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct str got = S("");
		int rc = drain_eviction_api(&a, str_of(cases[i].body), &got, &err);

		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), got);
		ASSERT_INT_M(cases[i].name, *cases[i].want != '\0', rc == 0);
	}
	PASS();
}

/* A pod that cannot be evicted is not deleted: that would bypass budgets. */
TEST eviction_not_offered(void)
{
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	pod(&w, "a", "");
	w.pods_known = true;
	w.no_eviction = true;
	(void)to_cordoned(&w);
	ASSERT_STR("REQUEUE after 85000 ms  # pods are leaving\n", (w.now.sec += 5, plan(&w)));
	w.now.sec += 85;
	ASSERT_STR("LOG node n: Drain failed. Waiting 1 minute then retrying. "
		   "Error message from drain: " NOT_OFFERED
		   "\n" FAILED(NOT_OFFERED) "REQUEUE after 60000 ms  # the drain failed\n",
		   plan(&w));
	/* the next attempt evicts as soon as eviction is offered */
	w.now.sec += 60;
	ASSERT_STR(GOING_ON("0.042") DRAINING "REQUEUE after 90000 ms  # pods are leaving\n",
		   plan(&w));
	w.no_eviction = false;
	ASSERT_STR(EVICT("a") "REQUEUE after 90000 ms  # pods are leaving\n", plan(&w));
	world_free(&w);
	PASS();
}

TEST aggregate(void)
{
	struct world w;
	struct str got;

	world_init(&w, "drain-v1", "uncordon-v0");
	pod(&w, "a", "");
	pod(&w, "b", "");
	w.pods_known = true;
	(void)to_cordoned(&w);
	w.now.sec += 90;
	got = plan(&w);
	ASSERT(str_find(got, S("Error is: [" LATE("a") ", " LATE("b") "] The drain")) >= 0);
	world_free(&w);
	PASS();
}

TEST unknown_daemonset(void)
{
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	pod(&w, "a", "");
	pod(&w, "b", "ds");
	w.pods_known = true;
	(void)to_cordoned(&w);
	reply(&w, 2, 500, "no idea");
	ASSERT_STR(
		"LOG node n: Drain failed. Waiting 1 minute then retrying. "
		"Error message from drain: cannot delete no idea: ns/b\n" FAILED(
			"cannot delete no idea: ns/b") "REQUEUE after 60000 ms  # the drain failed\n",
		plan(&w));
	world_free(&w);
	PASS();
}

TEST uncordons(void)
{
	struct world w;

	world_init(&w, "uncordon-v1", "drain-v1");
	w.node.unschedulable = true;
	ASSERT_STR(UNCORDON("uncordon-v1") LOOK, plan(&w));
	reply(&w, 0, 200, "");
	w.node.unschedulable = false;
	ASSERT_STR("LOG node n: uncordon succeeded (currently schedulable: "
		   "true)\n"
		   "POST MCN UpdateComplete=True Uncordoned Node as part of "
		   "completing upgrade phase | Uncordoned=True "
		   "UpdateCompleteUncordoned UnCordoned node. The node is "
		   "reporting Unschedulable = true\n" APPLIED(
			   "uncordon-v1") "METRIC mcc_sub_controller_state "
					  "machine-config-controller-drain,uncordon,n = now\n",
		   plan(&w));
	world_free(&w);
	PASS();
}

/* A server that accepts evictions and does nothing: five tries with back-off. */
TEST stubborn(void)
{
	struct world w;
	int patches = 0;
	int64_t begun;
	struct str got = S("");

	world_init(&w, "uncordon-v1", "drain-v1");
	w.node.unschedulable = true;
	begun = w.now.sec;
	for (int i = 0; i < 500 && w.err.code == 0; i++) {
		got = plan(&w);
		for (size_t k = 0; k < w.last.n; k++)
			if (w.last.v[k].kind == ACTION_STRATEGIC) {
				patches++;
				reply_at(&w, k, 500, "boom");
			}
		w.now.sec++;
	}
	ASSERT_INT(5, patches);
	ASSERT_INT(10 + 20 + 40 + 80 + 2, w.now.sec - begun);
	ASSERT_STR("LOG node n: uncordon failed with: boom, retrying\n"
		   "POST MCN UpdateComplete=Unknown Failed to Uncordon Node as "
		   "part of completing upgrade phase | Uncordoned=Unknown "
		   "UpdateCompleteUncordoned Error: Failed to UnCordon node. "
		   "Error is: node n: failed to uncordon (5 tries): [timed out "
		   "waiting for the condition, boom] The node is reporting "
		   "Unschedulable = true\n"
		   "ERROR -5 failed to uncordon node n: node n: failed to "
		   "uncordon (5 tries): [timed out waiting for the condition, "
		   "boom]\n",
		   got);
	world_free(&w);
	PASS();
}

TEST uncordoned_meanwhile(void)
{
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	(void)to_cordoned(&w);
	w.node.unschedulable = false;
	w.pods_known = true;
	ASSERT_STR(DRAINED "LOG node n: externally uncordoned during drain, "
			   "draining again\n"
			   "REQUEUE after 0 ms  # uncordoned during the drain\n",
		   plan(&w));
	ASSERT_STR(CORDON("drain-v1") LOOK, plan(&w));
	world_free(&w);
	PASS();
}

/* Like upstream, whose queue holds the node's event until the attempt is over. */
TEST uncordoned_while_blocked(void)
{
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	pod(&w, "a", "");
	w.pods_known = true;
	(void)to_cordoned(&w);
	w.node.unschedulable = false;
	ASSERT_STR("LOG node n: Drain failed. Waiting 1 minute then retrying. "
		   "Error message from drain: " LATE("a") "\n" FAILED(
			   LATE("a")) "LOG node n: externally uncordoned "
				      "during drain, draining again\n"
				      "REQUEUE after 0 ms  # uncordoned during "
				      "the drain\n",
		   held_back(&w));
	ASSERT_STR(GOING_ON("0.025") MEANWHILE CORDON("drain-v1") LOOK, plan(&w));
	/* the same drain, which began when the node was first cordoned */
	ASSERT(w.d.cordoned);
	world_free(&w);
	PASS();
}

/* Between two attempts an uncordoned node accepts new pods: the drain does not wait a
 * minute then. */
TEST uncordoned_at_rest(void)
{
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	pod(&w, "a", "");
	w.pods_known = true;
	(void)to_cordoned(&w);
	(void)held_back(&w);
	w.now.sec += 5;
	ASSERT_STR("REQUEUE after 55000 ms  # a drain failed\n", plan(&w));
	w.node.unschedulable = false;
	ASSERT_STR(GOING_ON("0.026") "LOG External actor has unexpectedly uncordoned node n, "
				     "cordoning again...\n" CORDON("drain-v1") LOOK,
		   plan(&w));
	/* a node that cannot be cordoned waits for its minute */
	for (int i = 0; i < 500 && !w.d.next; i++) {
		for (size_t k = 0; k < w.last.n; k++)
			if (w.last.v[k].kind == ACTION_STRATEGIC)
				reply_at(&w, k, 500, "boom");
		w.now.sec++;
		(void)plan(&w);
	}
	ASSERT_STR("REQUEUE after 60000 ms  # a drain failed\n", plan(&w));
	/* but continues when something else cordons it */
	w.node.unschedulable = true;
	ASSERT(str_find(plan(&w), S("\nLOG node n: initiating drain\nAPPLY MCN ")) > 0);
	world_free(&w);
	PASS();
}

TEST strange_wishes(void)
{
	struct world w;

	world_init(&w, "explode-v1", "uncordon-v0");
	ASSERT_STR("ERROR -1 node n: non-recognized drain verb detected "
		   "explode\n",
		   plan(&w));
	w.node.desired_drain = (struct str){ 0 };
	ASSERT_STR("ERROR -1 node n: non-recognized drain verb detected \n", plan(&w));
	w.node.applied_drain = (struct str){ 0 };
	ASSERT_STR("", plan(&w));
	world_free(&w);
	PASS();
}

/* ---- the MachineConfigNode itself ---------------------------------------- */

/* Conditions that the node's daemon writes during the drain are kept. */
TEST mcn_is_read_for_each_report(void)
{
	static const char says[] = "{'metadata':{'name':'n'},'spec':{'configVersion':{'desired':"
				   "'v1'}},'status':{'conditions':[{'type':'PinnedImageSets"
				   "Progressing','status':'True','reason':'r','message':'%d'}]}}";
	struct world w;

	world_init(&w, "drain-v1", "uncordon-v0");
	w.node.unschedulable = true;
	for (int i = 1; i <= 3; i++) {
		struct drain_answer ans = { .status = 200 };
		struct conditions list;
		size_t at;

		w.pods_known = i == 3; /* from here on the node is drained */
		(void)plan_once(&w);
		ASSERT(w.d.mcn_asked);
		w.last = (struct actions){ 0 };
		(void)plan_once(&w);
		ASSERT_INT(0, (long long)w.last.n); /* until the answer arrives */
		/* an answer to another attempt is ignored */
		drain_reply(&w.d, 99 * DRAIN_TAGS + DRAIN_TAG_MCN, w.now, &ans);
		(void)plan_once(&w);
		ASSERT_INT(0, (long long)w.last.n);
		ans.body = json_format(&w.a, fx_quote(&w.a, str_fmt(&w.a, says, i).p), 0);
		drain_reply(&w.d, drain_tag(&w.d, DRAIN_TAG_MCN), w.now, &ans);
		(void)plan_once(&w);
		at = w.last.v[0].kind == ACTION_LOG;
		ASSERT_INT(ACTION_APPLY, w.last.v[at].kind);
		list = conditions_of(
			&w.a, json_at(fx_json(&w.a, w.last.v[at].body), "status.conditions"));
		ASSERT_STR_M("what the daemon said last", str_fmt(&w.a, "%d", i),
			     conditions_find(&list, S("PinnedImageSetsProgressing"))->message);
	}
	world_free(&w);
	PASS();
}

TEST mcn_first_report(void)
{
	struct world w;
	struct str body = S("");

	world_init(&w, "uncordon-v1", "drain-v1");
	(void)plan(&w);
	body = w.last.v[0].body;
#define T "{\"lastTransitionTime\":\"2023-11-14T22:13:20Z\","
#define NOT_YET(t)                                                       \
	T "\"message\":\"This node has not yet entered the " t           \
	  " phase\",\"reason\":\"NotYetOccurred\",\"status\":\"False\"," \
	  "\"type\":\"" t "\"}"
	ASSERT_STR(
		"{\"apiVersion\":\"machineconfiguration.openshift.io/v1\","
		"\"kind\":\"MachineConfigNode\",\"metadata\":{\"name\":\"n\"},"
		"\"spec\":{\"configVersion\":{\"desired\":\"v1\"},\"node\":{"
		"\"name\":\"n\"},\"pool\":{\"name\":\"worker\"}},\"status\":{"
		"\"conditions\":[" T "\"message\":\"Uncordoned Node as part of completing upgrade "
		"phase\",\"reason\":\"Uncordoned\",\"status\":\"True\","
		"\"type\":\"UpdateComplete\"}," T
		"\"message\":\"UnCordoned node. The node is reporting "
		"Unschedulable = false\",\"reason\":"
		"\"UpdateCompleteUncordoned\",\"status\":\"True\",\"type\":"
		"\"Uncordoned\"}," NOT_YET("UpdatePrepared") "," NOT_YET("UpdateExecuted") "," NOT_YET(
			"UpdatePostAction"
			"Complete") "," NOT_YET("Resumed") "," NOT_YET("Drained") "," NOT_YET("AppliedFilesAndOS") "," NOT_YET("Cordoned") "," NOT_YET("RebootedNode") "," NOT_YET("Updated") "," NOT_YET("NodeDegraded") "," NOT_YET("PinnedImageSetsDegraded") "," NOT_YET("PinnedImageSetsProgressing") "],"
																																					   "\"configVersion\":{\"current\":\"v0\",\"desired\":\"v1\"}}}",
		body);
	world_free(&w);
	PASS();
}

struct report_case {
	const char *name;
	const char *before; /* conditions: "Type=Status:message;…" */
	struct mcn_report r;
	const char *want;
};

#define C(t, s, m)                                                            \
	{                                                                     \
		.type = { t, sizeof(t) - 1 }, .status = { s, sizeof(s) - 1 }, \
		.reason = { "r", 1 }, .message = {                            \
			m,                                                    \
			sizeof(m) - 1                                         \
		}                                                             \
	}

static const struct report_case reports[] = {
	{ "a parent that says the same is not written",
	  "UpdateExecuted=Unknown:x;Drained=False:",
	  { C("UpdateExecuted", "Unknown", "x"), C("Drained", "True", "y") },
	  "nothing" },
	{ "both in their places",
	  "Drained=False:;UpdateExecuted=False:;Updated=False:",
	  { C("UpdateExecuted", "Unknown", "x"), C("Drained", "True", "y") },
	  "Drained=True:y;UpdateExecuted=Unknown:x;Updated=False:;" },
	{ "missing ones are appended, the child first",
	  "Updated=False:",
	  { C("UpdateExecuted", "Unknown", "x"), C("Drained", "True", "y") },
	  "Updated=False:;Drained=True:y;UpdateExecuted=Unknown:x;" },
	{ "Updated ends all that stood",
	  "Updated=False:;Drained=True:was drained;Cordoned=False:",
	  { C("Updated", "True", "done"), C("", "", "") },
	  "Updated=True:done;Drained=False:Action during update to v1: was "
	  "drained;Cordoned=False:;" },
	{ "an Updated that is True is left alone",
	  "Updated=True:ok;UpdateExecuted=False:",
	  { C("UpdateExecuted", "True", "x"), C("", "", "") },
	  "Updated=True:ok;UpdateExecuted=True:x;" },
	{ "pinned image sets are always written",
	  "PinnedImageSetsDegraded=False:x",
	  { C("PinnedImageSetsDegraded", "False", "x"), C("", "", "") },
	  "PinnedImageSetsDegraded=False:x;" },
};

TEST a_new_mcn_belongs_to_its_node(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode *n = fx_node(&a, S("n v0 v1 Working"));
	struct mcn_report r = { C("UpdateExecuted", "Unknown", "x"), C("Drained", "True", "y") };
	struct mcn_in in = { .node = n, .pool = S("worker") };
	struct json *after;
	bool create = false;
	struct buf b;

	n->uid = S("u-1");
	buf_init(&b, &a);
	json_encode(&b, json_at(mcn_report(&a, &in, &r, &create, &after), "metadata"), 0);
	ASSERT(create);
	ASSERT_STR("{\"name\":\"n\",\"ownerReferences\":[{\"apiVersion\":"
		   "\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":"
		   "\"u-1\"}]}",
		   buf_str(&b));
	in.mcn = after;
	r.parent.message = S("z");
	ASSERT(!json_at(mcn_report(&a, &in, &r, &create, &after), "metadata.ownerReferences"));
	ASSERT(!create);
	PASS();
}

TEST mcn_reports(void)
{
	for (size_t i = 0; i < ARRAY_LEN(reports); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct report_case *c = &reports[i];
		struct str rest = str_of(c->before);
		struct knode *n = fx_node(&a, S("n v0 v1 Working"));
		struct json *mcn, *after, *body;
		struct conditions list = { 0 };
		struct mcn_in in = { .node = n, .pool = S("worker") };
		struct buf b;
		bool create;

		mcn = fx_quote(&a, "{'metadata':{'name':'n','generation':4},"
				   "'spec':{'configVersion':{'desired':'v1'}},"
				   "'status':{}}");
		while (rest.n) {
			struct str one = fx_word(&rest, ';');
			struct condition cond = { .type = fx_word(&one, '=') };

			cond.status = fx_word(&one, ':');
			cond.message = one;
			VEC_PUSH(&a, &list, cond);
		}
		json_add(json_at(mcn, "status"), S("conditions"),
			 conditions_json(&a, &list, false));
		in.mcn = mcn;
		body = mcn_report(&a, &in, &c->r, &create, &after);
		buf_init(&b, &a);
		if (!body)
			buf_addz(&b, "nothing");
		else
			ASSERT_INT_M(c->name, 5, json_i64(body, "status.observedGeneration", 0));
		list = conditions_of(&a, json_at(body, "status.conditions"));
		for (size_t k = 0; k < list.n; k++)
			buf_addf(&b, "%.*s=%.*s:%.*s;", STRF(list.v[k].type),
				 STRF(list.v[k].status), STRF(list.v[k].message));
		ASSERT_STR_M(c->name, str_of(c->want), buf_str(&b));
	}
	PASS();
}

TEST mcn_migrated(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *out = mcn_migrate(&a,
				       fx_quote(&a, "{'status':{'conditions':[{'type':'Updated'},"
						    "{'type':'AppliedFilesAndOS'},{'type':"
						    "'AppliedOSImage'}]}}"),
				       (struct instant){ 1700000000, 0 });
	struct conditions list;
	struct buf b;

	ASSERT(out != NULL);
	list = conditions_of(&a, json_at(out, "status.conditions"));
	buf_init(&b, &a);
	for (size_t i = 0; i < list.n; i++)
		buf_addf(&b, "%.*s ", STRF(list.v[i].type));
	ASSERT_STR("Updated AppliedOSImage AppliedFiles "
		   "ImagePulledFromRegistry ",
		   buf_str(&b));
	ASSERT(mcn_migrate(&a, out, (struct instant){ 0 }) == NULL);
	PASS();
}

SUITE(drain)
{
	RUN_TEST(drains);
	RUN_TEST(nothing_to_evict);
	RUN_TEST(budget);
	RUN_TEST(another_pace);
	RUN_TEST(evictions);
	RUN_TEST(discovery);
	RUN_TEST(eviction_not_offered);
	RUN_TEST(aggregate);
	RUN_TEST(unknown_daemonset);
	RUN_TEST(uncordons);
	RUN_TEST(stubborn);
	RUN_TEST(uncordoned_meanwhile);
	RUN_TEST(uncordoned_while_blocked);
	RUN_TEST(uncordoned_at_rest);
	RUN_TEST(strange_wishes);
	RUN_TEST(mcn_is_read_for_each_report);
	RUN_TEST(mcn_first_report);
	RUN_TEST(mcn_reports);
	RUN_TEST(a_new_mcn_belongs_to_its_node);
	RUN_TEST(mcn_migrated);
}

TEST_MAIN(drain)
