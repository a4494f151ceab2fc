/*
 * Whole rollouts on a virtual cluster, with many seeds: the invariants hold at
 * every step, and a controller that crashes at any action reaches the same end.
 */
#include "simulate.h"

#include "fixture.h"

struct plot {
	const char *max; /* maxUnavailable of the workers */
	size_t masters, workers;
	unsigned crash;
	bool calm; /* only the rollout runs, no other events */
};

#define ROLE "node-role.kubernetes.io/"

static const struct json *make_node(struct arena *a, const char *role, size_t i, struct test_rng *r)
{
	return fx_quote(a, str_fmt(a,
				   "{'metadata':{'name':'%s-%zu','creationTimestamp':"
				   "'2023-01-%02uT00:00:00Z','labels':{'" ROLE "%s':'',"
				   "'topology.kubernetes.io/zone':'z%u'},'annotations':{"
				   "'" ANNO_CURRENT_CONFIG "':'%s-0','" ANNO_DESIRED_CONFIG
				   "':'%s-0','" ANNO_STATE "':'Done','" ANNO_DESIRED_DRAIN
				   "':'uncordon-%s-0','" ANNO_APPLIED_DRAIN
				   "':'uncordon-%s-0'}},'spec':{},'status':{'conditions':"
				   "[{'type':'Ready','status':'True'}]}}",
				   role, i, 1 + test_rand(r, 28), role, test_rand(r, 3), role, role,
				   role, role)
				   .p);
}

static void make_pool(struct sim *s, struct arena *a, const char *name, const char *max)
{
	sim_pool(s, fx_quote(a, str_fmt(a,
					"{'apiVersion':'" API_MC "','kind':"
					"'MachineConfigPool','metadata':{"
					"'name':'%s'},'spec':{'configuration':"
					"{'name':'%s-1'},'nodeSelector':{"
					"'matchLabels':{'" ROLE "%s':''}},"
					"'maxUnavailable':%s}}",
					name, name, name, max)
					.p));
	for (int i = 0; i < 3; i++)
		sim_config(s, str_fmt(a, "%s-%d", name, i));
}

static void make_cluster(struct sim *s, struct arena *a, const struct plot *p, uint64_t seed)
{
	struct test_rng r = { seed };
	size_t n = p->masters + p->workers;
	const struct json **trees = arena_array(a, n, sizeof(*trees));

	sim_init(s, seed, (struct instant){ 1700000000, 0 });
	s->crash = p->crash;
	s->controller_config = fx_quote(a, "{'spec':{'infra':{'status':{'controlPlaneTopology':"
					   "'HighlyAvailable'}}}}");
	make_pool(s, a, "infra", "1");
	make_pool(s, a, "master", "1");
	make_pool(s, a, "worker", p->max);
	for (size_t i = 0; i < n; i++)
		trees[i] = i < p->masters ? make_node(a, "master", i, &r)
					  : make_node(a, "worker", i - p->masters, &r);
	sim_nodes(s, trees, n);
	for (size_t i = 0; i < n; i++) {
		int64_t free_at = drain_ms(s->now) + (int64_t)test_rand(&r, 7200) * 1000;

		for (uint32_t k = test_rand(&r, 4); k > 0; k--)
			sim_pod(s, i, str_fmt(a, "pod-%zu-%u-", i, k),
				test_rand(&r, 4) ? 0 : free_at);
		if (!p->calm)
			s->nodes[i].failures = (int)test_rand(&r, 3);
	}
}

/* ---- invariants ---------------------------------------------------------- */

static int64_t unavailable(struct sim *s, const struct mcp *pool, int64_t *n)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int64_t busy = 0;

	*n = 0;
	for (size_t i = 0; i < s->n_nodes; i++) {
		struct mcp_of_node of = { 0 };

		if (mcp_of_node(&s->pools, &s->nodes[i].view, &of, &err) < 0 || !of.n ||
		    of.v[0] != pool)
			continue;
		++*n;
		busy += knode_unavailable(&s->nodes[i].view);
	}
	return busy;
}

static void watch_target(struct sim *s, const struct mcp *by, const struct json *patch)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str to = json_text(
		json_member(json_at(patch, "metadata.annotations"), S(ANNO_DESIRED_CONFIG)));
	int64_t max = 0, n, busy = unavailable(s, by, &n);

	if (!to.n)
		return;
	(void)mcp_max_unavailable(by, (size_t)n, &max, &err);
	if (busy >= max)
		s->fault = S("more than maxUnavailable nodes are moved");
	if (!map_get(&s->configs, to))
		s->fault = S("a node is moved to a config that does not exist");
}

