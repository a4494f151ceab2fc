/*
 * The views of the cluster for the plans of pools: rendering, pinned images, rollout, masters.
 *
 * A view holds pointers into the caches and is valid for one plan. The decisions are in plan/.
 */
#include "controller_sync.h"
#include "io/clock.h"
#include "io/version.h"
#include "plan/pin.h"
#include "plan/pool.h"
#include "plan/render_sync.h"
#include "plan/trigger.h"

static void see_trees(struct controller *c, struct arena *a, enum watched kind,
		      struct json_list *out)
{
	struct kube_item *const *v;
	size_t n = known_all(c, kind, &v);

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, out, ((struct object *)v[i]->value)->doc.tree);
}

static struct pool_state *state_of(struct controller *c, struct str pool)
{
	struct pool_state *s = map_get(&c->pools, pool);

	if (!s) {
		s = ARENA_NEW(&c->kept, struct pool_state);
		map_put(&c->pools, str_dup(&c->kept, pool), s);
	}
	return s;
}

int sync_render(struct controller *c, struct str name, struct arena *a, struct actions *out,
		struct err *err)
{
	const struct object *pool = kube_cache_get(c->watches[W_POOL].cache, name);
	int64_t now = clock_ms(), wait;

	if (!pool || json_at(pool->doc.tree, "metadata.deletionTimestamp"))
		return 0;
	/* MachineConfigs that are being created count as a change */
	wait = trigger_wait(&state_of(c, name)->waits_since, now, c->making ? now : c->last_change,
			    c->gather_ms);
	if (!wait)
		return sync_generate(c, GENERATE_RENDER, name, a, out, err);
	action_requeue(a, out, wait, S("MachineConfigs are still changing"));
	return 0;
}

int pin_pool(struct controller *c, struct str name, struct str failed, struct arena *a,
	     struct actions *out, struct err *err)
{
	const struct object *pool = kube_cache_get(c->watches[W_POOL].cache, name);
	struct json_list sets = { 0 };

	if (!pool || json_at(pool->doc.tree, "metadata.deletionTimestamp"))
		return 0;
	see_trees(c, a, W_PINNED, &sets);
	return plan_pin_pool(a, &pool->pool, &sets, clock_wall(), failed, out, err);
}

static void see_configs(struct controller *c, struct arena *a, struct map *configs)
{
	struct kube_item *const *v;
	size_t n = known_all(c, W_MC, &v);
	struct pool_config *list = arena_array(a, n, sizeof(*list));

	map_init(configs, a);
	for (size_t i = 0; i < n; i++) {
		const struct object *o = v[i]->value;
		const struct json *owner =
			json_first(json_at(o->doc.tree, "metadata.ownerReferences"));

		list[i].owner = json_str(owner, "name");
		list[i].os_image = o->mc.os_image;
		map_put(configs, v[i]->key, &list[i]);
	}
}

/* The nodes whose first pool this is. */
static void see_nodes(struct controller *c, struct arena *a, struct pool_view *v)
{
	struct kube_item *const *items;
	size_t n = known_nodes(c, v->pool->meta.name, &items);
	const struct knode **nodes = arena_array(a, n, sizeof(*nodes));

	v->nodes = nodes;
	v->n_nodes = n;
	for (size_t i = 0; i < n; i++)
		nodes[i] = items[i]->value;
}

static void see_layers(struct controller *c, struct arena *a, struct pool_view *v)
{
	struct kube_item *const *items;
	size_t n = known_all(c, W_OS_CONFIG, &items);
	struct os_config *configs = arena_array(a, n, sizeof(*configs));
	struct os_build *builds;

	for (size_t i = 0; i < n; i++)
		configs[i] = ((struct object *)items[i]->value)->os_config;
	v->os_configs = configs;
	v->n_os_configs = n;
	n = known_all(c, W_OS_BUILD, &items);
	builds = arena_array(a, n, sizeof(*builds));
	for (size_t i = 0; i < n; i++)
		builds[i] = ((struct object *)items[i]->value)->os_build;
	v->os_builds = builds;
	v->n_os_builds = n;
}

bool pool_answered(struct controller *c, struct str pool, const struct action *act,
		   const struct kube_answer *ans)
{
	if (ans->rc == 0)
		return true; /* the watch will report it */
	if (ans->rc != -ERR_NOTFOUND)
		return false;
	arena_free(&c->no_build_arena);
	c->no_build = str_dup(&c->no_build_arena,
			      str_from(act->path, (size_t)str_rchr(act->path, '/') + 1));
	c->no_build_pool = str_dup(&c->no_build_arena, pool);
	kube_queue_add(c->queue, SYNC_POOL, pool);
	return true;
}

/* Valid for one plan: the build may be created at any time. */
static struct str take_no_build(struct controller *c, struct arena *a, struct str pool)
{
	struct str build = S("");

	if (str_eq(c->no_build_pool, pool)) {
		build = str_dup(a, c->no_build);
		c->no_build_pool = S("");
	}
	return build;
}

int sync_pool(struct controller *c, struct str name, struct arena *a, struct actions *out,
	      struct err *err)
{
	const struct object *pool = kube_cache_get(c->watches[W_POOL].cache, name);
	struct map mcns, configs;
	struct pool_state *state;
	struct mcp_list pools = { 0 };
	struct kube_item *const *items;
	struct pool_view v = {
		.now = clock_wall(),
		.pools = &pools,
		.mcns = &mcns,
		.configs = &configs,
		.controller_config = known_tree(c, W_CONTROLLER, NAME_CONTROLLER),
		.no_build = take_no_build(c, a, name),
		.os_image_stream = known_tree(c, W_STREAM, NAME_CLUSTER),
		.image_mode = mc_gate(&c->gates.names, "ImageModeStatusReporting"),
		.os_streams = mc_gate(&c->gates.names, "OSStreams") && !version_scos(),
	};
	size_t n;

	if (!pool)
		return 0;
	v.pool = &pool->pool;
	known_pools(c, a, &pools);
	see_nodes(c, a, &v);
	map_init(&mcns, a);
	n = known_all(c, W_MCN, &items);
	for (size_t i = 0; i < n; i++)
		map_put(&mcns, items[i]->key, ((struct kept_mcn *)items[i]->value)->mcn);
	see_configs(c, a, &configs);
	see_layers(c, a, &v);
	if (known_all(c, W_OPERATOR, &items) == 1)
		v.operator_node =
			json_str(((struct object *)items[0]->value)->doc.tree, "spec.nodeName");
	state = state_of(c, name);
	v.fresh_metrics = !state->counted;
	state->counted = true;
	c->waits = !v.controller_config;
	return plan_pool(a, &v, out, err);
}

int sync_pinned(struct controller *c, struct str name, struct arena *a, struct actions *out,
		struct err *err)
{
	return pin_pool(c, name, S(""), a, out, err);
}

int sync_master(struct controller *c, struct str name, struct arena *a, struct actions *out,
		struct err *err)
{
	const struct knode *node = kube_cache_get(c->watches[W_NODE].cache, name);
	const struct json *s = known_tree(c, W_SCHEDULER, NAME_CLUSTER);

	(void)err;
	if (node)
		plan_master(a, node, s || c->no_scheduler,
			    json_bool(s, "spec.mastersSchedulable", false), out);
	return 0;
}
