/*
 * RequiredPools and Upgradeable: every text, by changes of a healthy cluster.
 */
#include "operator_case.h"
#include "plan/operator/op_status.h"

#define RENDERED "rendered-master-f4f20495e280326921378e42ee6b25f6"
#define OS                                            \
	"registry.example.test/mill/coreos@sha256:"   \
	"5a06dab06c3016c2967c28fcd28e5238e4b89e4a1ef" \
	"4a0745a06dab06c3016c2"
#define AT "all 1 nodes are at latest configuration " RENDERED
#define PROGRESSED "MachineConfigPool master has not progressed to latest configuration: "
#define PATCH(kind, api, name, rest) \
	"{\"apiVersion\":\"" api "\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"" name rest
#define POOL(name, rest) PATCH("MachineConfigPool", API_MC, name, "\"}," rest "}")
#define MASTER(rest) POOL("master", rest)
#define RENDERED_MC(rest) PATCH("MachineConfig", API_MC, RENDERED, "\"" rest "}")
#define CONDITION(type, status) "{\"type\":\"" type "\",\"status\":\"" status "\"}"
#define CONDITIONS(list) "\"status\":{\"conditions\":[" list "]}"
#define API_MC "machineconfiguration.openshift.io/v1"
#define BY "machineconfiguration.openshift.io/generated-by-controller-version"
#define OVERRIDDEN "machineconfiguration.openshift.io/os-image-url-overridden"

static void load(struct arena *a, const char *const *patches, size_t n, struct operator_case *c)
{
	operator_case_load(a, "001-none-fresh", CASE_AT_REST, c);
	for (size_t i = 0; i < n && patches[i]; i++)
		operator_case_edit(c, patches[i]);
}

/* ---- RequiredPools ------------------------------------------------------- */

struct required_case {
	const char *name;
	const char *patches[2];
	const char *wait, *error; /* "": none */
	int64_t minutes; /* the limit, when it is not 10 */
	const char *os; /* ours, when it is not the cluster's */
};

