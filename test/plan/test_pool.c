/* The update controller: which nodes are updated, and the pool's status. */
#include "fixture.h"
#include "actions_print.h"

/* ---- node to pool -------------------------------------------------------- */

struct assign_case {
	const char *name, *labels, *want;
};

static const struct assign_case assigns[] = {
	{ "a worker", "l=w=", "worker" },
	{ "a master", "l=m=", "master" },
	{ "a master that is a worker, too, is a master", "l=m= l=w=", "master" },
	{ "a custom role wins over worker", "l=w= l=infra=", "infra worker" },
	{ "a custom role alone", "l=infra=", "infra" },
	{ "an arbiter is a custom pool", "l=arb=", "arbiter" },
	{ "a master never becomes custom", "l=m= l=infra=", "master alert" },
	{ "master, custom and worker", "l=m= l=infra= l=w=", "master worker alert" },
	{ "two custom roles are an error", "l=infra= l=arb= l=w=",
	  "node x belongs to 2 custom roles, cannot proceed with this Node" },
	{ "no role, no pool", "l=other=", "" },
	{ "a Windows node is in no pool", "l=w= l=kubernetes.io/os=windows", "" },
	{ "a Linux node is", "l=w= l=kubernetes.io/os=linux", "worker" },
};

#define POOL(name, key)                                           \
	"{'metadata':{'name':'" name "'},'spec':{'nodeSelector':" \
	"{'matchExpressions':[{'key':'" key                       \
	"','operator':'Exists'}]},'configuration':{'name':'v1'}}}"

static void all_pools(struct arena *a, struct mcp_list *out)
{
	static const char *const texts[] = {
		POOL("arbiter", "arb"),
		POOL("infra", "infra"),
		POOL("master", "m"),
		POOL("worker", "w"),
		"{'metadata':{'name':'all'},'spec':{'nodeSelector':{}}}",
		"{'metadata':{'name':'none'},'spec':{}}"
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		VEC_PUSH(a, out, fx_pool(a, texts[i]));
}

TEST assigned(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mcp_list pools = { 0 };

	all_pools(&a, &pools);
	for (size_t i = 0; i < ARRAY_LEN(assigns); i++) {
		struct knode *n = fx_node(&a, str_fmt(&a, "x v0 v0 Done %s", assigns[i].labels));
		struct err err = ERR_INIT(&a);
		struct mcp_of_node of = { 0 };
		struct buf b;

		buf_init(&b, &a);
		if (mcp_of_node(&pools, n, &of, &err) < 0)
			buf_add(&b, err.msg);
		for (size_t k = 0; k < of.n; k++)
			buf_addf(&b, "%s%.*s", k ? " " : "", STRF(of.v[k]->meta.name));
		buf_addz(&b, of.alert ? " alert" : "");
		ASSERT_STR_M(assigns[i].name, str_of(assigns[i].want), buf_str(&b));
	}
	PASS();
}

/* ---- maxUnavailable ------------------------------------------------------ */

struct max_case {
	const char *name, *spec;
	size_t nodes;
	int64_t want;
	const char *error;
};

#define BAD "\"maxUnavailable\" invalid value for IntOrString: "

static const struct max_case maxes[] = {
	{ "one when absent", "null", 4, 1, NULL },
	{ "a number", "2", 4, 2, NULL },
	{ "more than there are nodes", "9", 4, 9, NULL },
	{ "zero becomes one", "0", 4, 1, NULL },
	{ "negative stops the pool", "-2", 4, -2, NULL },
	{ "a percentage", "'50%'", 4, 2, NULL },
	{ "is rounded down", "'34%'", 5, 1, NULL },
	{ "to no less than one", "'10%'", 4, 1, NULL },
	{ "none of nothing", "'50%'", 0, 1, NULL },
	{ "a signed one", "'+50%'", 4, 2, NULL },
	{ "below zero", "'-50%'", 3, -2, NULL },
	{ "a huge one", "'9223372036854775807%'", 3, 30000000, NULL },
	{ "no percent sign", "'50'", 4, 0, BAD "invalid type: string is not a percentage" },
	{ "no number", "'x%'", 4, 0,
	  BAD "invalid value \"x%\": strconv.Atoi: parsing \"x\": invalid "
	      "syntax" },
	{ "nothing before the sign", "'%'", 4, 0,
	  BAD "invalid value \"%\": strconv.Atoi: parsing \"\": invalid "
	      "syntax" },
	{ "too large a number", "'99999999999999999999%'", 4, 0,
	  BAD "invalid value \"99999999999999999999%\": strconv.Atoi: parsing "
	      "\"99999999999999999999\": value out of range" },
};

TEST max_unavailable(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(maxes); i++) {
		const struct max_case *c = &maxes[i];
		struct mcp *p =
			fx_pool(&a, str_fmt(&a, "{'spec':{'maxUnavailable':%s}}", c->spec).p);
		struct err err = ERR_INIT(&a);
		int64_t got = 0;
		int rc = mcp_max_unavailable(p, c->nodes, &got, &err);

		ASSERT_INT_M(c->name, c->error ? -ERR_INVALID : 0, rc);
		ASSERT_INT_M(c->name, c->want, got);
		if (c->error)
			ASSERT_STR_M(c->name, str_of(c->error), err.msg);
	}
	PASS();
}

/* ---- which nodes are updated --------------------------------------------- */

