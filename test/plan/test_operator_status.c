/*
 * The ClusterOperator: upstream's golden cases from an empty status to rest, and the order of its
 * writes and Events as upstream's timelines have it.
 */
#include "operator_case.h"
#include "plan/operator/op_status.h"

#define CO "machine-config"

/* ---- golden cases -------------------------------------------------------- */

struct tally {
	size_t bad, writes;
};

/* The step whose failure the expected object reports, and the error. */
static bool expected_failure(const struct json *want, struct operator_outcome *o)
{
	static const char *const before[] = { " because: ", "4.22.1: " };

	for (const struct json *c = json_first(json_at(want, "status.conditions")); c;
	     c = json_next(c)) {
		struct str reason = json_str(c, "reason"), text = json_str(c, "message");

		if (!str_is(json_str(c, "type"), "Degraded") || !reason.n)
			continue;
		reason.n -= strlen("Failed");
		for (int i = 0; i < OPERATOR_STEPS; i++)
			if (str_is(reason, operator_step_name(i)))
				o->at = i;
		for (size_t i = 0; i < ARRAY_LEN(before); i++) {
			ptrdiff_t at = str_find(text, str_of(before[i]));

			if (at >= 0)
				text = str_from(text, (size_t)at + strlen(before[i]));
		}
		o->pass = OPERATOR_PASS_FAILED;
		o->text = text;
		return o->at != OPERATOR_REQUIRED_POOLS;
	}
	return false;
}

/* How a pass ends: another step fails as expected, or RequiredPools decides. */
static struct operator_outcome outcome_of(struct operator_case *c)
{
	struct operator_outcome o = { .pass = OPERATOR_PASS_DONE, .at = OPERATOR_REQUIRED_POOLS };
	const struct json *cc =
		operator_case_find(&c->expected, "ControllerConfig", "machine-config-controller");
	struct operator_render r = { .os_image = json_str(cc, "spec.baseOSContainerImage") };
	struct operator_result result = { 0 };
	struct err err = ERR_INIT(c->a);

	if (expected_failure(operator_case_find(&c->expected, "ClusterOperator", CO), &o))
		return o;
	if (operator_required_pools(c->a, &c->view, &r, &result, &err) < 0)
		return (struct operator_outcome){ OPERATOR_PASS_FAILED, OPERATOR_REQUIRED_POOLS,
						  err.msg, S("") };
	if (result.wait.on)
		return (struct operator_outcome){ OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS,
						  result.wait.why, S("") };
	o.pass = OPERATOR_PASS_DONE;
	return o;
}

/* Passes until nothing is written; returns the number of writes. */
static size_t settle(struct operator_case *c, const struct operator_outcome *o)
{
	struct operator_memory m = { .a = c->a };
	size_t writes = 0, n;

	do {
		struct actions list = { 0 };

		operator_status_begin(c->a, &c->view, &m, &list);
		n = operator_case_act(c, &list);
		if (!n) {
			operator_status(c->a, &c->view, o, &list);
			n = operator_case_act(c, &list);
		}
		writes += n;
		if (!n && o->pass == OPERATOR_PASS_DONE && c->view.bring_up) {
			c->view.bring_up = false;
			n = 1;
		}
	} while (n && writes < 20);
	return writes;
}

static struct str normal(struct arena *a, const struct json *object)
{
	struct json *j = json_clone(a, json_at(object, "status"));

	for (struct json *c = json_first(json_at(j, "conditions")); c; c = json_next(c))
		json_set(c, S("lastTransitionTime"), json_new_str(a, S("TIME")));
	return json_format(a, j, JSON_SORTED);
}

