/*
 * The os-builder: each row changes a cluster with one layered pool (case 028) and says what follows.
 */
#include "operator_case.h"

#define MC "machineconfiguration.openshift.io/"
#define NS "openshift-machine-config-operator"
#define OBJECT(api, kind, name, rest) \
	"{\"apiVersion\":\"" api "\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"" name "\"" rest
#define SECRET(ns, name, rest) OBJECT("v1", "Secret", name, ",\"namespace\":\"" ns "\"}," rest "}")
#define PUSH(rest) SECRET(NS, "push-key", rest)
#define OS_CONFIG(rest) OBJECT(MC "v1", "MachineOSConfig", "worker", "},\"spec\":{" rest "}}")
#define DEPLOYMENT(rest) \
	OBJECT("apps/v1", "Deployment", "machine-os-builder", ",\"namespace\":\"" NS "\"" rest "}")
#define LABELLED(pool)                             \
	OBJECT(MC "v1", "MachineConfigPool", pool, \
	       ",\"labels\":{\"" MC "layering-enabled\":\"\"}}}")
#define NODE(name, role, os)                                                           \
	OBJECT("v1", "Node", name,                                                     \
	       ",\"labels\":{\"node-role.kubernetes.io/" role "\":\"\"}},\"status\":{" \
	       "\"nodeInfo\":{\"osImage\":\"" os "\"}}}")
#define SECRETS "/api/v1/namespaces/" NS "/secrets"
#define WORKLOAD "/apis/apps/v1/namespaces/" NS "/deployments/machine-os-builder"
#define DROP "-" /* a row's edit that removes "-Kind name" */
#define NO_CONFIG DROP "MachineOSConfig worker"

#define ON_BUILD "could not update Machine OS Builder deployment: "
#define ON_PUSH  \
	ON_BUILD \
	"could not validate renderedImagePushSecret \"push-key\" for MachineOSConfig worker: "
#define ON_DATA ON_PUSH "secret 'push-key/" NS "' "
#define ON_NODES "on-cluster layering is only supported on CoreOS-based nodes: "
#define RHEL(node, pool)                                                                          \
	"non-CoreOS OS \"RHEL 8\" detected on node \"" node "\" in MachineConfigPool(s) [\"" pool \
	"\"]"
#define JSON_TYPE "kubernetes.io/dockerconfigjson"

struct row {
	const char *name;
	const char *edits[2];
	const char *want; /* the requests until there are none */
	const char *error;
};