struct move_case {
	const char *name, *nodes, *max, *want;
	const char *pool; /* "worker" when NULL */
	const char *operator_node;
	const char *extra; /* of the pool's spec */
	bool layered;
};

static const struct move_case moves[] = {
	{ .name = "moves one node at a time",
	  .nodes = "a v0 v0 Done;b v0 v0 Done;c v0 v0 Done",
	  .max = "1",
	  .want = "a" },
	{ .name = "as many as it may",
	  .nodes = "a v0 v0 Done;b v0 v0 Done;c v0 v0 Done",
	  .max = "2",
	  .want = "a b" },
	{ .name = "a third of five is one",
	  .nodes = "a v0 v0 Done;b v0 v0 Done;c v0 v0 Done;d v0 v0 Done;"
		   "e v0 v0 Done",
	  .max = "'34%'",
	  .want = "a" },
	{ .name = "a node at work counts",
	  .nodes = "a v0 v1 Working;b v0 v0 Done;c v0 v0 Done",
	  .max = "2",
	  .want = "b" },
	{ .name = "and may use up the room",
	  .nodes = "a v0 v1 Working;b v0 v0 Done",
	  .max = "1",
	  .want = "" },
	{ .name = "a node targeted but not begun counts",
	  .nodes = "a v0 v1 Done;b v0 v0 Done",
	  .max = "1",
	  .want = "" },
	{ .name = "a cordoned node counts and does not move",
	  .nodes = "a v0 v0 Done u;b v0 v0 Done;c v0 v0 Done",
	  .max = "2",
	  .want = "b" },
	{ .name = "a node that is not ready neither",
	  .nodes = "a v0 v0 Done n;b v0 v0 Done",
	  .max = "1",
	  .want = "" },
	{ .name = "all are there", .nodes = "a v1 v1 Done;b v1 v1 Done", .max = "1", .want = "" },
	{ .name = "an empty pool", .nodes = "", .max = "1", .want = "" },
	{ .name = "a new node without annotations counts as at work",
	  .nodes = "a - - -;b v0 v0 Done",
	  .max = "1",
	  .want = "" },
	{ .name = "a new node gets its config when there is room",
	  .nodes = "a - - -;b v1 v1 Done",
	  .max = "2",
	  .want = "a" },
	{ .name = "one failing another config may be retargeted",
	  .nodes = "a v0 v2 Degraded;b v0 v0 Done",
	  .max = "1",
	  .want = "a" },
	{ .name = "one failing this config takes up room",
	  .nodes = "a v0 v1 Degraded;b v0 v0 Done",
	  .max = "1",
	  .want = "" },
	{ .name = "as does an unreconcilable one",
	  .nodes = "a v0 v1 Unreconcilable;b v0 v0 Done;c v0 v0 Done",
	  .max = "2",
	  .want = "b" },
	{ .name = "a degraded node that is where it should be stays there",
	  .nodes = "a v1 v1 Degraded;b v0 v0 Done",
	  .max = "1",
	  .want = "" },
	{ .name = "by zone, those without one last",
	  .nodes = "a v0 v0 Done;b v0 v0 Done z=z2;c v0 v0 Done z=z1;"
		   "d v0 v0 Done z=z2",
	  .max = "3",
	  .want = "c b d" },
	{ .name = "the oldest of a zone first",
	  .nodes = "a v0 v0 Done z=z1 c=30;b v0 v0 Done z=z1 c=10;"
		   "c v0 v0 Done z=z1 c=20;d v0 v0 Done z=z0 c=99",
	  .max = "3",
	  .want = "d b c" },
	{ .name = "the oldest without a zone first",
	  .nodes = "a v0 v0 Done c=30;b v0 v0 Done c=10;c v0 v0 Done c=20",
	  .max = "2",
	  .want = "b c" },
	{ .name = "a paused pool stays still",
	  .nodes = "a v0 v0 Done;b v0 v0 Done",
	  .max = "2",
	  .extra = "'paused':true,",
	  .want = "" },
	{ .name = "the operator's master goes last",
	  .nodes = "a v0 v0 Done;b v0 v0 Done;c v0 v0 Done",
	  .max = "1",
	  .pool = "master",
	  .operator_node = "a",
	  .want = "b" },
	{ .name = "but it goes",
	  .nodes = "a v0 v0 Done;b v1 v1 Done;c v1 v1 Done",
	  .max = "1",
	  .pool = "master",
	  .operator_node = "a",
	  .want = "a" },
	{ .name = "only among masters",
	  .nodes = "a v0 v0 Done;b v0 v0 Done",
	  .max = "1",
	  .operator_node = "a",
	  .want = "a" },
	{ .name = "an image is taken back when the pool is not layered",
	  .nodes = "a v1 v1 Done i=img;b v1 v1 Done",
	  .max = "1",
	  .want = "a" },
	{ .name = "a layered pool's image counts",
	  .nodes = "a v1 v1 Done i=old;b v1 v1 Done i=img",
	  .max = "1",
	  .layered = true,
	  .want = "a" },
	{ .name = "a node of a custom pool's first boot is labelled, not moved",
	  .nodes = "a v0 v0 Done p=rendered-infra-1;b v0 v0 Done",
	  .max = "1",
	  .want = "b" },
	{ .name = "a bad maxUnavailable moves none",
	  .nodes = "a v0 v0 Done",
	  .max = "'x'",
	  .want = "" },
	{ .name = "a target that does not exist is given to none",
	  .nodes = "a v0 v0 Done",
	  .max = "1",
	  .extra = "'configuration':{'name':'gone'},",
	  .want = "" },
};

