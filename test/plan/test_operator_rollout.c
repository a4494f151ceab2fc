/*
 * The steps MachineConfigDaemon, MachineConfigController and MachineConfigServer: what they write,
 * what they wait for, and that a sync at rest writes nothing.
 */
#include "actions_print.h"
#include "mc/tls_profile.h"
#include "operator_case.h"

struct step_run {
	struct operator_case c;
	struct operator_render r;
	struct operator_memory m;
	struct operator_result out;
	struct err err;
	int rc;
};

typedef int step_fn(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		    const struct operator_render *r, struct operator_result *out, struct err *err);

static void load(struct arena *a, const char *name, unsigned files, struct step_run *s)
{
	const struct json *config;
	struct json *images = NULL;

	*s = (struct step_run){ .m.a = a, .err = ERR_INIT(a) };
	operator_case_load(a, name, files, &s->c);
	config =
		operator_case_find(&s->c.expected, "ControllerConfig", "machine-config-controller");
	if (json_parse(a, s->c.view.images, NULL, &images, &s->err) < 0)
		abort();
	s->r = (struct operator_render){
		.images = images,
		.infra = operator_case_find(&s->c.objects, "Infrastructure", "cluster"),
		.spec = config ? json_clone(a, json_at(config, "spec")) : json_new(a, JSON_OBJECT),
		.tls = mc_tls_profile(a, NULL),
		.verbosity = 2,
	};
	s->r.api_url = json_str(s->r.infra, "status.apiServerInternalURI");
}

static void run(struct step_run *s, step_fn *fn)
{
	s->out = (struct operator_result){ 0 };
	s->rc = fn(s->c.a, &s->c.view, &s->m, &s->r, &s->out, &s->err);
}

/* Runs the actions of a step as the server would. Workloads and ControllerConfigs get a new
 * generation. Returns the number of writes. */
static size_t act(struct step_run *s)
{
	size_t n = operator_case_act(&s->c, &s->out.actions);

	for (size_t i = 0; i < s->c.objects.n; i++) {
		struct json *j = s->c.objects.v[i].tree;

		for (size_t k = 0; k < s->out.actions.n; k++) {
			const struct json *body = s->out.actions.v[k].object;

			if (json_at(j, "spec") && body &&
			    str_eq(json_str(body, "kind"), json_str(j, "kind")) &&
			    str_eq(json_str(body, "metadata.name"), json_str(j, "metadata.name")))
				json_set(json_at(j, "metadata"), S("generation"),
					 json_new_i64(s->c.a,
						      json_i64(j, "metadata.generation", 0) + 1));
		}
	}
	return n;
}

static void set_status(struct step_run *s, const char *kind, const char *name, const char *status)
{
	struct json *j = operator_case_find(&s->c.objects, kind, name), *tree = NULL;

	if (!j || json_parse(s->c.a, str_of(status), NULL, &tree, &s->err) < 0)
		abort();
	json_set(j, S("status"), tree);
}

static struct str writes(struct step_run *s)
{
	struct buf b;

	buf_init(&b, s->c.a);
	for (size_t i = 0; i < s->out.actions.n; i++)
		if (action_is_request(s->out.actions.v[i].kind))
			buf_addf(&b, "%s %.*s %.*s\n",
				 s->out.actions.v[i].kind == ACTION_CREATE ? "POST" : "PUT",
				 STRF(s->out.actions.v[i].path),
				 STRF(json_str(s->out.actions.v[i].object, "metadata.name")));
	return buf_str(&b);
}

/* ---- a fresh cluster ----------------------------------------------------- */