static const struct row rows[] = {
	{ "at rest", { 0 }, "", "" },

	/* ---- when it runs ---- */
	{ "no MachineOSConfig: all goes",
	  { NO_CONFIG },
	  "DELETE " SECRETS "/etc-pki-entitlement-worker\n"
	  "DELETE " SECRETS "/global-pull-secret-copy\n"
	  "DELETE " WORKLOAD "\n",
	  "" },
	{ "a Deployment that was scaled to zero stays",
	  { NO_CONFIG, DEPLOYMENT("},\"spec\":{\"replicas\":0}") },
	  "DELETE " SECRETS "/etc-pki-entitlement-worker\n"
	  "DELETE " SECRETS "/global-pull-secret-copy\n",
	  "" },
	{ "a layered pool scales it up",
	  { DEPLOYMENT("},\"spec\":{\"replicas\":0}") },
	  "MERGE " WORKLOAD "\n",
	  "" },
	{ "it is made again",
	  { DROP "Deployment machine-os-builder" },
	  "POST /apis/apps/v1/namespaces/" NS "/deployments\n",
	  "" },
	{ "a MachineOSConfig of no pool",
	  { OS_CONFIG("\"machineConfigPool\":{\"name\":\"gone\"}") },
	  "",
	  "could not get layered MachineConfigPools: machineconfigpool."
	  "machineconfiguration.openshift.io \"gone\" not found" },
	{ "labels decide when there are any",
	  { LABELLED("master") },
	  "POST " SECRETS "\n"
	  "DELETE " SECRETS "/etc-pki-entitlement-worker\n",
	  ON_BUILD "MachineOSConfig for pool master missing, did you create it?" },
	{ "a labelled pool with a MachineOSConfig", { LABELLED("worker") }, "", "" },

	/* ---- Nodes ---- */
	{ "a Node without CoreOS",
	  { NODE("r1", "worker", "RHEL 8") },
	  "",
	  ON_NODES RHEL("r1", "worker") },
	{ "two of them",
	  { NODE("r1", "worker", "RHEL 8"), NODE("r2", "worker", "RHEL 8") },
	  "",
	  ON_NODES "[" RHEL("r1", "worker") ", " RHEL("r2", "worker") "]" },
	{ "one in another pool", { NODE("r1", "master", "RHEL 8") }, "", "" },
	{ "other CoreOS",
	  { NODE("r1", "worker", "Fedora Linux 40"),
	    NODE("r2", "worker", "CentOS Stream CoreOS 9") },
	  "",
	  "" },

	/* ---- Secrets of the cluster ---- */
	{ "the pull secret changes",
	  { SECRET("openshift-config", "pull-secret",
		   "\"data\":{\".dockerconfigjson\":\"e30=\"}") },
	  "PUT " SECRETS "/global-pull-secret-copy\n",
	  "" },
	{ "no pull secret",
	  { DROP "Secret openshift-config/pull-secret" },
	  "",
	  "could not reconcile global pull secret copy: error fetching cluster pull secret: secret "
	  "\"pull-secret\" not found" },
	{ "the entitlement changes",
	  { SECRET("openshift-config-managed", "etc-pki-entitlement",
		   "\"data\":{\"entitlement.pem\":\"bmV3\"}") },
	  "PUT " SECRETS "/etc-pki-entitlement-worker\n",
	  "" },
	{ "a copy is made again",
	  { DROP "Secret " NS "/etc-pki-entitlement-worker" },
	  "POST " SECRETS "\n",
	  "" },
	{ "without an entitlement the copy stays",
	  { DROP "Secret openshift-config-managed/etc-pki-entitlement" },
	  "",
	  "" },

	/* ---- MachineOSConfigs ---- */
	{ "no push secret",
	  { DROP "Secret " NS "/push-key" },
	  "",
	  ON_PUSH "secret push-key from worker is not found. Did you use the right secret name?" },
	{ "a push secret without a name",
	  { OS_CONFIG("\"renderedImagePushSecret\":{\"name\":\"\"}") },
	  "",
	  ON_BUILD "could not validate renderedImagePushSecret \"\" for MachineOSConfig worker: no "
		   "secret name provided" },
	{ "a push secret without data", { PUSH("\"data\":null") }, "", ON_DATA "has no data" },
	{ "a push secret without a type",
	  { PUSH("\"type\":\"\"") },
	  "",
	  ON_DATA "type field not set" },
	{ "a push secret of another type",
	  { PUSH("\"type\":\"Opaque\"") },
	  "",
	  ON_DATA "invalid secret key type Opaque, expected 'kubernetes.io/dockercfg' or "
		  "'" JSON_TYPE "'" },
	{ "a push secret of another type, without its data",
	  { PUSH("\"type\":\"Opaque\",\"data\":null") },
	  "",
	  ON_DATA "invalid secret key type Opaque, expected 'kubernetes.io/dockercfg' or "
		  "'" JSON_TYPE "'" },
	{ "a push secret of the older type",
	  { PUSH("\"type\":\"kubernetes.io/dockercfg\"") },
	  "",
	  ON_DATA "type is 'kubernetes.io/dockercfg' but required key '.dockercfg' is missing" },
	{ "an empty push secret",
	  { PUSH("\"data\":{\".dockerconfigjson\":\"\"}") },
	  "",
	  ON_DATA "type is '" JSON_TYPE "' but key '.dockerconfigjson' has an empty value" },
	{ "a push secret of two types",
	  { PUSH("\"data\":{\".dockercfg\":\"e30=\"}") },
	  "",
	  ON_DATA "type is '" JSON_TYPE "' but also contains unexpected key '.dockercfg'" },
	{ "no pull secret of its own",
	  { OS_CONFIG("\"baseImagePullSecret\":{\"name\":\"base\"}") },
	  "",
	  ON_BUILD "could not validate baseImagePullSecret \"base\" for MachineOSConfig worker: "
		   "secret base from worker is not found. Did you use the right secret name?" },
	{ "a place to push to that is not complete",
	  { OS_CONFIG("\"renderedImagePushSpec\":\"mill/os:1\"") },
	  "",
	  ON_BUILD "could not validate renderdImagePushspec mill/os:1 for MachineOSConfig worker: "
		   "repository name must be canonical" },
};