static struct map *known_configs(struct arena *a)
{
	static struct pool_config plain, infra = { .owner = { "infra", 5 } };
	struct map *m = ARENA_NEW(a, struct map);

	map_init(m, a);
	map_put(m, S("v0"), &plain);
	map_put(m, S("v1"), &plain);
	map_put(m, S("v2"), &plain);
	map_put(m, S("rendered-infra-1"), &infra);
	return m;
}

static const char cc_text[] = "{'spec':{'infra':{'status':{'controlPlaneTopology':"
			      "'HighlyAvailable'}}},'status':{'controllerCertificates':[{"
			      "'bundleFile':'KubeAPIServerServingCAData','subject':'CN=a',"
			      "'notAfter':'2030-01-01T00:00:00Z'},{'bundleFile':'other'}]}}";

static void move_view(struct arena *a, const struct move_case *c, struct pool_view *v)
{
	static struct os_config config;
	static struct os_build build;
	struct mcp_list *pools = ARENA_NEW(a, struct mcp_list);
	struct fx_nodes nodes = fx_nodes(a, c->nodes);
	struct mcp *p;

	config = (struct os_config){ .name = S("cfg"), .pool = S("worker"), .image = S("img") };
	build = (struct os_build){ .name = S("bld"),
				   .config = S("v1"),
				   .os_config = S("cfg"),
				   .image = S("img"),
				   .succeeded = true };
	all_pools(a, pools);
	p = fx_pool(a, str_fmt(a,
			       "{'metadata':{'name':'%s','generation':3},"
			       "'spec':{'configuration':{'name':'v1'},%s"
			       "'nodeSelector':{'matchLabels':{'w':''}},"
			       "'maxUnavailable':%s}}",
			       c->pool ? c->pool : "worker", c->extra ? c->extra : "", c->max)
			       .p);
	*v = (struct pool_view){
		.now = { 1700000000, 0 },
		.pool = p,
		.pools = pools,
		.nodes = nodes.v,
		.n_nodes = nodes.n,
		.configs = known_configs(a),
		.controller_config = fx_quote(a, cc_text),
		.operator_node = c->operator_node ? str_of(c->operator_node) : S(""),
		.os_configs = &config,
		.os_builds = &build,
		.n_os_configs = c->layered,
		.n_os_builds = c->layered,
	};
}

struct build_case {
	const char *name;
	const char *named; /* by the MachineOSConfig */
	const char *no_build; /* builds that the server does not have */
	const char *target; /* of the known build */
	const char *want;
};

#define OS "/apis/machineconfiguration.openshift.io/v1/machineos"
#define GET_BUILD "0 GET " OS "builds/gone  # a MachineOSConfig refers to it\n"
#define CLEAR_BUILD(b)                                                    \
	"0 PUT " OS "configs/cfg {\"metadata\":{\"annotations\":{"        \
	"\"a\":\"b\"}}}  # its annotation has build " b ", which is not " \
	"for the pool's config\n"

static const struct build_case builds[] = {
	{ "the build of the config", "bld", "", "v1", "" },
	{ "one of another config", "bld", "", "v0", CLEAR_BUILD("bld") },
	{ "one not known: the server is asked", "gone", "", "v1", GET_BUILD },
	{ "about this one", "gone", "other", "v1", GET_BUILD },
	{ "one that does not exist", "gone", "gone", "v1", CLEAR_BUILD("gone") },
};

TEST stale_builds(void)
{
	for (size_t i = 0; i < ARRAY_LEN(builds); i++) {
		static const struct move_case layered = { .nodes = "a v1 v1 Done i=img",
							  .max = "1",
							  .layered = true };
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct build_case *c = &builds[i];
		struct err err = ERR_INIT(&a);
		struct actions out = { 0 };
		struct pool_view v;
		struct os_config config;
		struct os_build build;
		struct buf b;

		move_view(&a, &layered, &v);
		config = v.os_configs[0];
		config.build = str_of(c->named);
		config.tree = fx_quote(&a, "{'metadata':{'annotations':{'a':'b',"
					   "'" ANNO_CURRENT_BUILD "':'x'}}}");
		build = v.os_builds[0];
		build.config = str_of(c->target);
		v.os_configs = &config;
		v.os_builds = &build;
		v.no_build = str_of(c->no_build);
		ASSERT_INT_M(c->name, 0, plan_pool(&a, &v, &out, &err));
		out.n = str_starts(out.v[0].path, S(OS)); /* the first action only */
		buf_init(&b, &a);
		actions_print(&b, &out);
		ASSERT_STR_M(c->name, str_of(c->want), buf_str(&b));
	}
	PASS();
}

/* The nodes that get a desired config or image, in order. */
static struct str moved(struct arena *a, const struct actions *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++) {
		const struct action *act = &list->v[i];

		if (act->kind == ACTION_STRATEGIC &&
		    (str_find(act->body, S("desiredConfig")) >= 0 ||
		     str_find(act->body, S("desiredImage")) >= 0))
			buf_addf(&b, "%s%.*s", b.n ? " " : "", STRF(str_from(act->path, 14)));
	}
	return buf_str(&b);
}