static const struct required_case required_cases[] = {
	{ "a healthy cluster does not wait", { 0 }, "", "", 0, NULL },
	{ "a required pool that is degraded",
	  { MASTER("\"status\":{\"degradedMachineCount\":1,\"readyMachineCount\":0,\"conditions\":["
		   "{\"type\":\"Degraded\",\"status\":\"True\",\"message\":\"disk\"}]}") },
	  "error MachineConfigPool master is not ready, retrying. Status: (pool degraded: true "
	  "total: 1, ready 0, updated: 1, unavailable: 0, reason: disk)",
	  "",
	  0,
	  NULL },
	{ "a pool that is degraded but not required waits too",
	  { POOL("worker", CONDITIONS(CONDITION("Degraded", "True"))) },
	  "error MachineConfigPool worker is not ready, retrying. Status: (pool degraded: true "
	  "total: 1, ready 1, updated: 1, unavailable: 0, reason: )",
	  "",
	  0,
	  NULL },
	{ "a pool that is updating but not required does not wait",
	  { POOL("worker", CONDITIONS(CONDITION("Updating", "True"))) },
	  "",
	  "",
	  0,
	  NULL },
	{ "no target config",
	  { MASTER("\"spec\":{\"configuration\":{\"name\":\"\"}}") },
	  PROGRESSED "configuration spec for pool master is empty: " AT ", retrying",
	  "",
	  0,
	  NULL },
	{ "no sources",
	  { MASTER("\"status\":{\"configuration\":{\"source\":[]}}") },
	  PROGRESSED "list of MachineConfigs that were used to generate configuration for pool "
		     "master is empty: " AT ", retrying",
	  "",
	  0,
	  NULL },
	{ "a source that does not exist",
	  { MASTER("\"status\":{\"configuration\":{\"source\":[{\"name\":\"50-gone\"}]}}") },
	  PROGRESSED "machineconfig.machineconfiguration.openshift.io \"50-gone\" not found, "
		     "retrying",
	  "",
	  0,
	  NULL },
	{ "a rendered config of no controller",
	  { RENDERED_MC(",\"annotations\":{\"" BY "\":null}}") },
	  PROGRESSED RENDERED " must be created by controller version " OPERATOR_CASE_HASH ": " AT
			      ", retrying",
	  "",
	  0,
	  NULL },
	{ "a source of another controller",
	  { PATCH("MachineConfig", API_MC, "00-master",
		  "\",\"annotations\":{\"" BY "\":\"old\"}}}") },
	  PROGRESSED "controller version mismatch for 00-master expected " OPERATOR_CASE_HASH
		     " has old: " AT ", retrying",
	  "",
	  0,
	  NULL },
	{ "a source of nobody",
	  { PATCH("MachineConfig", API_MC, "00-master", "\",\"annotations\":{\"" BY "\":null}}}") },
	  "",
	  "",
	  0,
	  NULL },
	{ "another OS image",
	  { 0 },
	  PROGRESSED "osImageURL mismatch for master in " RENDERED " expected: new got: " OS
		     ", retrying",
	  "",
	  0,
	  "new" },
	{ "another OS image that the admin chose",
	  { RENDERED_MC(",\"annotations\":{\"" OVERRIDDEN "\":\"true\"}}") },
	  "",
	  "",
	  0,
	  "new" },
	{ "not updated yet",
	  { MASTER("\"status\":{\"readyMachineCount\":0,\"updatedMachineCount\":0,"
		   "\"unavailableMachineCount\":1,\"conditions\":[" CONDITION("Updating",
									      "True") "]}") },
	  "error required MachineConfigPool master is not ready, retrying. Status: (total: 1, "
	  "ready 0, updated: 0, unavailable: 1, degraded: 0)",
	  "",
	  0,
	  NULL },
	{ "a change that the controller has not seen",
	  { PATCH("MachineConfigPool", API_MC, "master", "\",\"generation\":99}}") },
	  "error required MachineConfigPool master is not ready, retrying. Status: (total: 1, "
	  "ready 1, updated: 1, unavailable: 0, degraded: 0)",
	  "",
	  0,
	  NULL },
	{ "paused with something pending",
	  { MASTER("\"spec\":{\"paused\":true}"), MASTER(CONDITIONS("")) },
	  "",
	  "error required MachineConfigPool master is paused and cannot sync until it is unpaused",
	  0,
	  NULL },
	{ "paused with an update that is complete",
	  { MASTER("\"spec\":{\"paused\":true}"),
	    PATCH("MachineConfigPool", API_MC, "master", "\",\"generation\":99}}") },
	  "",
	  "the required MachineConfigPool master was paused with no pending updates; no further "
	  "syncing will occur until it is unpaused",
	  0,
	  NULL },
	{ "paused with nothing pending is healthy",
	  { MASTER("\"spec\":{\"paused\":true}") },
	  "",
	  "",
	  0,
	  NULL },
	{ "no machine is counted",
	  { MASTER("\"status\":{\"machineCount\":0}") },
	  "",
	  "error during syncRequiredMachineConfigPools: context deadline exceeded",
	  0,
	  NULL },
	{ "ten minutes for each machine of required pools",
	  { MASTER("\"status\":{\"machineCount\":3}"),
	    POOL("worker", "\"status\":{\"machineCount\":50}") },
	  "",
	  "",
	  30,
	  NULL },
	{ "a count that cannot be true is limited",
	  { MASTER("\"status\":{\"machineCount\":9223372036854775807}") },
	  "",
	  "",
	  10 * 100000,
	  NULL },
	{ "a negative count is no machine",
	  { MASTER("\"status\":{\"machineCount\":-1}") },
	  "",
	  "error during syncRequiredMachineConfigPools: context deadline exceeded",
	  0,
	  NULL },
};

TEST required_pools(void)
{
	for (size_t i = 0; i < ARRAY_LEN(required_cases); i++) {
		const struct required_case *t = &required_cases[i];
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_render r = { .os_image = str_of(t->os ? t->os : OS) };
		struct operator_result out = { 0 };
		struct err err = ERR_INIT(&a);
		struct operator_case c;
		int rc;

		load(&a, t->patches, ARRAY_LEN(t->patches), &c);
		rc = operator_required_pools(&a, &c.view, &r, &out, &err);
		ASSERT_STR_M(t->name, str_of(t->error), err.msg);
		ASSERT_STR_M(t->name, str_of(t->wait), out.wait.why);
		ASSERT_INT_M(t->name, t->wait[0] != 0, out.wait.on);
		ASSERT_INT_M(t->name, t->error[0] ? -ERR_AGAIN : 0, rc);
		if (rc == 0)
			ASSERT_INT_M(t->name, (t->minutes ? t->minutes : 10) * 60000,
				     out.wait.limit_ms);
	}
	PASS();
}