TEST a_daemon_is_made_and_waited_for(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	load(&a, "001-none-fresh", CASE_INPUT, &s);
	run(&s, operator_daemon);
	ASSERT_INT(0, s.rc);
	ASSERT_FALSE(s.out.wait.on);
	ASSERT_INT(14, (int)act(&s));
	/* 14 writes, 13 Events: none of the DaemonSet */
	ASSERT_INT(27, (int)s.out.actions.n);
	ASSERT_STR("failed to apply machine config daemon manifests", s.out.actions.v[0].wrap);
	ASSERT_STR("", s.out.actions.v[26].wrap);

	run(&s, operator_daemon);
	ASSERT_INT(0, (int)s.out.actions.n);
	ASSERT(s.out.wait.on);
	ASSERT_INT(600000, (int)s.out.wait.limit_ms);
	ASSERT_STR("error during waitForDaemonsetRollout", s.out.wait.what);
	ASSERT_STR("daemonset machine-config-daemon is not ready. status: (desired: 0, updated: 0, "
		   "ready: 0, unavailable: 0)",
		   s.out.wait.why);

	set_status(&s, "DaemonSet", "machine-config-daemon",
		   "{\"observedGeneration\":1,\"desiredNumberScheduled\":3,"
		   "\"updatedNumberScheduled\":3,\"numberReady\":2,\"numberUnavailable\":1}");
	run(&s, operator_daemon);
	ASSERT(s.out.wait.on);
	ASSERT_STR("daemonset machine-config-daemon is not ready. status: (desired: 3, updated: 3, "
		   "ready: 2, unavailable: 1)",
		   s.out.wait.why);

	set_status(&s, "DaemonSet", "machine-config-daemon",
		   "{\"observedGeneration\":1,\"desiredNumberScheduled\":3,"
		   "\"updatedNumberScheduled\":3,\"numberReady\":3}");
	run(&s, operator_daemon);
	ASSERT_FALSE(s.out.wait.on);
	ASSERT_INT(0, (int)s.out.actions.n);
	PASS();
}

static void complete(struct step_run *s)
{
	set_status(s, "Deployment", "machine-config-controller",
		   "{\"observedGeneration\":9,\"replicas\":1,\"updatedReplicas\":1}");
}

/* As RenderConfig does at the start of a pass. */
static void run_controller(struct step_run *s)
{
	s->r.ca_rotated = s->m.ca_rotated;
	run(s, operator_controller);
}

/* Nodes reboot while RequiredPools waits, for longer than a rollout may take. */
TEST a_pod_that_is_away_counts_only_outside_of_the_wait_for_pools(void)
{
	static const char away[] = "{\"observedGeneration\":9,\"desiredNumberScheduled\":2,"
				   "\"updatedNumberScheduled\":2,\"numberUnavailable\":1}";
	static const char rolls[] = "{\"observedGeneration\":9,\"desiredNumberScheduled\":2,"
				    "\"updatedNumberScheduled\":1,\"numberUnavailable\":1}";
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	load(&a, "001-none-fresh", CASE_INPUT, &s);
	run(&s, operator_daemon);
	(void)act(&s);
	set_status(&s, "DaemonSet", "machine-config-daemon", away);
	run(&s, operator_daemon);
	ASSERT(s.out.wait.on);
	s.m.waits_since[OPERATOR_REQUIRED_POOLS] = 1;
	run(&s, operator_daemon);
	ASSERT_INT(0, (int)s.out.actions.n);
	ASSERT_FALSE(s.out.wait.on);
	set_status(&s, "DaemonSet", "machine-config-daemon", rolls);
	run(&s, operator_daemon);
	ASSERT(s.out.wait.on);
	PASS();
}