TEST movers(void)
{
	for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct actions out = { 0 };
		struct pool_view v;

		move_view(&a, &moves[i], &v);
		(void)plan_pool(&a, &v, &out, &err);
		ASSERT_STR_M(moves[i].name, str_of(moves[i].want), moved(&a, &out));
	}
	PASS();
}

/* ---- whole plans, byte for byte ------------------------------------------ */

struct plan_case {
	const char *name;
	struct move_case in;
	const char *want;
};

#define STATUS_HEAD                                                    \
	"\"certExpirys\":[{\"bundle\":\"KubeAPIServerServingCAData\"," \
	"\"expiry\":\"2030-01-01T00:00:00Z\",\"subject\":\"CN=a\"}],"
#define COND(type, status, message)                                               \
	"{\"lastTransitionTime\":\"2023-11-14T22:13:20Z\",\"message\":\"" message \
	"\",\"reason\":\"\",\"status\":\"" status "\",\"type\":\"" type "\"}"
#define SYNC(av, n, r, un, up)                                                                 \
	"\"poolSynchronizersStatus\":[{\"availableMachineCount\":" #av ",\"machineCount\":" #n \
	",\"poolSynchronizerType\":"                                                           \
	"\"PinnedImageSets\",\"readyMachineCount\":" #r ",\"unavailableMachineCount\":" #un    \
	",\"updatedMachineCount\":" #up "}],\"readyMachineCount\":" #r                         \
	",\"unavailableMachineCount\":" #un

static const struct plan_case plans[] = {
	{ "a first move, in upstream's order",
	  { .nodes = "a v0 v0 Done;b v0 v0 Done t", .max = "1" },
	  "0 PATCH /api/v1/nodes/a {\"metadata\":{\"resourceVersion\":\"7\"},"
	  "\"spec\":{\"taints\":[{\"effect\":\"PreferNoSchedule\","
	  "\"key\":\"UpdateInProgress\"}]}}  # node needs an update\n"
	  "1 LOG Pool worker: 2 candidate nodes in 0 zones for update, capacity: 1\n"
	  "1 LOG Pool worker: selected candidate node a\n"
	  "2 "
	  "PATCH "
	  "/api/v1/nodes/a "
	  "{\"metadata\":{\"annotations\":{\"machineconfiguration.openshift.io/"
	  "desiredConfig\":\"v1\"}}}  # pool worker: new target v1\n"
	  "3 EVENT Normal SetDesiredConfig on MachineConfigPool/worker: Targeted node a to "
	  "MachineConfig: v1\n"
	  "3 METRIC mcc_sub_controller_state machine-config-controller-node,Sync Machine "
	  "Config Pool,worker = now\n"
	  "4 PUT /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker/status "
	  "{\"metadata\":{\"name\":\"worker\",\"generation\":3},"
	  "\"spec\":{\"configuration\":{\"name\":\"v1\"},"
	  "\"nodeSelector\":{\"matchLabels\":{\"w\":\"\"}},\"maxUnavailable\":1},\"status\":{" STATUS_HEAD
	  "\"configuration\":{},\"degradedMachineCount\":0,"
	  "\"machineCount\":2,\"observedGeneration\":3," SYNC(2, 2, 0, 0, 0) ",\"updatedMachineCount\":0,\"conditions\":[" COND(
		  "Updated", "False",
		  "") "," COND("Updating", "True",
			       "All nodes are updating to MachineConfig v1") "," COND("NodeDegraded",
										      "False",
										      "") "," COND("Degraded",
												   "False",
												   "") "]}}  # counts or conditions changed\n"
												       "5 METRIC mco_state a,worker,Updating, = now\n"
												       "5 METRIC mco_state b,worker,Updating, = now\n"
												       "5 METRIC mco_machine_count worker = 2\n"
												       "5 METRIC mco_updated_machine_count worker = 0\n"
												       "5 METRIC mco_degraded_machine_count worker = 0\n"
												       "5 METRIC mco_unavailable_machine_count worker = 0\n" },
	{ "an unconfigured pool waits",
	  { .nodes = "a v0 v0 Done", .max = "1", .extra = "'configuration':{'name':''}," },
	  "0 LOG Pool worker is unconfigured, pausing for renderer to "
	  "initialize\n" },
};

TEST whole_plans(void)
{
	for (size_t i = 0; i < ARRAY_LEN(plans); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct actions out = { 0 };
		struct pool_view v;
		struct buf b;

		move_view(&a, &plans[i].in, &v);
		buf_init(&b, &a);
		ASSERT_INT_M(plans[i].name, 0, plan_pool(&a, &v, &out, &err));
		actions_print(&b, &out);
		ASSERT_STR_M(plans[i].name, str_of(plans[i].want), buf_str(&b));
	}
	PASS();
}

/* A taint that cannot be set blocks neither the nodes nor their reports. */
TEST taints_are_no_condition(void)
{
	static const struct move_case m = { .nodes = "a v0 v0 Done", .max = "1" };
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct actions out = { 0 };
	struct pool_view v;
	int taints = 0;

	move_view(&a, &m, &v);
	ASSERT_INT(0, plan_pool(&a, &v, &out, &err));
	for (size_t i = 0; i < out.n; i++) {
		if (str_find(out.v[i].body, S("taints")) < 0)
			continue;
		ASSERT_INT(ACTION_LATER, out.v[i].fail);
		taints++;
	}
	ASSERT_INT(1, taints);
	PASS();
}