static void watch(void *ctx, struct sim *s, const struct mcp *by, const struct action *act)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mcp_of_node of = { 0 };
	const struct knode *node = NULL;
	const struct json *patch, *cordon;

	(void)ctx;
	if (act->kind != ACTION_STRATEGIC)
		return;
	if (!act->reason.n)
		s->fault = S("a node is changed for no reason");
	for (size_t i = 0; i < s->n_nodes; i++)
		if (str_eq(str_from(act->path, 14), s->nodes[i].view.name))
			node = &s->nodes[i].view;
	if (!node) {
		s->fault = S("a node that does not exist is changed");
		return;
	}
	patch = fx_json(&a, act->body);
	cordon = json_at(patch, "spec.unschedulable");
	if (by && by->paused)
		s->fault = S("a node of a paused pool is changed");
	if (by && (mcp_of_node(&s->pools, node, &of, &err) < 0 || !of.n || of.v[0] != by))
		s->fault = S("a pool changes a node that is not its own");
	if (by && cordon)
		s->fault = S("a pool cordons");
	if (cordon &&
	    !str_starts(node->desired_drain, json_is_true(cordon) ? S("drain-") : S("uncordon-")))
		s->fault = S("an unrequested cordon");
	if (by)
		watch_target(s, by, patch);
}

/* ---- events during the rollout ------------------------------------------- */

struct twist {
	int64_t at; /* seconds */
	const char *pool, *patch; /* NULL: the event is for a node */
	size_t node; /* index from the first worker */
};

static const struct twist twists[] = {
	{ 100, NULL, "{\"spec\":{\"unschedulable\":true}}", 1 },
	{ 200, "worker", "{\"spec\":{\"paused\":true}}", 0 },
	{ 300, NULL,
	  "{\"metadata\":{\"labels\":{\"node-role.kubernetes.io/infra\":"
	  "\"\"}}}",
	  0 },
	{ 400, NULL, "{\"spec\":{\"unschedulable\":null}}", 1 },
	{ 500, "worker", "{\"spec\":{\"configuration\":{\"name\":\"worker-2\"}}}", 0 },
	{ 900, "worker", "{\"spec\":{\"paused\":null}}", 0 },
	{ 1000, "worker", "{\"spec\":{\"configuration\":{\"name\":\"worker-1\"}}}", 0 },
	{ 5000, NULL,
	  "{\"metadata\":{\"labels\":{\"node-role.kubernetes.io/infra\":"
	  "null}}}",
	  0 },
	{ 5100, NULL,
	  "{\"metadata\":{\"labels\":{\"node-role.kubernetes.io/infra\":"
	  "\"\"}}}",
	  2 },
};

static void run_until(struct sim *s, int64_t ms)
{
	for (int i = 0; i < 100000 && !s->fault.n && sim_step(s, ms); i++)
		;
	if (drain_ms(s->now) < ms)
		s->now = (struct instant){ ms / 1000, 0 };
}

static void play(struct sim *s, const struct plot *p)
{
	int64_t begin = drain_ms(s->now);

	s->watch = watch;
	for (size_t i = 0; !p->calm && i < ARRAY_LEN(twists); i++) {
		run_until(s, begin + twists[i].at * 1000);
		if (twists[i].pool)
			sim_patch_pool(s, str_of(twists[i].pool), twists[i].patch);
		else
			sim_patch_node(s, p->masters + twists[i].node, twists[i].patch);
	}
	run_until(s, begin + (int64_t)200 * 3600 * 1000);
}