TEST the_controller_comes_before_its_config(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	load(&a, "001-none-fresh", CASE_INPUT, &s);
	run_controller(&s);
	ASSERT_INT(24, (int)act(&s));
	run_controller(&s);
	ASSERT_STR("error during waitForDeploymentRollout", s.out.wait.what);
	ASSERT_INT(1, (int)s.m.waits_for[OPERATOR_CONTROLLER]);
	s.m.waits_since[OPERATOR_CONTROLLER] = 5000;
	set_status(&s, "Deployment", "machine-config-controller",
		   "{\"observedGeneration\":1,\"replicas\":1,\"updatedReplicas\":1,"
		   "\"readyReplicas\":1}");

	run_controller(&s);
	ASSERT_INT(1, (int)s.out.actions.n);
	ASSERT_STR("/api/v1/namespaces/openshift-machine-config-operator/configmaps",
		   s.out.actions.v[0].path);
	ASSERT_INT(1, (int)act(&s));
	run_controller(&s);
	ASSERT_FALSE(s.out.wait.on);
	ASSERT_STR("POST /apis/machineconfiguration.openshift.io/v1/controllerconfigs "
		   "machine-config-controller\n",
		   writes(&s));
	ASSERT_STR("{\"machineconfiguration.openshift.io/generated-by-version\":\"v4.22.0\","
		   "\"machineconfiguration.openshift.io/release-image-version\":\"4.22.0\","
		   "\"machineconfiguration.openshift.io/service-ca-rotate\":\"true\"}",
		   json_format(&a, json_at(s.out.actions.v[0].object, "metadata.annotations"), 0));
	ASSERT_INT(1, (int)act(&s));

	/* another wait: its time starts again */
	run_controller(&s);
	ASSERT_INT(300000, (int)s.out.wait.limit_ms);
	ASSERT_STR("controllerconfig is not completed: status for ControllerConfig "
		   "machine-config-controller is being reported for 0, expecting it for 1",
		   s.out.wait.why);
	ASSERT_INT(0, (int)s.m.waits_since[OPERATOR_CONTROLLER]);
	set_status(&s, "ControllerConfig", "machine-config-controller",
		   "{\"observedGeneration\":1,\"conditions\":[{\"type\":"
		   "\"TemplateControllerRunning\",\"status\":\"True\"}]}");
	run_controller(&s);
	ASSERT_STR("controllerconfig is not completed: ControllerConfig has not completed: "
		   "completed(false) running(true) failing(false)",
		   s.out.wait.why);
	PASS();
}

static void complete_config(struct step_run *s)
{
	set_status(s, "ControllerConfig", "machine-config-controller",
		   "{\"observedGeneration\":1,\"conditions\":[{\"type\":"
		   "\"TemplateControllerCompleted\",\"status\":\"True\"}]}");
}

/* The mark stays until the controller has completed the ControllerConfig. */
TEST a_rotated_ca_is_marked_once(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *config;
	struct step_run s;

	load(&a, "001-none-fresh", CASE_INPUT, &s);
	run_controller(&s);
	(void)act(&s);
	complete(&s);
	for (int i = 0; i < 2; i++) {
		run_controller(&s);
		ASSERT_INT(1, (int)act(&s));
	}
	run_controller(&s);
	ASSERT(s.out.wait.on);
	ASSERT(s.m.ca_rotated);
	complete_config(&s);
	run_controller(&s);
	ASSERT_INT(0, (int)s.out.actions.n);
	ASSERT_FALSE(s.out.wait.on);
	ASSERT_INT(1000, (int)s.out.again_ms);
	ASSERT_FALSE(s.m.ca_rotated);

	run_controller(&s);
	ASSERT_STR("PUT /apis/machineconfiguration.openshift.io/v1/controllerconfigs/"
		   "machine-config-controller machine-config-controller\n",
		   writes(&s));
	(void)act(&s);
	config = operator_case_find(&s.c.objects, "ControllerConfig", "machine-config-controller");
	ASSERT_STR("false", json_text(json_member(
				    json_at(config, "metadata.annotations"),
				    S("machineconfiguration.openshift.io/service-ca-rotate"))));
	json_set(json_at(config, "metadata"), S("generation"), json_new_i64(&a, 1));
	run_controller(&s);
	ASSERT_INT(0, (int)s.out.actions.n);
	ASSERT_INT(0, (int)s.out.again_ms);
	PASS();
}

/* Upstream logs it and goes on. */
TEST a_missing_ca_does_not_stop_the_config(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	load(&a, "001-none-fresh", CASE_INPUT, &s);
	operator_case_drop(
		&s.c, operator_case_find(&s.c.objects, "ConfigMap", "kube-apiserver-server-ca"));
	run_controller(&s);
	(void)act(&s);
	complete(&s);
	run_controller(&s);
	ASSERT_INT(0, s.rc);
	ASSERT_INT(2, (int)s.out.actions.n);
	ASSERT_STR("Could not get in-cluster server-ca data configmap "
		   "\"kube-apiserver-server-ca\" not found",
		   s.out.actions.v[0].reason);
	ASSERT_STR("POST /apis/machineconfiguration.openshift.io/v1/controllerconfigs "
		   "machine-config-controller\n",
		   writes(&s));
	PASS();
}