TEST selects_all(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct move_case m = { .nodes = "a v0 v0 Done", .max = "1" };
	struct err err = ERR_INIT(&a);
	struct actions out = { 0 };
	struct pool_view v;
	struct buf b;

	move_view(&a, &m, &v);
	v.pool = fx_pool(&a, "{'metadata':{'name':'all'},'spec':{"
			     "'nodeSelector':{},'configuration':{"
			     "'name':'v1'}}}");
	ASSERT_INT(0, plan_pool(&a, &v, &out, &err));
	buf_init(&b, &a);
	actions_print(&b, &out);
	ASSERT_STR("0 EVENT Warning SelectingAll on MachineConfigPool/all: "
		   "This machineconfigpool is selecting all nodes. A non-empty "
		   "selector is required.\n",
		   buf_str(&b));
	PASS();
}

/* ---- the pool's status --------------------------------------------------- */

struct status_case {
	const char *name, *nodes, *want;
	const char *extra; /* of the pool's spec */
	const char *before; /* its conditions */
	const char *mcns; /* "a:degraded message;b:" */
	const char *build; /* of a layered pool: prepared, building, … */
};

#define OK_DEGRADED "NodeDegraded=False//;Degraded=False//"

static const struct status_case statuses[] = {
	{ .name = "all are there",
	  .nodes = "a v1 v1 Done;b v1 v1 Done",
	  .want = "2 2 2 0 0;Updated=True//All nodes are updated with "
		  "MachineConfig v1;Updating=False//;" OK_DEGRADED },
	{ .name = "a pool without nodes is updated",
	  .nodes = "",
	  .want = "0 0 0 0 0;Updated=True//All nodes are updated with "
		  "MachineConfig v1;Updating=False//;" OK_DEGRADED },
	{ .name = "one is at work",
	  .nodes = "a v0 v1 Working;b v1 v1 Done",
	  .want = "2 1 1 1 0;Updated=False//;Updating=True//All nodes are "
		  "updating to MachineConfig v1;" OK_DEGRADED },
	{ .name = "one is cordoned though updated",
	  .nodes = "a v1 v1 Done u;b v1 v1 Done",
	  .want = "2 2 1 1 0;Updated=False//;Updating=True//All nodes are "
		  "updating to MachineConfig v1;" OK_DEGRADED },
	{ .name = "paused with something to do",
	  .nodes = "a v0 v0 Done",
	  .extra = "'paused':true,",
	  .want = "1 0 0 0 0;Updated=False//;Updating=False//Pool is paused; "
		  "will not update to MachineConfig v1;" OK_DEGRADED },
	{ .name = "paused with nothing to do",
	  .nodes = "a v1 v1 Done",
	  .extra = "'paused':true,",
	  .want = "1 1 1 0 0;Updated=True//All nodes are updated with "
		  "MachineConfig v1;Updating=False//;" OK_DEGRADED },
	{ .name = "the annotation alone gives no text",
	  .nodes = "a v0 v1 Degraded;b v1 v1 Done",
	  .want = "2 1 1 0 1;Updated=False//;Updating=True//All nodes are "
		  "updating to MachineConfig v1;NodeDegraded=True/0 nodes are "
		  "reporting degraded status on sync/;Degraded=True//" },
	{ .name = "a degraded node is named, twice as upstream does",
	  .nodes = "a v0 v1 Degraded;b v1 v1 Done",
	  .mcns = "a:no \"disk\";b:",
	  .want = "2 1 1 0 1;Updated=False//;Updating=True//All nodes are "
		  "updating to MachineConfig v1;NodeDegraded=True/1 nodes are "
		  "reporting degraded status on sync/Node a is reporting: "
		  "\"no \\\"disk\\\"\", Node a is reporting: \"why\";Degraded="
		  "True//Node a is reporting: \"no \\\"disk\\\"\", Node a is "
		  "reporting: \"why\"" },
	{ .name = "a target that does not exist is said",
	  .nodes = "a v0 v0 Done",
	  .extra = "'configuration':{'name':'gone'},",
	  .want = "1 0 0 0 0;Updated=False//;Updating=False/ConfigNotFound/"
		  "Pool cannot update: MachineConfig gone does not exist; it "
		  "is written again when the pool renders;" OK_DEGRADED },
	{ .name = "a node whose config was deleted is said",
	  .nodes = "a lost lost Done;b v1 v1 Done",
	  .want = "2 1 1 0 0;Updated=False//;Updating=True//All nodes are "
		  "updating to MachineConfig v1;NodeDegraded=True/1 nodes have "
		  "a config that was deleted/Node a: its currentConfig lost "
		  "does not exist; create it again (from a backup or another "
		  "cluster) so that the node can be updated;Degraded=True//"
		  "Node a: its currentConfig lost does not exist; create it "
		  "again (from a backup or another cluster) so that the node "
		  "can be updated" },
	{ .name = "a render failure degrades the pool",
	  .nodes = "a v1 v1 Done",
	  .before = "RenderDegraded",
	  .want = "1 1 1 0 0;RenderDegraded=True//;Updated=True//All nodes are "
		  "updated with MachineConfig v1;Updating=False//;"
		  "NodeDegraded=False//;Degraded=True//" },
	{ .name = "a layered pool waits for its build",
	  .nodes = "a v1 v1 Done i=img",
	  .build = "building",
	  .want = "1 1 1 0 0;Updated=False//;Updating=True//Pool is waiting "
		  "for OS image build to complete (mosb: bld);"
		  "NodeDegraded=False//;ImageBuildDegraded=False/Building/New "
		  "build started;Degraded=False//" },
	{ .name = "a layered pool that has its image",
	  .nodes = "a v1 v1 Done i=img",
	  .build = "succeeded",
	  .want = "1 1 1 0 0;Updated=True//All nodes are updated with "
		  "MachineConfig v1 / Image img;Updating=False//;NodeDegraded="
		  "False//;ImageBuildDegraded=False/BuildSuccess/Build "
		  "completed successfully;Degraded=False//" },
	{ .name = "a layered pool whose build has not begun",
	  .nodes = "a v1 v1 Done i=img",
	  .build = "",
	  .before = "ImageBuildDegraded",
	  .want = "1 0 0 0 0;Updated=False//;Updating=True//Pool is waiting "
		  "for a new OS image build to start (mosc: cfg);"
		  "NodeDegraded=False//;ImageBuildDegraded=False/BuildPending/"
		  "MachineOSConfig updated/created, waiting for MachineOSBuild;"
		  "Degraded=False//" },
	{ .name = "a stale build failure of a pool no longer layered",
	  .nodes = "a v1 v1 Done",
	  .before = "ImageBuildDegraded",
	  .want = "1 1 1 0 0;Updated=True//All nodes are updated with "
		  "MachineConfig v1;Updating=False//;NodeDegraded=False//;"
		  "ImageBuildDegraded=False/NoLayeredObjects/No layered pool "
		  "objects found, clearing stale build degraded condition;"
		  "Degraded=False//" },
};

