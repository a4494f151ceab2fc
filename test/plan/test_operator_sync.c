/*
 * A pass of the operator: where it ends for every state of a step, what it writes of the
 * ClusterOperator there, and how waits expire. Upstream's golden cases come to rest in it.
 */
#include "operator_case.h"
#include "plan/operator/op_sync.h"

enum state { REST, ACTS, MAY_ACT, WAITS, FAILS, HALF, ENDLESS };

static enum state states[OPERATOR_STEPS];
static unsigned ran; /* a bit for each step */

#define STEP(n)                                                                   \
	static int step_##n(struct arena *a, const struct operator_view *in,      \
			    struct operator_memory *m, struct operator_render *r, \
			    struct operator_result *out, struct err *err)         \
	{                                                                         \
		(void)in;                                                         \
		(void)m;                                                          \
		(void)r;                                                          \
		return play((enum operator_step)(n), a, out, err);                \
	}

static int play(enum operator_step step, struct arena *a, struct operator_result *out,
		struct err *err)
{
	ran |= 1U << step;
	switch (states[step]) {
	case REST:
		break;
	case ACTS:
	case MAY_ACT:
	case HALF:
		action_add(a, &out->actions, ACTION_CREATE,
			   S("/api/v1/namespaces/openshift-machine-config-operator/"
			     "configmaps"),
			   S("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
			     "\"name\":\"thing\",\"namespace\":\"openshift-machine-config-"
			     "operator\"}}"),
			   S("it is missing"))
			->fail = states[step] == MAY_ACT ? ACTION_LATER : ACTION_STOP;
		return states[step] == HALF ? err_set(err, ERR_AGAIN, "it is half done") : 0;
	case WAITS:
	case ENDLESS:
		out->wait = (struct operator_wait){ .on = true,
						    .limit_ms = states[step] == WAITS ? 1000 : 0,
						    .what = S("error during wait"),
						    .why = S("not yet") };
		break;
	case FAILS:
		return err_set(err, ERR_AGAIN, "it is broken");
	}
	return 0;
}

STEP(0)
STEP(1)
STEP(2)
STEP(3)
STEP(4)
STEP(5)
STEP(6)
STEP(7)
STEP(8)
STEP(9)

static operator_step_run *const steps[OPERATOR_STEPS] = { step_0, step_1, step_2, step_3, step_4,
							  step_5, step_6, step_7, step_8, step_9 };

/* A pass as text: its requests, then how it ends. */
static struct str pass(struct operator_case *c, struct operator_memory *m)
{
	struct operator_result out;
	struct err err = ERR_INIT(c->a);
	struct buf b;
	int rc;

	ran = 0;
	rc = operator_pass_over(steps, c->a, &c->view, m, &out, &err);
	buf_init(&b, c->a);
	for (size_t i = 0; i < out.actions.n; i++) {
		const struct action *act = &out.actions.v[i];

		if (act->kind == ACTION_EVENT)
			buf_addf(&b, "event %.*s; ", STRF(act->event.reason));
		else
			buf_addf(&b, "%.*s; ", STRF(act->reason));
	}
	buf_addf(&b, "%s%s", operator_step_name(out.at), out.status ? " status" : "");
	if (rc < 0)
		buf_addf(&b, " failed: %.*s", STRF(err.msg));
	if (out.wait.on)
		buf_addf(&b, " waits: %.*s", STRF(out.wait.why));
	if (out.done)
		buf_addz(&b, " done");
	(void)operator_case_act(c, &out.actions);
	return buf_str(&b);
}

static void reset(struct operator_case *c, struct arena *a, struct operator_memory *m)
{
	*m = (struct operator_memory){ .a = a };
	memset(states, 0, sizeof(states));
	operator_case_load(a, "001-none-fresh", CASE_AT_REST, c);
}

/* ---- every state of every step ------------------------------------------- */