TEST a_server_is_made(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	load(&a, "001-none-fresh", CASE_INPUT, &s);
	run(&s, operator_server);
	ASSERT_INT(8, (int)act(&s));
	run(&s, operator_server);
	ASSERT_STR("error during waitForDaemonsetRollout", s.out.wait.what);
	PASS();
}

/* ---- changes ------------------------------------------------------------- */

static void make_daemon(struct arena *a, struct step_run *s)
{
	load(a, "001-none-fresh", CASE_INPUT, s);
	run(s, operator_daemon);
	(void)act(s);
	set_status(s, "DaemonSet", "machine-config-daemon",
		   "{\"observedGeneration\":1,\"desiredNumberScheduled\":2,"
		   "\"updatedNumberScheduled\":2,\"numberReady\":2}");
}

TEST a_new_release_rolls_out(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	make_daemon(&a, &s);
	s.c.view.release = S("4.22.1");
	run(&s, operator_daemon);
	ASSERT_STR("PUT /apis/apps/v1/namespaces/openshift-machine-config-operator/daemonsets/"
		   "machine-config-daemon machine-config-daemon\n",
		   writes(&s));
	ASSERT_INT(1, (int)act(&s));
	run(&s, operator_daemon);
	ASSERT(s.out.wait.on);
	ASSERT_INT(2, (int)s.m.waits_for[OPERATOR_DAEMON]);
	/* the time of the wait is kept while it is the same rollout */
	s.m.waits_since[OPERATOR_DAEMON] = 7000;
	run(&s, operator_daemon);
	ASSERT_INT(7000, (int)s.m.waits_since[OPERATOR_DAEMON]);
	s.c.view.release = S("4.22.2");
	run(&s, operator_daemon);
	(void)act(&s);
	run(&s, operator_daemon);
	ASSERT_INT(0, (int)s.m.waits_since[OPERATOR_DAEMON]);
	PASS();
}

/* Upstream's case 053: arguments are restored, what others added stays. */
TEST tampering_is_undone(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *ds, *pod, *extra = json_new(&a, JSON_OBJECT);
	const struct json *put;
	struct step_run s;

	make_daemon(&a, &s);
	ds = operator_case_find(&s.c.objects, "DaemonSet", "machine-config-daemon");
	pod = json_at(ds, "spec.template.spec");
	json_add_str(&a, extra, "key", S("theirs"));
	json_push(json_at(pod, "tolerations"), extra);
	json_set(json_make(&a, ds, "metadata.labels"), S("theirs"), json_new_str(&a, S("x")));
	run(&s, operator_daemon);
	ASSERT_INT(0, (int)s.out.actions.n);

	json_push(json_at(json_first(json_at(pod, "containers")), "args"),
		  json_new_str(&a, S("--bad")));
	operator_case_drop(
		&s.c, operator_case_find(&s.c.objects, "ServiceAccount", "machine-config-daemon"));
	run(&s, operator_daemon);
	ASSERT_STR("POST /api/v1/namespaces/openshift-machine-config-operator/serviceaccounts "
		   "machine-config-daemon\n"
		   "PUT /apis/apps/v1/namespaces/openshift-machine-config-operator/daemonsets/"
		   "machine-config-daemon machine-config-daemon\n",
		   writes(&s));
	put = s.out.actions.v[s.out.actions.n - 1].object;
	ASSERT_INT(2, (int)json_len(json_at(put, "spec.template.spec.tolerations")));
	ASSERT_STR("x", json_str(put, "metadata.labels.theirs"));
	ASSERT_INT(5, (int)json_len(json_at(
			      json_first(json_at(put, "spec.template.spec.containers")), "args")));
	PASS();
}

TEST a_workload_that_is_being_deleted_is_an_error(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	make_daemon(&a, &s);
	json_set(json_at(operator_case_find(&s.c.objects, "DaemonSet", "machine-config-daemon"),
			 "metadata"),
		 S("deletionTimestamp"), json_new_str(&a, S("2026-11-18T11:00:00Z")));
	run(&s, operator_daemon);
	ASSERT_INT(-ERR_AGAIN, s.rc);
	ASSERT_STR("deployment machine-config-daemon is being deleted", s.err.msg);
	PASS();
}

/* ---- after a failed daemon ----------------------------------------------- */