static struct map *made_mcns(struct arena *a, const char *text)
{
	struct map *m = ARENA_NEW(a, struct map);
	struct str rest = str_of(text);

	map_init(m, a);
	while (rest.n) {
		struct str said = fx_word(&rest, ';');
		struct mcn *mcn = ARENA_NEW(a, struct mcn);

		mcn->name = fx_word(&said, ':');
		mcn->any = true;
		mcn->degraded = said.n > 0;
		mcn->degraded_message = said;
		map_put(m, mcn->name, mcn);
	}
	return m;
}

static struct str status_text(struct arena *a, const struct actions *out)
{
	static const char *const counts[] = { "machineCount", "updatedMachineCount",
					      "readyMachineCount", "unavailableMachineCount",
					      "degradedMachineCount" };
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < out->n; i++) {
		const struct json *s;
		struct conditions list;

		if (out->v[i].kind != ACTION_REPLACE)
			continue;
		s = json_at(fx_json(a, out->v[i].body), "status");
		for (size_t k = 0; k < 5; k++)
			buf_addf(&b, "%s%lld", k ? " " : "", (long long)json_i64(s, counts[k], -1));
		list = conditions_of(a, json_at(s, "conditions"));
		for (size_t k = 0; k < list.n; k++)
			buf_addf(&b, ";%.*s=%.*s/%.*s/%.*s", STRF(list.v[k].type),
				 STRF(list.v[k].status), STRF(list.v[k].reason),
				 STRF(list.v[k].message));
	}
	return buf_str(&b);
}

TEST status(void)
{
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct status_case *c = &statuses[i];
		struct move_case m = { .nodes = c->nodes,
				       .max = "1",
				       .extra = c->extra,
				       .layered = c->build != NULL };
		struct err err = ERR_INIT(&a);
		struct actions out = { 0 };
		struct os_build build;
		struct pool_view v;
		struct mcp pool;

		move_view(&a, &m, &v);
		pool = *v.pool;
		if (c->before) {
			struct condition cond = { .type = str_of(c->before),
						  .status = CONDITION_TRUE };

			conditions_set(&a, &pool.conditions, CONDITION_ALL, cond, v.now);
		}
		v.pool = &pool;
		if (c->mcns)
			v.mcns = made_mcns(&a, c->mcns);
		for (size_t k = 0; c->mcns && k < v.n_nodes; k++)
			((struct knode *)(uintptr_t)v.nodes[k])->reason = S("why");
		if (c->build) {
			build = v.os_builds[0];
			build.succeeded = str_is(S("succeeded"), c->build);
			build.building = str_is(S("building"), c->build);
			v.os_builds = &build;
			v.n_os_builds = c->build[0] != 0;
		}
		ASSERT_INT_M(c->name, 0, plan_pool(&a, &v, &out, &err));
		ASSERT_STR_M(c->name, str_of(c->want), status_text(&a, &out));
	}
	PASS();
}

/* Nothing is written when nothing changed: a planned status is the input of the next plan. */
TEST settled(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct move_case m = { .nodes = "a v1 v1 Done;b v1 v1 Done", .max = "1" };
	struct err err = ERR_INIT(&a);
	struct actions out = { 0 }, again = { 0 };
	struct pool_view v;
	struct mcp pool;

	move_view(&a, &m, &v);
	ASSERT_INT(0, plan_pool(&a, &v, &out, &err));
	ASSERT_INT(ACTION_REPLACE, out.v[0].kind);
	ASSERT_INT(0, mcp_read(&a, fx_json(&a, out.v[0].body), &pool, &err));
	v.pool = &pool;
	v.now.sec += 60;
	ASSERT_INT(0, plan_pool(&a, &v, &again, &err));
	ASSERT_INT(0, again.n);
	PASS();
}