static const char *const verbs[] = {
	[ACTION_CREATE] = "POST",
	[ACTION_REPLACE] = "PUT",
	[ACTION_MERGE] = "MERGE",
	[ACTION_DELETE] = "DELETE",
};

struct run {
	struct operator_case c;
	struct operator_render r;
	struct operator_memory m;
	struct operator_wait wait;
	struct err err;
	struct buf log;
};

static int step(struct run *run, size_t *requests)
{
	struct operator_result out = { 0 };
	int rc = operator_os_builder(run->c.a, &run->c.view, &run->m, &run->r, &out, &run->err);

	for (size_t i = 0; i < out.actions.n; i++)
		if (action_is_request(out.actions.v[i].kind))
			buf_addf(&run->log, "%s %.*s\n", verbs[out.actions.v[i].kind],
				 STRF(out.actions.v[i].path));
	*requests = operator_case_act(&run->c, &out.actions);
	run->wait = out.wait;
	return rc;
}

static int settle(struct run *run)
{
	size_t requests, passes = 0;
	int rc;

	do
		rc = step(run, &requests);
	while (requests && rc == 0 && ++passes < 10);
	return rc;
}

/* Case 028 with the accounts that the case does not list. */
static void begin(struct arena *a, struct run *run)
{
	struct json *images = NULL;

	*run = (struct run){ .err = ERR_INIT(a), .m = { .a = a } };
	buf_init(&run->log, a);
	operator_case_load(a, "028-machineosconfig", CASE_AT_REST, &run->c);
	(void)json_parse(a, run->c.view.images, NULL, &images, &run->err);
	run->r = (struct operator_render){ .images = images, .verbosity = 8 };
	(void)settle(run);
	buf_init(&run->log, a);
}

static void edit(struct run *run, const char *text)
{
	struct str kind, name;

	if (!str_cut(str_of(text), ' ', &kind, &name) || kind.p[0] != DROP[0])
		operator_case_edit(&run->c, text);
	else
		operator_case_drop(&run->c, operator_case_find(&run->c.objects,
							       str_z(run->c.a, str_from(kind, 1)),
							       str_z(run->c.a, name)));
}

TEST each_change(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct run run;
		int rc;

		begin(&a, &run);
		for (size_t k = 0; k < 2 && rows[i].edits[k]; k++)
			edit(&run, rows[i].edits[k]);
		rc = settle(&run);
		ASSERT_STR_M(rows[i].name, str_of(rows[i].want), buf_str(&run.log));
		ASSERT_STR_M(rows[i].name, str_of(rows[i].error), run.err.msg);
		ASSERT_INT_M(rows[i].name, rows[i].error[0] != 0, rc < 0);
	}
	PASS();
}

static bool lacks_configs(const struct operator_view *in, enum operator_kind kind)
{
	return kind != OPERATOR_OS_CONFIGS && operator_case_served(in, kind);
}

/* A kind that the server does not have (yet) is not an empty list. */
TEST nothing_is_deleted_while_machine_os_configs_are_unknown(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct run run;

	begin(&a, &run);
	operator_case_drop_kind(&run.c, "MachineOSConfig");
	run.c.view.served = lacks_configs;
	ASSERT_INT(0, settle(&run));
	ASSERT_STR("", buf_str(&run.log));
	ASSERT(operator_case_find(&run.c.objects, "Deployment", "machine-os-builder"));
	run.c.view.served = operator_case_served;
	ASSERT_INT(0, settle(&run));
	ASSERT_FALSE(operator_case_find(&run.c.objects, "Deployment", "machine-os-builder"));
	PASS();
}

TEST it_waits_for_the_rollout(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct run run;

	begin(&a, &run);
	edit(&run, DEPLOYMENT("},\"status\":{\"replicas\":1,\"updatedReplicas\":0}"));
	ASSERT_INT(0, settle(&run));
	ASSERT(run.wait.on);
	ASSERT_STR("could not wait for Machine OS Builder deployment rollout: error during "
		   "waitForDeploymentRollout",
		   run.wait.what);
	ASSERT_INT(600000, run.wait.limit_ms);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(each_change);
	RUN_TEST(nothing_is_deleted_while_machine_os_configs_are_unknown);
	RUN_TEST(it_waits_for_the_rollout);
}

TEST_MAIN(suite)
