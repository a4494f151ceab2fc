/*
 * MachineConfigNodes, built-in pools, user data and pre-built images: what the golden cases do not
 * show. Each row changes a healthy cluster and lists the requests that follow.
 */
#include "base/codec.h"
#include "operator_case.h"

#define MC "machineconfiguration.openshift.io/"
#define OBJECT(api, kind, name, rest) \
	"{\"apiVersion\":\"" api "\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"" name "\"" rest
#define NODE(name, rest) OBJECT("v1", "Node", name, rest "}")
#define MCN(name, rest) OBJECT(MC "v1", "MachineConfigNode", name, rest "}")
#define POOL(name, rest) OBJECT(MC "v1", "MachineConfigPool", name, rest "}")
#define OS_CONFIG(name, rest) OBJECT(MC "v1", "MachineOSConfig", name, rest "}")
#define ROLE(name) "\"node-role.kubernetes.io/" name "\":\"\""
#define PATHS "/apis/" MC "v1/"
#define OWNER(uid) "[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"" uid "\"}]"
#define SPEC(desired, pool)                                                                    \
	"\"spec\":{\"configVersion\":{\"desired\":\"" desired "\"},\"node\":{\"name\":\"n\"}," \
	"\"pool\":{\"name\":\"" pool "\"}}"
#define WORKER ",\"labels\":{" ROLE("worker") "},\"uid\":\"u1\""
#define DESIRED ",\"annotations\":{\"" MC "desiredConfig\":\"rendered-1\"}"
#define CUSTOM(name) POOL(name, "},\"spec\":{\"nodeSelector\":{\"matchLabels\":{" ROLE(name) "}}}")

static const char *const verbs[] = {
	[ACTION_CREATE] = "POST", [ACTION_REPLACE] = "PUT",   [ACTION_MERGE] = "MERGE",
	[ACTION_APPLY] = "APPLY", [ACTION_DELETE] = "DELETE", [ACTION_LOG] = "LOG",
	[ACTION_EVENT] = "EVENT",
};

/* One line each: verb, path and body; the text of log lines and Events. */
static struct str show(struct arena *a, const struct actions *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++) {
		const struct action *act = &list->v[i];

		buf_addf(&b, "%s %.*s%s%.*s\n", verbs[act->kind],
			 STRF(action_is_request(act->kind) ? act->path : act->reason),
			 act->body.n ? " " : "", STRF(act->body));
	}
	return buf_str(&b);
}

/* ---- MachineConfigNodes -------------------------------------------------- */

struct nodes_case {
	const char *name;
	const char *patches[3];
	const char *want, *error;
};