TEST a_pass_ends_at_the_first_step_that_is_not_at_rest(void)
{
	static const struct {
		enum state state;
		const char *want, *last; /* last: of RequiredPools, if it differs */
	} table[] = {
		{ ACTS, "it is missing; %s", NULL },
		{ WAITS, "%s waits: not yet",
		  "RequiredPools: not yet; RequiredPools status waits: not yet" },
		{ FAILS,
		  "%sFailed: it is broken; event OperatorDegraded: %sFailed; %s status failed: "
		  "it is broken",
		  NULL },
		{ ENDLESS,
		  "%sFailed: error during wait: [context deadline exceeded, not yet]; event "
		  "OperatorDegraded: %sFailed; %s status failed: error during wait: [context "
		  "deadline exceeded, not yet]",
		  NULL },
	};

	for (size_t t = 0; t < ARRAY_LEN(table); t++)
		for (unsigned i = 0; i < OPERATOR_STEPS; i++) {
			AUTO(arena) struct arena a = ARENA_INIT;
			const char *want = table[t].want, *name = operator_step_name(i);
			struct operator_memory m;
			struct operator_case c;

			reset(&c, &a, &m);
			states[i] = table[t].state;
			if (i == OPERATOR_REQUIRED_POOLS && table[t].last)
				want = table[t].last;
			ASSERT_STR_M(name, str_fmt(&a, want, name, name, name), pass(&c, &m));
			ASSERT_INT_M(name, (2U << i) - 1, ran);
			/* idempotent: the status is written once */
			if (table[t].state == FAILS)
				ASSERT_STR_M(name, str_fmt(&a, "%s failed: it is broken", name),
					     pass(&c, &m));
		}
	PASS();
}

TEST at_rest_nothing_is_written(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m;
	struct operator_case c;

	reset(&c, &a, &m);
	ASSERT_STR("RequiredPools done", pass(&c, &m));
	PASS();
}

/* ---- waits --------------------------------------------------------------- */

TEST a_wait_expires_once_and_begins_anew(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const char *late = "MachineConfigDaemon status failed: error during wait: [context "
			   "deadline exceeded, not yet]";
	struct operator_memory m;
	struct operator_case c;
	struct str got;

	reset(&c, &a, &m);
	states[OPERATOR_DAEMON] = WAITS;
	ASSERT_STR("MachineConfigDaemon waits: not yet", pass(&c, &m));
	c.view.clock_ms += 999;
	ASSERT_STR("MachineConfigDaemon waits: not yet", pass(&c, &m));
	c.view.clock_ms += 1;
	got = pass(&c, &m);
	ASSERT(str_ends(got, str_of(late)));
	/* it waits again, and the ClusterOperator keeps its Degraded */
	ASSERT_STR("MachineConfigDaemon waits: not yet", pass(&c, &m));
	c.view.clock_ms += 999;
	ASSERT_STR("MachineConfigDaemon waits: not yet", pass(&c, &m));
	/* another generation has its own deadline */
	m.waits_for[OPERATOR_DAEMON] = 2;
	m.waits_since[OPERATOR_DAEMON] = 0;
	c.view.clock_ms += 999;
	ASSERT_STR("MachineConfigDaemon waits: not yet", pass(&c, &m));
	/* the step succeeds: Degraded is cleared before the requests of the next one */
	states[OPERATOR_DAEMON] = REST;
	states[OPERATOR_SERVER] = ACTS;
	ASSERT_STR("a failed step succeeds; MachineConfigServer status", pass(&c, &m));
	ASSERT_STR("it is missing; MachineConfigServer", pass(&c, &m));
	states[OPERATOR_SERVER] = REST;
	ASSERT_STR("RequiredPools done", pass(&c, &m));
	ASSERT_INT(0, (int)m.waits_since[OPERATOR_DAEMON]);
	PASS();
}

/* Upstream's next sync waits anew: time that another step waited or failed does not count. */
TEST a_wait_begins_anew_after_an_earlier_step(void)
{
	static const enum state earlier[] = { WAITS, FAILS };

	for (size_t i = 0; i < ARRAY_LEN(earlier); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_memory m;
		struct operator_case c;

		reset(&c, &a, &m);
		c.view.clock_ms = 5000;
		states[OPERATOR_REQUIRED_POOLS] = WAITS;
		(void)pass(&c, &m);
		ASSERT_INT(5000, m.waits_since[OPERATOR_REQUIRED_POOLS]);
		states[OPERATOR_DAEMON] = earlier[i];
		c.view.clock_ms += 10;
		(void)pass(&c, &m);
		ASSERT_INT(0, m.waits_since[OPERATOR_REQUIRED_POOLS]);
		states[OPERATOR_DAEMON] = REST;
		c.view.clock_ms += 2000;
		ASSERT(str_ends(pass(&c, &m), S(" waits: not yet")));
		ASSERT_INT(7010, m.waits_since[OPERATOR_REQUIRED_POOLS]);
	}
	PASS();
}