/* From no object to rest. Upgrades and waits begin with a healthy 4.22.0. */
static void golden(const char *name, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_outcome done = { .pass = OPERATOR_PASS_DONE }, o;
	struct tally *t = ctx;
	struct operator_case c;
	struct operator_view view;
	const struct json *want;

	operator_case_load(&a, name, CASE_AT_REST, &c);
	want = operator_case_find(&c.expected, "ClusterOperator", CO);
	operator_case_drop(&c, want);
	o = outcome_of(&c);
	view = c.view;
	c.view.release = S("4.22.0");
	c.view.image = S(CASE_MCO);
	if (o.pass == OPERATOR_PASS_WAITS || !str_is(view.release, "4.22.0"))
		t->writes += settle(&c, &done);
	c.view = view;
	t->writes += settle(&c, &o);
	if (!test_same(name, normal(&a, want),
		       normal(&a, operator_case_get(&c.view, OPERATOR_CLUSTER_OPERATORS, S(CO)))))
		t->bad++;
}

TEST golden_cases_reach_upstreams_status(void)
{
	struct tally t = { 0 };
	size_t n = operator_cases(golden, &t);

	(void)printf("ClusterOperator: %zu of %zu cases equal, %zu writes\n", n - t.bad, n,
		     t.writes);
	ASSERT_INT(0, (int)t.bad);
	ASSERT_INT(61, (int)n);
	PASS();
}

/* With the object that upstream wrote there is nothing to write. */
static void golden_at_rest(const char *name, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct tally *t = ctx;
	struct operator_case c;
	struct operator_outcome o;

	operator_case_load(&a, name, CASE_AT_REST, &c);
	c.view.bring_up = false;
	o = outcome_of(&c);
	if (settle(&c, &o)) {
		(void)printf("%s: is written\n", name);
		t->bad++;
	}
}

TEST golden_cases_are_at_rest(void)
{
	struct tally t = { 0 };

	(void)operator_cases(golden_at_rest, &t);
	ASSERT_INT(0, (int)t.bad);
	PASS();
}

/* ---- timelines ----------------------------------------------------------- */

struct line {
	struct arena a;
	struct operator_case c;
	struct operator_memory m;
	struct buf log;
};

static void line_begin(struct line *l, const char *name)
{
	*l = (struct line){ 0 };
	operator_case_load(&l->a, name, CASE_AT_REST, &l->c);
	l->m.a = &l->a;
	buf_init(&l->log, &l->a);
}

static const struct json *line_co(struct line *l)
{
	return operator_case_get(&l->c.view, OPERATOR_CLUSTER_OPERATORS, S(CO));
}

/* What the writes changed, as "Type=Status reason: message"; and the Events. */
static void line_note(struct line *l, const struct json *old, const struct actions *list)
{
	const struct json *new = json_at(line_co(l), "status");
	struct conditions was = conditions_of(&l->a, json_at(old, "conditions"));
	struct conditions is = conditions_of(&l->a, json_at(new, "conditions"));
	struct str ext = json_str(new, "extension.lastSyncError");

	for (size_t i = 0; i < is.n; i++) {
		const struct condition *c = &is.v[i], *o = conditions_find(&was, c->type);

		if (!o || !str_eq(o->status, c->status) || !str_eq(o->reason, c->reason) ||
		    !str_eq(o->message, c->message))
			buf_addf(&l->log, "%.*s=%.*s %.*s|%.*s\n", STRF(c->type), STRF(c->status),
				 STRF(c->reason), STRF(c->message));
	}
	if (!json_eq(json_at(old, "versions"), json_at(new, "versions")))
		buf_addf(&l->log, "versions %.*s\n",
			 STRF(json_str(json_first(json_at(new, "versions")), "version")));
	if (!str_eq(ext, json_str(old, "extension.lastSyncError")))
		buf_addf(&l->log, "lastSyncError %.*s\n", STRF(ext));
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].kind == ACTION_EVENT)
			buf_addf(&l->log, "%s %.*s: %.*s\n",
				 list->v[i].event.warning ? "Warning" : "Normal",
				 STRF(list->v[i].event.reason), STRF(list->v[i].reason));
}