static const struct nodes_case nodes_cases[] = {
	{ "at rest", { 0 }, "", "" },
	{ "a new Node",
	  { NODE("n", WORKER "}") },
	  "POST " PATHS "machineconfignodes {\"apiVersion\":\"" MC "v1\",\"kind\":"
	  "\"MachineConfigNode\",\"metadata\":{\"name\":\"n\",\"ownerReferences\":" OWNER(
		  "u1") "}," SPEC("not-yet-set", "worker") "}\n",
	  "" },
	{ "a new Node whose config is known",
	  { NODE("n", WORKER DESIRED "}") },
	  "POST " PATHS "machineconfignodes {\"apiVersion\":\"" MC "v1\",\"kind\":"
	  "\"MachineConfigNode\",\"metadata\":{\"name\":\"n\",\"ownerReferences\":" OWNER(
		  "u1") "}," SPEC("rendered-1", "worker") "}\n",
	  "" },
	{ "a Node that is being provisioned",
	  { NODE("n", WORKER "},\"status\":{\"phase\":\"Provisioning\"}") },
	  "",
	  "" },
	{ "a Node of no pool",
	  { NODE("n", ",\"uid\":\"u1\"}"),
	    MCN("n", ",\"ownerReferences\":" OWNER("u1") "}," SPEC("not-yet-set", "worker")) },
	  "MERGE " PATHS "machineconfignodes/n {\"spec\":{\"pool\":{\"name\":\"not-yet-set\"}}}\n",
	  "" },
	{ "the config is known now",
	  { NODE("n", WORKER DESIRED "}"),
	    MCN("n", ",\"ownerReferences\":" OWNER("u1") "}," SPEC("not-yet-set", "worker")) },
	  "APPLY " PATHS
	  "machineconfignodes/n?fieldManager=machine-config-operator&force=true {\"apiVersion\":"
	  "\"" MC "v1\",\"kind\":\"MachineConfigNode\",\"metadata\":{\"name\":\"n\"}," SPEC(
		  "rendered-1", "worker") "}\n",
	  "" },
	{ "a later config is the daemon's",
	  { NODE("n", WORKER DESIRED "}"),
	    MCN("n", ",\"ownerReferences\":" OWNER("u1") "}," SPEC("rendered-0", "worker")) },
	  "",
	  "" },
	{ "a Node that was made again",
	  { NODE("n", WORKER "}"),
	    MCN("n", ",\"ownerReferences\":" OWNER("u0") "}," SPEC("rendered-0", "worker")) },
	  "MERGE " PATHS
	  "machineconfignodes/n {\"metadata\":{\"ownerReferences\":" OWNER("u1") "}}\n",
	  "" },
	{ "a Node that is gone",
	  { MCN("n", "}," SPEC("rendered-0", "worker")) },
	  "DELETE " PATHS "machineconfignodes/n\n",
	  "" },
	{ "a Node of a custom pool",
	  { NODE("n", ",\"labels\":{" ROLE("worker") "," ROLE("mill") "},\"uid\":\"u1\"}"),
	    CUSTOM("mill"),
	    MCN("n", ",\"ownerReferences\":" OWNER("u1") "}," SPEC("rendered-0", "worker")) },
	  "MERGE " PATHS "machineconfignodes/n {\"spec\":{\"pool\":{\"name\":\"mill\"}}}\n",
	  "" },
	{ "a Node of two custom pools",
	  { NODE("n", ",\"labels\":{" ROLE("mine") "," ROLE("mill") "},\"uid\":\"u1\"}"),
	    CUSTOM("mill"), CUSTOM("mine") },
	  "",
	  "node n belongs to 2 custom roles, cannot proceed with this Node" },
};

TEST machine_config_nodes(void)
{
	for (size_t i = 0; i < ARRAY_LEN(nodes_cases); i++) {
		const struct nodes_case *t = &nodes_cases[i];
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_result out = { 0 };
		struct err err = ERR_INIT(&a);
		struct operator_case c;
		int rc;

		operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
		for (size_t k = 0; k < 3 && t->patches[k]; k++)
			operator_case_edit(&c, t->patches[k]);
		rc = operator_config_nodes(&a, &c.view, &out, &err);
		ASSERT_STR_M(t->name, str_of(t->want), show(&a, &out.actions));
		ASSERT_STR_M(t->name, str_of(t->error), err.msg);
		ASSERT_INT_M(t->name, t->error[0] != 0, rc < 0);
		/* one that the server refuses does not keep the others from their objects */
		for (size_t k = 0; k < out.actions.n; k++)
			ASSERT_INT_M(t->name, ACTION_GO_ON, (int)out.actions.v[k].fail);
	}
	PASS();
}

/* One Node in two custom pools does not keep the next ones from their objects. */
TEST a_bad_node_does_not_hold_up_others(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	operator_case_edit(&c, CUSTOM("mill"));
	operator_case_edit(&c, CUSTOM("mine"));
	operator_case_edit(&c, NODE("a", ",\"labels\":{" ROLE("mine") "," ROLE("mill") "}}"));
	operator_case_edit(&c, NODE("b", WORKER "}"));
	ASSERT(operator_config_nodes(&a, &c.view, &out, &err) < 0);
	ASSERT_INT(1, (int)out.actions.n);
	ASSERT_INT(ACTION_CREATE, out.actions.v[0].kind);
	PASS();
}

/* ---- pools and user data ------------------------------------------------- */

static struct operator_memory memory;