/* Its nodes join a pool only when an administrator labels them. */
TEST a_standalone_cluster_may_have_no_machine(void)
{
	static const char *const patches[] = { MASTER("\"status\":{\"machineCount\":0}") };
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_render r = { .os_image = str_of(OS) };
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	load(&a, patches, 1, &c);
	c.view.standalone = true;
	ASSERT_INT(0, operator_required_pools(&a, &c.view, &r, &out, &err));
	ASSERT(!out.wait.on);
	PASS();
}

#define STREAMS                                                                               \
	PATCH("OSImageStream", "machineconfiguration.openshift.io/v1alpha1", "cluster",       \
	      "\"},\"status\":{\"availableStreams\":[{\"name\":\"rhel-10\",\"osImage\":\"" OS \
	      "\"}]}}")

#define POOL_LIKE_MASTER(name)                                                                      \
	PATCH("MachineConfigPool", API_MC, name,                                                    \
	      "\",\"labels\":{\"operator.machineconfiguration.openshift.io/required-for-upgrade\":" \
	      "\"\"}},\"spec\":{\"configuration\":{\"name\":\"" RENDERED "\"}},\"status\":{"        \
	      "\"machineCount\":1,\"configuration\":{\"name\":\"" RENDERED                          \
	      "\",\"source\":[{\"name\":"                                                           \
	      "\"00-master\"}]},\"conditions\":[" CONDITION("Updated", "True") "]}}")