/* One pass, and "--" after what it did. */
static void pass(struct line *l, enum operator_pass end, enum operator_step at, const char *text)
{
	struct operator_outcome o = { end, at, str_of(text), S("") };
	const struct json *status = json_at(line_co(l), "status");
	const struct json *old = status ? json_clone(&l->a, status) : NULL;
	struct actions list = { 0 };

	operator_status_begin(&l->a, &l->c.view, &l->m, &list);
	if (!operator_case_act(&l->c, &list)) {
		operator_status(&l->a, &l->c.view, &o, &list);
		(void)operator_case_act(&l->c, &list);
	}
	line_note(l, old, &list);
	buf_addz(&l->log, "--\n");
}

#define IMAGES "{operator-image " CASE_MCO "}"
#define V0 "[{operator 4.22.0} " IMAGES "]"
#define V1 "[{operator 4.22.1} " IMAGES "]"

TEST an_upgrade_writes_as_upstream_does(void)
{
	struct line l;

	line_begin(&l, "001-none-fresh");
	l.c.view.release = S("4.22.1");
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_DAEMON, "");
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_SERVER, "");
	pass(&l, OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, "not yet");
	pass(&l, OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, "not yet");
	pass(&l, OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, "");
	pass(&l, OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, "");
	pass(&l, OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, "");
	ASSERT_STR("Normal OperatorVersionChanged: clusteroperator/" CO
		   " started a version change from " V0 " to " V1 "\n"
		   "--\n"
		   "--\n"
		   "Progressing=True |Working towards 4.22.1\n"
		   "lastSyncError not yet\n"
		   "--\n"
		   "--\n"
		   "versions 4.22.1\n"
		   "lastSyncError \n"
		   "Normal OperatorVersionChanged: clusteroperator/" CO " version changed from " V0
		   " to " V1 "\n"
		   "--\n"
		   "Available=True AsExpected|Cluster has deployed " V1 "\n"
		   "Progressing=False |Cluster version is 4.22.1\n"
		   "--\n"
		   "--\n",
		   buf_str(&l.log));
	arena_free(&l.a);
	PASS();
}

TEST a_blocked_upgrade_keeps_its_versions_and_clears_degraded_in_mid_sync(void)
{
	struct line l;

	line_begin(&l, "001-none-fresh");
	l.c.view.release = S("4.22.1");
	pass(&l, OPERATOR_PASS_FAILED, OPERATOR_RENDER_CONFIG, "wrong images");
	pass(&l, OPERATOR_PASS_FAILED, OPERATOR_RENDER_CONFIG, "wrong images");
	pass(&l, OPERATOR_PASS_FAILED, OPERATOR_RENDER_CONFIG, "wrong OS");
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_RENDER_CONFIG, "");
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_DAEMON, "");
	pass(&l, OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, "not yet");
	ASSERT_STR("Progressing=True |Unable to apply 4.22.1\n"
		   "Degraded=True RenderConfigFailed|Unable to apply 4.22.1: wrong images\n"
		   "Normal OperatorVersionChanged: clusteroperator/" CO
		   " started a version change from " V0 " to " V1 "\n"
		   "Warning OperatorDegraded: RenderConfigFailed: Unable to apply 4.22.1: wrong "
		   "images\n"
		   "--\n"
		   "--\n"
		   "Degraded=True RenderConfigFailed|Unable to apply 4.22.1: wrong OS\n"
		   "Warning OperatorDegraded: RenderConfigFailed: Unable to apply 4.22.1: wrong "
		   "OS\n"
		   "--\n"
		   "--\n"
		   "Progressing=True |Working towards 4.22.1\n"
		   "Degraded=False |\n"
		   "--\n"
		   "lastSyncError not yet\n"
		   "--\n",
		   buf_str(&l.log));
	arena_free(&l.a);
	PASS();
}