static int pools(struct operator_case *c, struct operator_result *out, struct err *err)
{
	struct operator_render r = {
		.infra = operator_case_find(&c->objects, "Infrastructure", "cluster"),
		.root_ca = S("ca"),
	};

	r.api_url = json_str(r.infra, "status.apiServerInternalURI");
	return operator_pools(c->a, &c->view, &memory, &r, out, err);
}

#define DECODED                                                                                    \
	"{\"ignition\":{\"config\":{\"merge\":[{\"source\":\"https://%s/config/%s\","              \
	"\"verification\":{}}],\"replace\":{\"verification\":{}}},\"proxy\":{},\"security\":{"     \
	"\"tls\":{\"certificateAuthorities\":[{\"source\":\"data:text/plain;charset=utf-8;base64," \
	"Y2E=\",\"verification\":{}}]}},\"timeouts\":{},\"version\":\"3.5.0\"},"                   \
	"\"kernelArguments\":{},\"passwd\":{},\"storage\":{},\"systemd\":{}}"

#define INFRA(url, platform, type)                                                                \
	OBJECT("config.openshift.io/v1", "Infrastructure", "cluster",                             \
	       "},\"status\":{\"apiServerInternalURI\":\"" url "\",\"platformStatus\":{\"type\":" \
	       "\"" type "\"" platform "}}}")
#define IPS(name, list) ",\"" name "\":{\"apiServerInternalIPs\":[" list "]}"