TEST a_failing_machine_configuration_does_not_end_the_wait_for_pools(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *co;
	struct operator_memory m;
	struct operator_case c;

	reset(&c, &a, &m);
	c.view.clock_ms = 5000;
	states[OPERATOR_REQUIRED_POOLS] = WAITS;
	ASSERT_STR("RequiredPools: not yet; RequiredPools status waits: not yet", pass(&c, &m));
	states[OPERATOR_MACHINE_CONFIGURATION] = FAILS;
	c.view.clock_ms += 10;
	ASSERT_STR("RequiredPools: not yet; event OperatorDegraded: MachineConfigurationFailed; "
		   "RequiredPools status waits: not yet",
		   pass(&c, &m));
	co = operator_case_find(&c.objects, "ClusterOperator", "machine-config");
	ASSERT(str_find(json_format(&a, co, 0), S("\"MachineConfigurationFailed\"")) > 0);
	ASSERT(str_find(json_format(&a, co, 0),
			S("\"Failed to resync 4.22.0 because: it is broken\"")) > 0);
	ASSERT_STR("RequiredPools waits: not yet", pass(&c, &m));
	ASSERT_INT(5000, (int)m.waits_since[OPERATOR_REQUIRED_POOLS]);
	/* steps between them still undo changes, and Degraded stays */
	states[OPERATOR_SERVER] = ACTS;
	ASSERT_STR("it is missing; MachineConfigServer", pass(&c, &m));
	states[OPERATOR_SERVER] = REST;
	ASSERT_STR("RequiredPools waits: not yet", pass(&c, &m));
	/* it succeeds */
	states[OPERATOR_MACHINE_CONFIGURATION] = REST;
	ASSERT_STR("RequiredPools: not yet; RequiredPools status waits: not yet", pass(&c, &m));
	co = operator_case_find(&c.objects, "ClusterOperator", "machine-config");
	ASSERT(str_find(json_format(&a, co, 0), S("MachineConfigurationFailed")) < 0);
	/* the wait ends first */
	states[OPERATOR_MACHINE_CONFIGURATION] = FAILS;
	states[OPERATOR_REQUIRED_POOLS] = REST;
	ASSERT(str_ends(pass(&c, &m), S("MachineConfiguration status failed: it is broken")));
	ASSERT_INT(0, (int)m.waits_since[OPERATOR_REQUIRED_POOLS]);
	ASSERT_STR("MachineConfiguration failed: it is broken", pass(&c, &m));
	PASS();
}

TEST a_failed_request_is_the_steps_error(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct actions list = { 0 };
	struct operator_memory m;
	struct operator_case c;
	const struct json *co;

	reset(&c, &a, &m);
	operator_pass_failed(&a, &c.view, OPERATOR_SERVER, S("forbidden"), &list);
	ASSERT_INT(1, (int)operator_case_act(&c, &list));
	co = operator_case_find(&c.objects, "ClusterOperator", "machine-config");
	ASSERT(str_find(json_format(&a, co, 0), S("Failed to resync 4.22.0 because: forbidden")) >=
	       0);
	PASS();
}

/* The requests of a step that fails may fail, too: its error is reported all the same. */
TEST the_error_of_a_step_is_reported_in_any_case(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct operator_result out;
	struct operator_memory m;
	struct operator_case c;

	reset(&c, &a, &m);
	states[OPERATOR_DAEMON] = HALF;
	ASSERT_INT(-ERR_AGAIN, operator_pass_over(steps, &a, &c.view, &m, &out, &err));
	ASSERT(out.status);
	ASSERT_STR("it is missing", out.actions.v[0].reason);
	ASSERT_INT(ACTION_GO_ON, (int)out.actions.v[0].fail);
	ASSERT_STR("MachineConfigDaemonFailed: it is half done", out.actions.v[1].reason);
	ASSERT(out.actions.v[1].step > out.actions.v[0].step);
	PASS();
}

/* A write that may fail holds up neither the steps after it nor the status. */
TEST a_request_that_may_fail_does_not_end_the_pass(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m;
	struct operator_case c;

	reset(&c, &a, &m);
	states[OPERATOR_MACHINE_CONFIG_POOLS] = MAY_ACT;
	ASSERT_STR("it is missing; RequiredPools done", pass(&c, &m));
	states[OPERATOR_SERVER] = ACTS;
	ASSERT_STR("it is missing; it is missing; MachineConfigServer", pass(&c, &m));
	states[OPERATOR_SERVER] = FAILS;
	ASSERT_STR("it is missing; MachineConfigServerFailed: it is broken; event "
		   "OperatorDegraded: MachineConfigServerFailed; MachineConfigServer status "
		   "failed: it is broken",
		   pass(&c, &m));
	PASS();
}

TEST bring_up_waits_for_the_kinds(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m;
	struct operator_case c;

	reset(&c, &a, &m);
	c.view.bring_up = true;
	m.announced = true;
	ASSERT_STR("the sync is complete; RequiredPools status done", pass(&c, &m));
	PASS();
}