TEST the_safety_sync_writes_only_a_config_of_this_version(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct step_run s;

	load(&a, "001-none-fresh", CASE_INPUT, &s);
	operator_safety_config(&a, &s.c.view, &s.m, &s.r, &s.out);
	ASSERT_INT(0, (int)s.out.actions.n); /* there is none */

	load(&a, "001-none-fresh", CASE_AT_REST, &s);
	operator_safety_config(&a, &s.c.view, &s.m, &s.r, &s.out);
	ASSERT_STR("", writes(&s)); /* nothing differs */

	json_set(s.r.spec, S("clusterDNSIP"), json_new_str(&a, S("10.9.9.9")));
	operator_safety_config(&a, &s.c.view, &s.m, &s.r, &s.out);
	ASSERT_STR("PUT /apis/machineconfiguration.openshift.io/v1/controllerconfigs/"
		   "machine-config-controller machine-config-controller\n",
		   writes(&s));

	s.out = (struct operator_result){ 0 };
	s.c.view.raw = S("v4.22.1");
	operator_safety_config(&a, &s.c.view, &s.m, &s.r, &s.out);
	ASSERT_INT(0, (int)s.out.actions.n);
	PASS();
}

/* ---- upstream's cases ---------------------------------------------------- */

/* The wait of the case, as the error of its ClusterOperator says it. */
static const struct {
	const char *name, *kind, *object;
	step_fn *step;
} stuck[] = {
	{ "040-daemonset-not-rolled-out", "DaemonSet", "machine-config-daemon", operator_daemon },
	{ "041-controllerconfig-not-completed", "ControllerConfig", "machine-config-controller",
	  operator_controller },
	{ "045-deployment-not-rolled-out", "Deployment", "machine-config-controller",
	  operator_controller },
};

static struct str degraded(const struct operator_case *c)
{
	const struct json *co =
		operator_case_find(&c->expected, "ClusterOperator", "machine-config");

	for (const struct json *j = json_first(json_at(co, "status.conditions")); j;
	     j = json_next(j))
		if (str_is(json_str(j, "type"), "Degraded"))
			return json_str(j, "message");
	return S("");
}

TEST waits_are_upstreams(void)
{
	for (size_t i = 0; i < ARRAY_LEN(stuck); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_case context;
		const struct json *status;
		struct step_run s;

		load(&a, stuck[i].name, CASE_INPUT, &s);
		operator_case_load(&a, stuck[i].name, CASE_CONTEXT, &context);
		run(&s, stuck[i].step);
		(void)act(&s);
		if (str_is(str_of(stuck[i].kind), "ControllerConfig")) {
			complete(&s);
			for (int k = 0; k < 2; k++) {
				run_controller(&s);
				(void)act(&s);
			}
		}
		status = json_at(
			operator_case_find(&context.objects, stuck[i].kind, stuck[i].object),
			"status");
		if (status)
			set_status(&s, stuck[i].kind, stuck[i].object,
				   str_z(&a, json_format(&a, status, 0)));
		s.r.ca_rotated = s.m.ca_rotated;
		run(&s, stuck[i].step);
		ASSERT(s.out.wait.on);
		ASSERT_STR(str_z(&a, degraded(&s.c)),
			   str_fmt(&a,
				   "Failed to resync 4.22.0 because: %.*s: [context deadline "
				   "exceeded, %.*s]",
				   STRF(s.out.wait.what), STRF(s.out.wait.why)));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(a_daemon_is_made_and_waited_for);
	RUN_TEST(a_pod_that_is_away_counts_only_outside_of_the_wait_for_pools);
	RUN_TEST(the_controller_comes_before_its_config);
	RUN_TEST(a_rotated_ca_is_marked_once);
	RUN_TEST(a_missing_ca_does_not_stop_the_config);
	RUN_TEST(a_server_is_made);
	RUN_TEST(a_new_release_rolls_out);
	RUN_TEST(tampering_is_undone);
	RUN_TEST(a_workload_that_is_being_deleted_is_an_error);
	RUN_TEST(the_safety_sync_writes_only_a_config_of_this_version);
	RUN_TEST(waits_are_upstreams);
}

TEST_MAIN(suite)