/* The complete final state, without times. */
static struct str ending(struct arena *a, struct sim *s)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct knode *n = &s->nodes[i].view;

		buf_addf(&b, "%.*s %.*s %.*s %.*s %.*s %.*s %s %.*s %d\n", STRF(n->name),
			 STRF(n->current_config), STRF(n->desired_config), STRF(n->state),
			 STRF(n->desired_drain), STRF(n->applied_drain),
			 n->unschedulable ? "cordoned" : "", STRF(n->taints),
			 s->nodes[i].mcn_tree != NULL);
	}
	for (size_t i = 0; i < s->pools.n; i++) {
		static const char *const types[] = { "Updated", "Updating", "NodeDegraded",
						     "Degraded" };
		const struct mcp *p = s->pools.v[i];
		const struct json *st = json_at(p->tree, "status");

		buf_addf(&b, "%.*s %lld %lld %.*s\n", STRF(p->meta.name),
			 (long long)json_i64(st, "machineCount", -1),
			 (long long)json_i64(st, "updatedMachineCount", -1),
			 STRF(json_str_or(st, "configuration.name", S("-"))));
		for (size_t k = 0; k < 4; k++) {
			const struct condition *c =
				conditions_find(&p->conditions, str_of(types[k]));

			buf_addf(&b, "  %s=%.*s %.*s\n", types[k], STRF(c ? c->status : S("?")),
				 STRF(c ? c->message : S("?")));
		}
	}
	return buf_str(&b);
}

static struct str outcome(struct arena *a, const struct plot *p, uint64_t seed,
			  unsigned long *actions)
{
	struct sim s;
	struct str out;

	make_cluster(&s, a, p, seed);
	play(&s, p);
	out = ending(a, &s);
	if (s.fault.n)
		out = str_fmt(a, "FAULT: %.*s", STRF(s.fault));
	else if (!sim_settled(&s))
		out = str_fmt(a, "never ends:\n%.*s", STRF(out));
	if (actions)
		*actions = s.actions;
	sim_free(&s);
	return out;
}

TEST rollout(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct plot p = { .max = "1", .masters = 1, .workers = 2, .calm = true };

#define ENDED(n, role) n " " role "-1 " role "-1 Done uncordon-" role "-1 uncordon-" role "-1   1\n"
#define SAYS(role)                                                      \
	"  Updated=True All nodes are updated with MachineConfig " role \
	"-1\n  Updating=False \n  NodeDegraded=False \n  Degraded=False \n"
	ASSERT_STR(
		ENDED("master-0", "master") ENDED("worker-0", "worker")
			ENDED("worker-1", "worker") "infra 0 0 infra-1\n" SAYS("infra") "master 1 1 master-1\n" SAYS(
				"master") "worker 2 2 worker-1\n" SAYS("worker"),
		outcome(&a, &p, 1, NULL));
	PASS();
}

/* maxUnavailable, pause, moved labels, failing nodes, budgets, new targets. */
TEST twisted(void)
{
	static const char *const maxes[] = { "1", "3", "\"34%\"", "\"100%\"" };

	for (uint64_t seed = 1; seed <= 12; seed++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct plot p = { .max = maxes[seed % 4], .masters = 3, .workers = 3 + seed % 6 };
		struct str want = outcome(&a, &p, seed, NULL), got;

		if (str_find(want, S("never ends")) >= 0 || str_starts(want, S("FAULT")))
			ASSERT_STR_M("without a crash", S("an end"), want);
		p.crash = 2 + (unsigned)seed % 9;
		got = outcome(&a, &p, seed, NULL);
		ASSERT_STR_M("with crashes", want, got);
	}
	PASS();
}

/* Crashes after every single action of a run. */
TEST crash_anywhere(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct plot p = { .max = "2", .masters = 1, .workers = 3, .calm = true };
	struct str want = outcome(&a, &p, 7, NULL);

	for (uint64_t seed = 100; seed < 115; seed++) {
		struct sim s;

		make_cluster(&s, &a, &p, 7);
		s.crash = 3;
		s.seed = seed;
		play(&s, &p);
		ASSERT(s.crashes > 0);
		ASSERT_STR_M("the same end", want, s.fault.n ? s.fault : ending(&a, &s));
		sim_free(&s);
	}
	PASS();
}

/* Work is linear in the number of nodes: a fixed number of writes for each. */
TEST frugal(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct plot p = { .max = "\"10%\"", .masters = 3, .calm = true };
	unsigned long few, many;

	p.workers = 10;
	(void)outcome(&a, &p, 3, &few);
	p.workers = 60;
	(void)outcome(&a, &p, 3, &many);
	ASSERT(many < few * 7);
	PASS();
}

SUITE(simulate)
{
	RUN_TEST(rollout);
	RUN_TEST(twisted);
	RUN_TEST(crash_anywhere);
	RUN_TEST(frugal);
}

TEST_MAIN(simulate)