TEST the_host_of_user_data(void)
{
	static const struct {
		const char *patch, *host;
	} rows[] = {
		{ INFRA("https://api-int.x.test:6443", "", "None"), "api-int.x.test:22623" },
		{ INFRA("https://x.test", IPS("baremetal", "\"fd00::5\",\"10.0.0.5\""),
			"BareMetal"),
		  "[fd00::5]:22623" },
		{ INFRA("https://x.test", IPS("openstack", "\"10.0.0.5\""), "OpenStack"),
		  "10.0.0.5:22623" },
		{ INFRA("https://x.test", IPS("ovirt", "\"10.0.0.6\""), "oVirt"),
		  "10.0.0.6:22623" },
		{ INFRA("https://x.test", IPS("vsphere", "\"10.0.0.7\""), "VSphere"),
		  "10.0.0.7:22623" },
		{ INFRA("https://x.test", IPS("vsphere", ""), "VSphere"), "x.test:22623" },
		{ INFRA("https://x.test", "", "VSphere"), "x.test:22623" },
		{ INFRA("https://x.test", IPS("baremetal", "\"10.0.0.5\""), "None"),
		  "x.test:22623" },
		{ INFRA("https://[fd00::5]:6443", "", "None"), "[fd00::5]:22623" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_result out = { 0 };
		struct err err = ERR_INIT(&a);
		struct operator_case c;
		struct json *body = NULL;
		struct str data, got;

		operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
		operator_case_edit(&c, rows[i].patch);
		ASSERT_INT_M(rows[i].host, 0, pools(&c, &out, &err));
		/* the Secret of master and its Event, that of worker and its Event */
		ASSERT_INT_M(rows[i].host, 4, (int)out.actions.n);
		ASSERT_INT(0, json_parse(&a, out.actions.v[2].body, NULL, &body, &err));
		data = json_text(json_member(json_at(body, "data"), S("userData")));
		ASSERT_INT(0, base64_decode(&a, data, &got, &err));
		ASSERT_STR_M(rows[i].host, str_fmt(&a, DECODED, rows[i].host, "worker"), got);
	}
	PASS();
}

TEST a_bad_internal_url_is_an_error(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	operator_case_edit(&c, INFRA("nonsense", "", "None"));
	ASSERT(pools(&c, &out, &err) < 0);
	ASSERT(str_starts(err.msg, S("apiServerInternalURI: ")));
	PASS();
}

TEST a_standalone_cluster_has_no_user_data(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_result out = { 0 };
	struct operator_render r = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	operator_case_load(&a, "001-none-fresh", CASE_INPUT, &c);
	c.view.standalone = true;
	ASSERT_INT(0, operator_pools(&a, &c.view, &memory, &r, &out, &err));
	(void)operator_case_act(&c, &out.actions);
	ASSERT(operator_case_find(&c.objects, "MachineConfigPool", "master"));
	ASSERT(operator_case_find(&c.objects, "MachineConfigPool", "worker"));
	ASSERT(!operator_case_find(&c.objects, "MachineConfigPool", "arbiter"));
	out = (struct operator_result){ 0 };
	ASSERT_INT(0, operator_pools(&a, &c.view, &memory, &r, &out, &err));
	ASSERT_INT(0, (int)out.actions.n);
	PASS();
}

TEST a_new_pool_is_complete(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	operator_case_load(&a, "020-arbiter", CASE_INPUT, &c);
	ASSERT_INT(0, pools(&c, &out, &err));
	ASSERT_INT(3, (int)out.actions.n);
	ASSERT_STR("{\"apiVersion\":\"" MC "v1\",\"kind\":\"MachineConfigPool\",\"metadata\":{"
		   "\"name\":\"arbiter\",\"labels\":{\"operator." MC "required-for-upgrade\":\"\","
		   "\"" MC "mco-built-in\":\"\",\"pools.operator." MC "arbiter\":\"\"}},\"spec\":{"
		   "\"machineConfigSelector\":{\"matchLabels\":{\"" MC "role\":\"arbiter\"}},"
		   "\"nodeSelector\":{\"matchLabels\":{\"node-role.kubernetes.io/arbiter\":\"\"}},"
		   "\"paused\":false}}",
		   out.actions.v[2].body);
	PASS();
}

/* ---- pre-built images ---------------------------------------------------- */

#define PREBUILT "10-prebuiltimage-osimageurl-worker"
#define PREBUILT_MC(role, anno, image)                                            \
	OBJECT(MC "v1", "MachineConfig", PREBUILT,                                \
	       ",\"labels\":{\"" MC "role\":\"" role "\"},\"annotations\":{\"" MC \
	       "pre-built-image\":\"" anno "\"}},\"spec\":{\"osImageURL\":\"" image "\"}}")
#define FOR_WORKER "\"spec\":{\"machineConfigPool\":{\"name\":\"worker\"}}"
#define BUILT(image) \
	OS_CONFIG("w", ",\"annotations\":{\"" MC "pre-built-image\":\"" image "\"}}," FOR_WORKER)
#define SEEDED                                                                              \
	OS_CONFIG("w", "}," FOR_WORKER ",\"status\":{\"conditions\":[{\"type\":\"Seeded\"," \
		       "\"status\":\"True\"}]}")

static const struct nodes_case prebuilt_cases[] = {
	{ "a new image",
	  { BUILT("a@b") },
	  "POST " PATHS "machineconfigs {\"apiVersion\":\"" MC "v1\",\"kind\":\"MachineConfig\","
	  "\"metadata\":{\"labels\":{\"" MC "role\":\"worker\"},\"name\":\"" PREBUILT "\","
	  "\"annotations\":{\"" MC "pre-built-image\":\"a@b\"}},\"spec\":{"
	  "\"osImageURL\":\"a@b\",\"baseOSExtensionsContainerImage\":\"\",\"kernelType\":\"\","
	  "\"kernelArguments\":null,\"extensions\":null,\"fips\":false}}\n",
	  "" },
	{ "a changed annotation is ignored",
	  { BUILT("new"), PREBUILT_MC("worker", "old", "old") },
	  "",
	  "" },
	{ "its labels and annotation are restored",
	  { BUILT("new"), PREBUILT_MC("mine", "other", "old") },
	  "MERGE " PATHS "machineconfigs/" PREBUILT " {\"metadata\":{\"labels\":{\"" MC
	  "role\":\"worker\"},\"name\":\"" PREBUILT "\",\"annotations\":{\"" MC
	  "pre-built-image\":\"old\"}}}\n",
	  "" },
	{ "it stays with a MachineOSConfig that lost its annotation",
	  { OS_CONFIG("w", "}," FOR_WORKER), PREBUILT_MC("worker", "old", "old") },
	  "",
	  "" },
	{ "it goes with the MachineOSConfig",
	  { PREBUILT_MC("worker", "old", "old") },
	  "DELETE " PATHS "machineconfigs/" PREBUILT "\n",
	  "" },
	{ "a MachineOSConfig without an image", { OS_CONFIG("w", "}," FOR_WORKER) }, "", "" },
	{ "seeded, but the MachineConfig is gone",
	  { SEEDED },
	  "LOG Failed to sync pre-built image MachineConfigs: MachineOSConfig \"w\" for pool "
	  "\"worker\" was seeded with a pre-built image but the component MachineConfig is missing "
	  "- this is required for install-time OCL\n",
	  "" },
};

TEST pre_built_images(void)
{
	for (size_t i = 0; i < ARRAY_LEN(prebuilt_cases); i++) {
		const struct nodes_case *t = &prebuilt_cases[i];
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_result out = { 0 };
		struct err err = ERR_INIT(&a);
		struct operator_case c;

		operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
		c.view.standalone = true;
		for (size_t k = 0; k < 3 && t->patches[k]; k++)
			operator_case_edit(&c, t->patches[k]);
		ASSERT_INT_M(t->name, 0, pools(&c, &out, &err));
		ASSERT_STR_M(t->name, str_of(t->want), show(&a, &out.actions));
	}
	PASS();
}

/* Each pass would repeat a refused write: the next ones go on without it until its pause is over. */
TEST a_pre_built_image_that_is_refused_is_retried_later(void)
{
	static const int64_t pauses[] = { 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000 };
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	operator_case_edit(&c, BUILT("a@b"));
	c.view.standalone = true;
	for (size_t i = 0; i < ARRAY_LEN(pauses); i++) {
		out = (struct operator_result){ 0 };
		ASSERT_INT(0, pools(&c, &out, &err));
		ASSERT_INT(1, (int)out.actions.n);
		ASSERT_INT(ACTION_LATER, (int)out.actions.v[0].fail);
		ASSERT_STR("Failed to sync pre-built image MachineConfigs", out.actions.v[0].wrap);
		operator_pass_later(&memory, c.view.clock_ms);
		c.view.clock_ms += pauses[i] - 1;
		out = (struct operator_result){ 0 };
		ASSERT_INT(0, pools(&c, &out, &err));
		ASSERT_INT(0, (int)out.actions.n);
		ASSERT_INT(1, (int)out.again_ms);
		c.view.clock_ms += 1;
	}
	out = (struct operator_result){ 0 };
	ASSERT_INT(0, pools(&c, &out, &err));
	(void)operator_case_act(&c, &out.actions);
	out = (struct operator_result){ 0 };
	ASSERT_INT(0, pools(&c, &out, &err));
	ASSERT_INT(0, (int)(out.actions.n + (size_t)memory.prebuilt_pause_ms));
	PASS();
}

static bool lacks_configs(const struct operator_view *in, enum operator_kind kind)
{
	return kind != OPERATOR_OS_CONFIGS && operator_case_served(in, kind);
}

/* A kind that the server does not have (yet) is not an empty list. */
TEST pre_built_images_stay_while_machine_os_configs_are_unknown(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	operator_case_load(&a, "001-none-fresh", CASE_AT_REST, &c);
	operator_case_edit(&c, PREBUILT_MC("worker", "old", "old"));
	c.view.standalone = true;
	c.view.served = lacks_configs;
	ASSERT_INT(0, pools(&c, &out, &err));
	ASSERT_STR("", show(&a, &out.actions));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(machine_config_nodes);
	RUN_TEST(a_bad_node_does_not_hold_up_others);
	RUN_TEST(the_host_of_user_data);
	RUN_TEST(a_bad_internal_url_is_an_error);
	RUN_TEST(a_standalone_cluster_has_no_user_data);
	RUN_TEST(a_new_pool_is_complete);
	RUN_TEST(pre_built_images);
	RUN_TEST(a_pre_built_image_that_is_refused_is_retried_later);
	RUN_TEST(pre_built_images_stay_while_machine_os_configs_are_unknown);
}

TEST_MAIN(suite)
