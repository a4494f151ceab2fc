/*
 * Objects of any shape through the controllers' decoders and plans: each plan
 * ends, and every body in it is JSON.
 */
#include "fuzz.h"
#include "../plan/actions_print.h"

#include "plan/drain.h"
#include "plan/pool.h"
#include "plan/render_sync.h"
#include "plan/template_sync.h"

static void check(struct arena *a, const struct actions *out)
{
	struct buf b;

	for (size_t i = 0; i < out->n; i++) {
		struct err err = ERR_INIT(a);
		struct json *j;

		if (out->v[i].body.n)
			MUST(json_parse(a, out->v[i].body, NULL, &j, &err) == 0);
		if (out->v[i].kind <= ACTION_EVICT)
			MUST(out->v[i].path.n && out->v[i].reason.n);
	}
	buf_init(&b, a);
	actions_print(&b, out);
}

static void fuzz_pool(struct arena *a, const struct json *j)
{
	struct err err = ERR_INIT(a);
	struct knode node, old;
	const struct knode *nodes[] = { &node };
	struct mcp pool;
	struct mcp *list[] = { &pool };
	struct mcp_list pools = { list, 1, 1 }, queue = { 0 };
	struct actions out = { 0 }, events = { 0 };
	struct os_config config;
	struct os_build build;
	struct mcn mcn;
	struct map mcns;
	struct pool_view v = { .pool = &pool,
			       .pools = &pools,
			       .nodes = nodes,
			       .n_nodes = 1,
			       .mcns = &mcns,
			       .controller_config = json_at(j, "cc"),
			       .os_configs = &config,
			       .os_builds = &build,
			       .n_os_configs = json_at(j, "config") != NULL,
			       .n_os_builds = json_at(j, "build") != NULL,
			       .image_mode = json_bool(j, "image", false) };
	struct knode_event_view e = { &pools, &old, &node, true, true };

	knode_decode(a, json_at(j, "node"), &node);
	knode_decode(a, json_at(j, "old"), &old);
	mcn_decode(json_at(j, "mcn"), &mcn);
	os_config_decode(json_at(j, "config"), &config);
	os_build_decode(json_at(j, "build"), &build);
	(void)mcp_read(a, json_at(j, "pool"), &pool, &err);
	map_init(&mcns, a);
	map_put(&mcns, node.name, &mcn);
	(void)plan_pool(a, &v, &out, &err);
	check(a, &out);
	plan_knode_event(a, &e, &queue, &events);
	check(a, &events);
}

static void fuzz_drain(struct arena *a, const struct json *j)
{
	struct err err = ERR_INIT(a);
	struct drain d = DRAIN_INIT;
	struct knode node;
	struct mc_pod pod;
	struct drain_view v = { .node = &node,
				.pool = S("worker"),
				.pods = &pod,
				.n_pods = 1,
				.pods_known = true,
				.eviction_api = S("policy/v1") };

	knode_decode(a, json_at(j, "node"), &node);
	pod_decode(json_at(j, "pod"), &pod);
	for (int i = 0; i < 12; i++) {
		struct actions out = { 0 };

		v.now.sec += 7;
		if (plan_drain(a, &v, &d, &out, &err) < 0)
			break;
		check(a, &out);
		for (size_t k = 0; k < out.n; k++) {
			struct drain_answer r = { .status = i % 3 ? 200 : 429, .message = S("no") };

			if (out.v[k].kind == ACTION_GET && json_at(j, "mcn"))
				r.body = json_format(a, json_at(j, "mcn"), 0);
			drain_reply(&d, out.v[k].tag, v.now, &r);
		}
		node.unschedulable = i % 2;
	}
	drain_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *j;

	if (json_parse(&a, (struct str){ (const char *)data, size }, NULL, &j, &err) < 0)
		return 0;
	fuzz_pool(&a, j);
	fuzz_drain(&a, j);
	(void)controller_certificates(&a, json_at(j, "cc"));
	(void)controller_config_completed(&a, json_at(j, "cc"), &err);
	return 0;
}