/* ---- node events --------------------------------------------------------- */

struct event_case {
	const char *name, *before, *after, *want;
};

static const struct event_case events[] = {
	{ "a new node", NULL, "a - - - l=w=", "worker|METRIC mcc_pool_alert a = 0\n" },
	{ "a node that left", "a v1 v1 Done l=infra= l=w=", NULL,
	  "infra worker|UNMETRIC mcc_drain_err a\n" },
	{ "nothing that matters",
	  "a v1 v1 Done l=w=", "a v1 v1 Done l=w=", "|METRIC mcc_pool_alert a = 0\n" },
	{ "a node no daemon has run on", "a - - - l=w=", "a - - - l=w= u", "|" },
	{ "cordoned", "a v1 v1 Done l=w=", "a v1 v1 Done l=w= u",
	  "worker|METRIC mcc_pool_alert a = 0\nLOG Pool worker: node a: "
	  "Reporting unready: node a is reporting Unschedulable\n" },
	{ "uncordoned, in a zone", "a v1 v1 Done l=w= u z=1", "a v1 v1 Done l=w= z=1",
	  "worker|METRIC mcc_pool_alert a = 0\nLOG Pool worker[zone=1]: node "
	  "a: Reporting ready\n" },
	{ "tainted", "a v1 v1 Done l=w=", "a v1 v1 Done l=w= t",
	  "worker|METRIC mcc_pool_alert a = 0\nLOG Pool worker: node a: "
	  "changed taints\n" },
	{ "an update is done", "a v0 v1 Working l=w=", "a v1 v1 Done l=w=",
	  "worker|METRIC mcc_pool_alert a = 0\nLOG Pool worker: node a: "
	  "Completed update to v1\n" },
	{ "moved from one pool to another", "a v1 v1 Done l=w=", "a v1 v1 Done l=w= l=infra=",
	  "worker infra|LOG Pool infra: node a: changed from pool worker\n"
	  "METRIC mcc_pool_alert a = 0\n"
	  "LOG Pool infra: node a: changed labels\n" },
	{ "now in two custom pools",
	  "a v1 v1 Done l=w= l=infra=", "a v1 v1 Done l=w= l=infra= l=arb=",
	  "infra|LOG error finding pool for node: node a belongs to 2 custom roles, cannot proceed with "
	  "this Node\n" },
	{ "no longer in two", "a v1 v1 Done l=w= l=infra= l=arb=", "a v1 v1 Done l=w= l=infra=",
	  "arbiter infra worker|METRIC mcc_pool_alert a = 0\n"
	  "LOG Pool infra: node a: changed labels\n" },
	{ "a master's annotations are reported",
	  "a v0 v0 Done l=m= l=node-role.kubernetes.io/control-plane=",
	  "a v0 v1 - l=m= l=node-role.kubernetes.io/control-plane=",
	  "master|METRIC mcc_pool_alert a = 0\n"
	  "LOG Pool master: node a: changed annotation "
	  "machineconfiguration.openshift.io/desiredConfig = v1\n"
	  "EVENT Normal AnnotationChange on MachineConfigPool/master: Node a "
	  "now has machineconfiguration.openshift.io/desiredConfig=v1\n"
	  "LOG Pool master: node a: lost annotation "
	  "machineconfiguration.openshift.io/state\n"
	  "EVENT Normal AnnotationChange on MachineConfigPool/master: Node a "
	  "no longer has machineconfiguration.openshift.io/state\n" },
	{ "a Windows node", "a v1 v1 Done l=w= l=kubernetes.io/os=windows",
	  "a v1 v1 Done l=w= l=kubernetes.io/os=windows u", "|" },
};

TEST node_events(void)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct event_case *c = &events[i];
		struct mcp_list pools = { 0 }, queue = { 0 };
		struct actions out = { 0 };
		struct knode_event_view v = { .pools = &pools };
		struct buf b;

		all_pools(&a, &pools);
		if (c->before)
			v.old = fx_node(&a, str_of(c->before));
		if (c->after)
			v.new = fx_node(&a, str_of(c->after));
		plan_knode_event(&a, &v, &queue, &out);
		buf_init(&b, &a);
		for (size_t k = 0; k < queue.n; k++)
			buf_addf(&b, "%s%.*s", k ? " " : "", STRF(queue.v[k]->meta.name));
		buf_addc(&b, '|');
		for (size_t k = 0; k < out.n; k++) {
			struct actions one = { .v = &out.v[k], .n = 1 };
			struct buf line;

			buf_init(&line, &a);
			actions_print(&line, &one);
			buf_add(&b, str_from(buf_str(&line), 2));
		}
		ASSERT_STR_M(c->name, str_of(c->want), buf_str(&b));
	}
	PASS();
}

struct master_case {
	const char *name, *node;
	bool has, schedulable;
	const char *want;
};

#define CP " l=node-role.kubernetes.io/control-plane="
#define MASTER "a v1 v1 Done l=node-role.kubernetes.io/master="
#define HEAD "{\"metadata\":{\"resourceVersion\":\"7\""
#define NOSCHED "{\"effect\":\"NoSchedule\",\"key\":\"" LABEL_MASTER "\"}"