/* The pool's stream decides, if the gate is on. */
TEST a_pools_stream_decides_its_os_image(void)
{
	static const char *const patches[] = {
		STREAMS, MASTER("\"spec\":{\"osImageStream\":{\"name\":\"rhel-10\"}}")
	};
	static const char *const unknown[] = {
		STREAMS, MASTER("\"spec\":{\"osImageStream\":{\"name\":\"rhel-11\"}}")
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_render r = { .os_image = S("new") };
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	load(&a, patches, ARRAY_LEN(patches), &c);
	ASSERT_INT(0, operator_required_pools(&a, &c.view, &r, &out, &err));
	ASSERT(out.wait.on);
	VEC_PUSH(&a, &c.view.gates.enabled, S("OSStreams"));
	ASSERT_INT(0, operator_required_pools(&a, &c.view, &r, &out, &err));
	ASSERT(!out.wait.on);
	/* worker's stream counts for mill, not for master */
	load(&a, patches, 1, &c);
	operator_case_edit(&c,
			   POOL("worker", "\"spec\":{\"osImageStream\":{\"name\":\"rhel-10\"}}"));
	operator_case_edit(&c, POOL_LIKE_MASTER("mill"));
	VEC_PUSH(&a, &c.view.gates.enabled, S("OSStreams"));
	ASSERT_INT(0, operator_required_pools(&a, &c.view, &r, &out, &err));
	ASSERT(str_find(out.wait.why, S("MachineConfigPool master has")) == 0);
	operator_case_edit(&c, MASTER("\"spec\":{\"osImageStream\":{\"name\":\"rhel-10\"}}"));
	ASSERT_INT(0, operator_required_pools(&a, &c.view, &r, &out, &err));
	ASSERT_STR("", out.wait.why);
	ASSERT(!out.wait.on);
	load(&a, unknown, ARRAY_LEN(unknown), &c);
	VEC_PUSH(&a, &c.view.gates.enabled, S("OSStreams"));
	ASSERT_INT(0, operator_required_pools(&a, &c.view, &r, &out, &err));
	ASSERT(out.wait.on);
	ASSERT_STR("", out.wait.why);
	PASS();
}

TEST texts_of_pools(void)
{
	static const struct {
		const char *conditions, *want;
	} rows[] = {
		{ "", "<unknown>" },
		{ "{\"type\":\"RenderDegraded\",\"status\":\"True\",\"reason\":\"a\\\"b\","
		  "\"message\":\"c\\nd\"}",
		  "pool is degraded because rendering fails with \"a\\\"b\": \"c\\nd\"" },
		{ CONDITION("Updated", "True") "," CONDITION("NodeDegraded", "True"),
		  "pool is degraded because nodes fail with \"\": \"\"" },
		{ CONDITION("Updated", "True"), AT },
		{ CONDITION("Updated", "False") "," CONDITION("Updating", "True"),
		  "1 (ready 1) out of 1 nodes are updating to latest configuration " RENDERED },
		{ CONDITION("PinnedImageSetsDegraded", "True"),
		  "pool is degraded because pinned image sets failed with \"\": \"\"" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct str patch = str_fmt(&a, MASTER(CONDITIONS("%s")), rows[i].conditions);
		struct operator_case c;

		load(&a, &patch.p, 1, &c);
		ASSERT_STR_M(
			rows[i].want, str_of(rows[i].want),
			operator_pool_text(
				&a, operator_case_find(&c.objects, "MachineConfigPool", "master")));
	}
	PASS();
}

/* ---- Upgradeable --------------------------------------------------------- */

#define CONFIGURATION(rest) \
	PATCH("MachineConfiguration", "operator.openshift.io/v1", "cluster", "\"}," rest "}")
#define SKEW(mode, rest)                                                                           \
	CONFIGURATION("\"status\":{\"bootImageSkewEnforcementStatus\":{\"mode\":\"" mode "\"" rest \
		      "}%s}")
#define MANUAL(version) SKEW("Manual", ",\"manual\":{\"ocpVersion\":null," version "}")
#define AUTOMATIC SKEW("Automatic", ",\"automatic\":{\"ocpVersion\":\"4.12.9\"}")
#define DOCS                                                                               \
	". To enable upgrades, please update your boot images or disable boot image skew " \
	"enforcement by following the documentation at https://docs.redhat.com/en/"        \
	"documentation/openshift_container_platform/4.22/html/machine_configuration/"      \
	"mco-update-boot-skew-mgmt"
#define OLD "Upgrades have been disabled because the cluster is using "
#define OLD_OCP                                                                           \
	OLD "OCP boot image version 4.12.9, which is below the minimum required version " \
	    "4.13.0" DOCS
#define OLD_RHCOS(version, rhel)                                       \
	OLD "RHCOS boot image version " version "(RHEL version: " rhel \
	    "), which is below the minimum required RHEL version 9.2" DOCS
#define PROGRESS(status) ",\"conditions\":[" CONDITION("BootImageUpdateProgressing", status) "]"

TEST skew_of_boot_images(void)
{
	static const struct {
		const char *name, *patch, *conditions, *want;
	} rows[] = {
		{ "mode None", SKEW("None", ""), "", "" },
		{ "manual, new enough", MANUAL("\"ocpVersion\":\"4.13.0\""), "", "" },
		{ "manual, too old", MANUAL("\"ocpVersion\":\"4.12.9\""), "", OLD_OCP },
		{ "manual, no version", MANUAL("\"ocpVersion\":\"four\""), "", "" },
		{ "RHCOS, new form, too old", MANUAL("\"rhcosVersion\":\"9.1.20240101-0\""), "",
		  OLD_RHCOS("9.1.20240101-0", "9.1") },
		{ "RHCOS, new form", MANUAL("\"rhcosVersion\":\"9.6.20251023-0\""), "", "" },
		{ "RHCOS, old form, too old", MANUAL("\"rhcosVersion\":\"48.84.202208021106-0\""),
		  "", OLD_RHCOS("48.84.202208021106-0", "8.4") },
		{ "RHCOS, old form, two digits",
		  MANUAL("\"rhcosVersion\":\"416.910.202208021106-0\""), "", "" },
		{ "RHCOS, old form", MANUAL("\"rhcosVersion\":\"413.92.202305021736-0\""), "", "" },
		{ "RHCOS, unknown form", MANUAL("\"rhcosVersion\":\"8.4.2022-0\""), "", "" },
		{ "RHCOS, two parts", MANUAL("\"rhcosVersion\":\"8.4\""), "", "" },
		{ "automatic, before the first pass", AUTOMATIC, "", "" },
		{ "automatic, in progress", AUTOMATIC, PROGRESS("True"), "" },
		{ "automatic, too old", AUTOMATIC, PROGRESS("False"), OLD_OCP },
		{ "automatic, failed", AUTOMATIC,
		  ",\"conditions\":[{\"type\":\"BootImageUpdateDegraded\",\"status\":\"True\","
		  "\"message\":\"no image\"}]",
		  "Upgrades have been disabled due to boot image update failures: Boot image "
		  "controller is degraded: no image" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		ptrdiff_t at = str_find(str_of(rows[i].patch), S("%s"));
		struct str p = str_of(rows[i].patch);
		struct str patch = str_fmt(&a, "%.*s%s%.*s", (int)at, p.p, rows[i].conditions,
					   STRF(str_from(p, (size_t)at + 2)));
		struct operator_case c;
		struct condition got;

		load(&a, &patch.p, 1, &c);
		got = operator_upgradeable(&a, &c.view);
		ASSERT_STR_M(rows[i].name, str_of(rows[i].want), got.message);
		ASSERT_STR_M(rows[i].name, rows[i].want[0] ? S("False") : S("True"), got.status);
		ASSERT_STR_M(rows[i].name,
			     rows[i].want[0] ? S("ClusterBootImageSkewError") : S("AsExpected"),
			     got.reason);
		c.view.gates = (struct mc_gates){ 0 };
		ASSERT_STR_M(rows[i].name, S("AsExpected"),
			     operator_upgradeable(&a, &c.view).reason);
	}
	PASS();
}

TEST reasons_of_pools_win(void)
{
	static const char *const patches[] = {
		CONFIGURATION("\"status\":{\"bootImageSkewEnforcementStatus\":{\"mode\":\"Manual\","
			      "\"manual\":{\"ocpVersion\":\"4.1.0\"}}}"),
		POOL("worker", CONDITIONS(CONDITION("BuildInterrupted", "True"))),
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;

	load(&a, patches, 1, &c);
	ASSERT_STR("ClusterBootImageSkewError", operator_upgradeable(&a, &c.view).reason);
	load(&a, patches, 2, &c);
	ASSERT_STR("InterruptedBuild", operator_upgradeable(&a, &c.view).reason);
	PASS();
}

TEST the_page_is_that_of_the_latest_release_when_none_is_known(void)
{
	static const char *const patches[] = {
		CONFIGURATION("\"status\":{\"bootImageSkewEnforcementStatus\":{\"mode\":\"Manual\","
			      "\"manual\":{\"ocpVersion\":\"4.1.0\"}}}"),
		PATCH("ClusterVersion", "config.openshift.io/v1", "version",
		      "\"},\"status\":{\"history\":[]}}"),
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;

	load(&a, patches, 2, &c);
	ASSERT(str_find(operator_upgradeable(&a, &c.view).message,
			S("openshift_container_platform/latest/html")) > 0);
	PASS();
}

#define KUBELET(value)                      \
	PATCH("KubeletConfig", API_MC, "k", \
	      "\"},\"spec\":{\"kubeletConfig\":{\"failSwapOn\":" value "}}}")
#define RUNTIME(value)                               \
	PATCH("ContainerRuntimeConfig", API_MC, "r", \
	      "\"},\"spec\":{\"containerRuntimeConfig\":{\"defaultRuntime\":\"" value "\"}}}")
#define SWAP_FOUND "failswapon: KubeletConfig setting is currently unsupported by OpenShift"
#define RUNC_FOUND "runc: transition to default crun"

TEST evaluations(void)
{
	static const struct {
		const char *patches[2], *want;
	} rows[] = {
		{ { KUBELET("true"), RUNTIME("crun") }, "" },
		{ { KUBELET("false"), RUNTIME("crun") }, SWAP_FOUND },
		{ { KUBELET("true"), RUNTIME("runc") }, RUNC_FOUND },
		{ { KUBELET("false"), RUNTIME("runc") }, SWAP_FOUND "::" RUNC_FOUND },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_case c;

		load(&a, rows[i].patches, 2, &c);
		ASSERT_STR(rows[i].want, operator_evaluations(&a, &c.view));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(required_pools);
	RUN_TEST(a_standalone_cluster_may_have_no_machine);
	RUN_TEST(a_pools_stream_decides_its_os_image);
	RUN_TEST(texts_of_pools);
	RUN_TEST(skew_of_boot_images);
	RUN_TEST(reasons_of_pools_win);
	RUN_TEST(the_page_is_that_of_the_latest_release_when_none_is_known);
	RUN_TEST(evaluations);
}

TEST_MAIN(suite)