TEST a_bring_up_writes_as_upstream_does(void)
{
	struct line l;

	line_begin(&l, "001-none-fresh");
	operator_case_drop(&l.c, line_co(&l));
	l.c.view.bring_up = true;
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_RENDER_CONFIG, "");
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_RENDER_CONFIG, "");
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_RENDER_CONFIG, "");
	pass(&l, OPERATOR_PASS_FAILED, OPERATOR_REQUIRED_POOLS, "too late");
	pass(&l, OPERATOR_PASS_GOES_ON, OPERATOR_DAEMON, "");
	pass(&l, OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, "not yet");
	pass(&l, OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, "");
	l.c.view.bring_up = false;
	pass(&l, OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, "");
	pass(&l, OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, "");
	ASSERT_STR("--\n"
		   "Available=False |\n"
		   "Progressing=False |\n"
		   "Degraded=False |\n"
		   "Upgradeable=Unknown NoData|\n"
		   "EvaluationConditionsDetected=False AsExpected|\n"
		   "versions 4.22.0\n"
		   "--\n"
		   "Normal OperatorVersionChanged: clusteroperator/" CO " is bootstrapping to " V0
		   "\n"
		   "--\n"
		   "Available=True AsExpected|Cluster has deployed " V0 "\n"
		   "Progressing=True |Unable to apply 4.22.0\n"
		   "Degraded=True RequiredPoolsFailed|Failed to resync 4.22.0 because: too late\n"
		   "Upgradeable=True AsExpected|\n"
		   "Warning OperatorDegraded: RequiredPoolsFailed: Failed to resync 4.22.0 "
		   "because: too late\n"
		   "--\n"
		   "--\n"
		   "Progressing=True |Cluster is bootstrapping 4.22.0\n"
		   "lastSyncError not yet\n"
		   "--\n"
		   "Degraded=False |\n"
		   "lastSyncError \n"
		   "--\n"
		   "Progressing=False |Cluster version is 4.22.0\n"
		   "--\n"
		   "--\n",
		   buf_str(&l.log));
	arena_free(&l.a);
	PASS();
}

/* ---- single facts -------------------------------------------------------- */

TEST the_first_status_has_the_short_list_of_related_objects(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m = { .a = &a };
	struct operator_case c;
	struct actions list = { 0 };
	const struct json *co;

	operator_case_load(&a, "001-none-fresh", CASE_INPUT, &c);
	operator_status_begin(&a, &c.view, &m, &list);
	ASSERT_INT(1, (int)list.n);
	ASSERT_STR("/apis/config.openshift.io/v1/clusteroperators", list.v[0].path);
	ASSERT_STR("{\"apiVersion\":\"config.openshift.io/v1\",\"kind\":\"ClusterOperator\","
		   "\"metadata\":{\"name\":\"machine-config\"},\"spec\":{}}",
		   list.v[0].body);
	(void)operator_case_act(&c, &list);
	list = (struct actions){ 0 };
	operator_status_begin(&a, &c.view, &m, &list);
	ASSERT_INT(1, (int)list.n);
	ASSERT_STR("/apis/config.openshift.io/v1/clusteroperators/machine-config/status",
		   list.v[0].path);
	(void)operator_case_act(&c, &list);
	co = operator_case_get(&c.view, OPERATOR_CLUSTER_OPERATORS, S(CO));
	ASSERT_STR("[{\"group\":\"\",\"name\":\"openshift-machine-config-operator\","
		   "\"resource\":\"namespaces\"},"
		   "{\"group\":\"machineconfiguration.openshift.io\",\"name\":\"master\","
		   "\"resource\":\"machineconfigpools\"},"
		   "{\"group\":\"machineconfiguration.openshift.io\",\"name\":\"worker\","
		   "\"resource\":\"machineconfigpools\"},"
		   "{\"group\":\"machineconfiguration.openshift.io\","
		   "\"name\":\"machine-config-controller\",\"resource\":\"controllerconfigs\"},"
		   "{\"group\":\"operator.openshift.io\",\"name\":\"\","
		   "\"resource\":\"machineconfigurations\"}]",
		   json_format(&a, json_at(co, "status.relatedObjects"), 0));
	ASSERT(!json_at(co, "status.extension"));
	PASS();
}