static const struct master_case masters[] = {
	{ "gets the control-plane label", MASTER, false, false,
	  HEAD ",\"labels\":{\"" LABEL_CONTROL_PLANE "\":\"\"}}}" },
	{ "no Scheduler, no change", MASTER CP, false, false, "" },
	{ "not schedulable: tainted", MASTER CP, true, false,
	  HEAD "},\"spec\":{\"taints\":[" NOSCHED "]}}" },
	{ "other taints stay", MASTER CP " t", true, false,
	  HEAD "},\"spec\":{\"taints\":[{\"effect\":\"PreferNoSchedule\","
	       "\"key\":\"UpdateInProgress\"}," NOSCHED "]}}" },
	{ "schedulable: a worker, too", MASTER CP, true, true,
	  HEAD ",\"labels\":{\"" LABEL_WORKER "\":\"\"}}}" },
	{ "no longer schedulable", MASTER CP " l=node-role.kubernetes.io/worker=", true, false,
	  HEAD ",\"labels\":{\"" LABEL_WORKER "\":null}},\"spec\":{\"taints\":[" NOSCHED "]}}" },
	{ "not a master", "a v1 v1 Done l=w=", true, false, "" },
};

TEST master_labels(void)
{
	for (size_t i = 0; i < ARRAY_LEN(masters); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct actions out = { 0 };

		plan_master(&a, fx_node(&a, str_of(masters[i].node)), masters[i].has,
			    masters[i].schedulable, &out);
		ASSERT_STR_M(masters[i].name, str_of(masters[i].want),
			     out.n ? out.v[0].body : S(""));
	}
	PASS();
}

struct skew_case {
	const char *name, *configuration, *infrastructure;
	int want;
};

#define MODE(m) "{'status':{'bootImageSkewEnforcementStatus':{'mode':'" m "'}}}"
#define INFRA(t, p)                                                           \
	"{'status':{'controlPlaneTopology':'" t "','platformStatus':{'type':" \
	"'" p "'}}}"

static const struct skew_case skews[] = {
	{ "no enforcement", MODE("None"), INFRA("HighlyAvailable", "AWS"), 1 },
	{ "enforced", MODE("Manual"), INFRA("HighlyAvailable", "AWS"), 0 },
	{ "a single node", MODE("None"), INFRA("SingleReplica", "AWS"), 0 },
	{ "bare metal", MODE("None"), INFRA("HighlyAvailable", "BareMetal"), 0 },
	{ "nothing known", "{}", INFRA("HighlyAvailable", "AWS"), 0 },
};

TEST skew(void)
{
	for (size_t i = 0; i < ARRAY_LEN(skews); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct actions out = { 0 };

		plan_skew_metric(&a, fx_quote(&a, skews[i].configuration),
				 fx_quote(&a, skews[i].infrastructure), &out);
		ASSERT_INT_M(skews[i].name, 1, out.n);
		ASSERT_INT_M(skews[i].name, skews[i].want, (int)out.v[0].metric.value);
	}
	PASS();
}

/* ---- decoding ------------------------------------------------------------ */

static const char node_text[] =
	"{'metadata':{'name':'n','uid':'u','resourceVersion':'12',"
	"'creationTimestamp':'2023-11-14T22:13:20Z','labels':{'b':'2','a':''},"
	"'annotations':{'machineconfiguration.openshift.io/state':'Done',"
	"'machineconfiguration.openshift.io/currentConfig':'v1','x':'y'}},"
	"'spec':{'unschedulable':true,'taints':[{'key':'k'}]},"
	"'status':{'conditions':[{'type':'MemoryPressure','status':'True'},"
	"{'type':'DiskPressure','status':'Unknown'},"
	"{'type':'Ready','status':'False'}]}}";

TEST decoded(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode n, *copy;
	struct str v;
	void *mem;

	knode_decode(&a, fx_quote(&a, node_text), &n);
	mem = malloc(knode_size(&n));
	ASSERT(mem != NULL);
	ASSERT(knode_size(&n) < 450);
	copy = knode_copy(mem, &n);
	memset(&n, 0xA5, sizeof(n));
	arena_free(&a);
	ASSERT_STR("n", copy->name);
	ASSERT_STR("12", copy->version);
	ASSERT_STR("v1", copy->current_config);
	ASSERT(copy->desired_config.p == NULL);
	ASSERT_INT(1700000000, copy->created);
	ASSERT_STR("[{\"key\":\"k\"}]", copy->taints);
	ASSERT(labels_get(copy->labels, S("b"), &v));
	ASSERT_STR("2", v);
	ASSERT(!labels_get(copy->labels, S("c"), &v));
	ASSERT_STR("node n is reporting OutOfDisk=Unknown", knode_unready_text(&a, copy));
	free(mem);
	PASS();
}

SUITE(pool)
{
	RUN_TEST(assigned);
	RUN_TEST(max_unavailable);
	RUN_TEST(movers);
	RUN_TEST(stale_builds);
	RUN_TEST(whole_plans);
	RUN_TEST(taints_are_no_condition);
	RUN_TEST(selects_all);
	RUN_TEST(status);
	RUN_TEST(settled);
	RUN_TEST(node_events);
	RUN_TEST(master_labels);
	RUN_TEST(skew);
	RUN_TEST(decoded);
}

TEST_MAIN(pool)