static bool lacks_pools(const struct operator_view *in, enum operator_kind kind)
{
	return kind != OPERATOR_POOLS && operator_case_served(in, kind);
}

/* Without the pools every MachineConfigNode would lose its own. */
TEST no_step_runs_without_the_pools(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m;
	struct operator_case c;

	reset(&c, &a, &m);
	c.view.served = lacks_pools;
	ASSERT_STR("RenderConfig waits: ", pass(&c, &m));
	c.view.bring_up = m.announced = true;
	ASSERT_STR("RenderConfig waits: ", pass(&c, &m));
	PASS();
}

/* ---- golden cases -------------------------------------------------------- */

struct tally {
	size_t cases, bad, objects;
};

/* Passes until there is nothing to write. RequiredPools may wait on; other waits expire. */
static bool settle(struct operator_case *c, struct operator_memory *m)
{
	for (int i = 0; i < 50; i++) {
		struct err err = ERR_INIT(c->a);
		struct operator_result out;
		int rc = operator_pass(c->a, &c->view, m, &out, &err);

		if (operator_case_act(c, &out.actions))
			continue;
		if (rc < 0 || !out.wait.on || out.at == OPERATOR_REQUIRED_POOLS)
			return true;
		c->view.clock_ms += out.wait.limit_ms;
	}
	return false;
}

/* Removes what the server sets, also in the objects that a ControllerConfig embeds. */
static void strip(struct json *j)
{
	static const char *const drop[] = { "creationTimestamp", "generation", "resourceVersion",
					    "uid", "managedFields" };

	for (size_t i = 0; i < ARRAY_LEN(drop) && json_kind(j) == JSON_OBJECT; i++)
		(void)json_remove(j, str_of(drop[i]));
	for (struct json *m = json_first(j); m; m = json_next(m))
		strip(m);
}

/* Without what the server or others write. */
static struct str normal(struct arena *a, const struct json *object)
{
	struct json *j = json_clone(a, object);
	struct str kind = json_str(j, "kind");

	strip(j);
	if (!str_is(kind, "ClusterOperator") && !str_is(kind, "MachineConfiguration"))
		(void)json_remove(j, S("status"));
	if (str_is(kind, "MachineConfigPool"))
		(void)json_remove(json_at(j, "spec"), S("configuration"));
	return json_format(a, j, JSON_SORTED);
}

/* The cluster of a case stays as upstream left it, but for the objects that no case lists. */
static void rest_case(const char *name, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m = { .a = &a };
	struct operator_case c;
	struct tally *t = ctx;

	t->cases++;
	operator_case_load(&a, name, CASE_AT_REST, &c);
	c.view.bring_up = false;
	if (!settle(&c, &m)) {
		t->bad++;
		(void)printf("%s: does not come to rest\n", name);
	}
	for (size_t i = 0; i < c.expected.n; i++) {
		const struct json *want = c.expected.v[i].tree;
		struct doc *got = operator_case_doc(&c, want);
		struct str x = normal(&a, want), y = got ? normal(&a, got->tree) : S("");

		t->objects++;
		if (str_eq(x, y))
			continue;
		t->bad++;
		while (x.n && y.n && *x.p == *y.p) { /* up to where they differ */
			x = str_from(x, 1);
			y = str_from(y, 1);
		}
		(void)printf("%s: %.*s\n  expected %.*s\n  got      %.*s\n", name,
			     STRF(json_str(want, "metadata.name")), STRF(str_sub(x, 0, 200)),
			     STRF(str_sub(y, 0, 200)));
	}
}

TEST golden_cases_are_at_rest(void)
{
	struct tally t = { 0 };

	(void)operator_cases(rest_case, &t);
	(void)printf("%zu cases at rest: %zu objects stay as upstream wrote them\n", t.cases,
		     t.objects);
	ASSERT_INT(0, (int)t.bad);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(a_pass_ends_at_the_first_step_that_is_not_at_rest);
	RUN_TEST(at_rest_nothing_is_written);
	RUN_TEST(a_wait_expires_once_and_begins_anew);
	RUN_TEST(a_wait_begins_anew_after_an_earlier_step);
	RUN_TEST(a_failing_machine_configuration_does_not_end_the_wait_for_pools);
	RUN_TEST(a_failed_request_is_the_steps_error);
	RUN_TEST(the_error_of_a_step_is_reported_in_any_case);
	RUN_TEST(a_request_that_may_fail_does_not_end_the_pass);
	RUN_TEST(bring_up_waits_for_the_kinds);
	RUN_TEST(no_step_runs_without_the_pools);
	RUN_TEST(golden_cases_are_at_rest);
}

TEST_MAIN(suite)