/* The cluster-version operator creates the object with relatedObjects only. */
TEST an_object_that_another_made_keeps_unknown_versions(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m = { .a = &a };
	struct operator_case c;
	struct actions list = { 0 };
	struct json *co;

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	co = (struct json *)operator_case_get(&c.view, OPERATOR_CLUSTER_OPERATORS, S(CO));
	(void)json_remove(json_at(co, "status"), S("conditions"));
	(void)json_remove(json_at(co, "status"), S("versions"));
	operator_status_begin(&a, &c.view, &m, &list);
	ASSERT_INT(1, (int)list.n);
	ASSERT_STR("clusteroperator/" CO " started a version change from [] to " V0,
		   list.v[0].reason);
	PASS();
}

TEST transition_times_change_with_the_status_only(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;
	struct operator_outcome o = { OPERATOR_PASS_FAILED, OPERATOR_SERVER, S("no"), S("") };
	struct conditions list;

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	list = conditions_of(
		&a, json_at(operator_status_next(
				    &a, &c.view,
				    json_at(operator_case_get(&c.view, OPERATOR_CLUSTER_OPERATORS,
							      S(CO)),
					    "status"),
				    &o),
			    "conditions"));
	ASSERT_STR("TIME", conditions_find(&list, S("Available"))->time);
	ASSERT_STR("TIME", conditions_find(&list, S("Progressing"))->time);
	ASSERT_STR("2027-01-15T08:00:00Z", conditions_find(&list, S("Degraded"))->time);
	PASS();
}

TEST events_name_no_kind_and_follow_the_write(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;
	struct operator_outcome o = { OPERATOR_PASS_FAILED, OPERATOR_SERVER, S("no"), S("") };
	struct actions list = { 0 };

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	operator_status(&a, &c.view, &o, &list);
	ASSERT_INT(2, (int)list.n);
	ASSERT_INT(ACTION_REPLACE, list.v[0].kind);
	ASSERT_INT(ACTION_EVENT, list.v[1].kind);
	ASSERT(list.v[1].step > list.v[0].step);
	ASSERT_STR("", list.v[1].event.kind);
	ASSERT_STR("", list.v[1].event.api);
	ASSERT_STR(CO, list.v[1].event.name);
	ASSERT_STR("X", list.v[1].event.uid);
	PASS();
}

static bool not_served(const struct operator_view *in, enum operator_kind kind)
{
	(void)in;
	return kind != OPERATOR_CLUSTER_OPERATORS;
}

TEST nothing_is_written_where_the_kind_is_not_served(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m = { .a = &a };
	struct operator_case c;
	struct operator_outcome o = { OPERATOR_PASS_FAILED, OPERATOR_SERVER, S("no"), S("") };
	struct actions list = { 0 };

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	c.view.served = not_served;
	operator_status_begin(&a, &c.view, &m, &list);
	operator_status(&a, &c.view, &o, &list);
	ASSERT_INT(0, (int)list.n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_cases_reach_upstreams_status);
	RUN_TEST(golden_cases_are_at_rest);
	RUN_TEST(an_upgrade_writes_as_upstream_does);
	RUN_TEST(a_blocked_upgrade_keeps_its_versions_and_clears_degraded_in_mid_sync);
	RUN_TEST(a_bring_up_writes_as_upstream_does);
	RUN_TEST(the_first_status_has_the_short_list_of_related_objects);
	RUN_TEST(an_object_that_another_made_keeps_unknown_versions);
	RUN_TEST(transition_times_change_with_the_status_only);
	RUN_TEST(events_name_no_kind_and_follow_the_write);
	RUN_TEST(nothing_is_written_where_the_kind_is_not_served);
}

TEST_MAIN(suite)
