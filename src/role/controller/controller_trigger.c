/*
 * Decides which keys are planned when an object changes.
 *
 * A plan without changes is cheap, so where upstream waits for a retry or a resync, the key is
 * planned at once. The plan of a pool reads all of its nodes: after it, pools wait 50 ms plus ten
 * times its duration, and changes in that time are planned together.
 */
#include <stdlib.h>

#include "controller_sync.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "plan/drain.h"
#include "plan/kubelet_sync.h"
#include "plan/pool.h"
#include "plan/trigger.h"

#define TREE(o) ((o) ? (o)->doc.tree : NULL)
#define PART(o, part) ((o) ? &(o)->part : NULL)

static void add(struct controller *c, enum sync_kind kind, struct str name)
{
	int64_t rest = kind == SYNC_POOL ? c->pools_rest - clock_ms() : 0;

	if (rest > 0)
		kube_queue_after(c->queue, kind, name, rest);
	else
		kube_queue_add(c->queue, kind, name);
}

static void add_each(struct controller *c, enum sync_kind kind, enum watched of)
{
	struct kube_item *const *v;
	size_t n = known_all(c, of, &v);

	for (size_t i = 0; i < n; i++)
		add(c, kind, v[i]->key);
}

/* Queues all keys of the generators in set, a result of trigger_object. */
static void add_set(struct controller *c, unsigned set)
{
	if (set & TRIGGER(GENERATE_TEMPLATES))
		add(c, SYNC_TEMPLATE, S(NAME_CONTROLLER));
	if (set & TRIGGER(GENERATE_REGISTRIES))
		add(c, SYNC_REGISTRIES, S(NAME_CLUSTER));
	if (set & TRIGGER(GENERATE_CREDENTIALS))
		add(c, SYNC_CREDENTIALS, S(NAME_CLUSTER));
	if (set & TRIGGER(GENERATE_NODE))
		add(c, SYNC_NODE_CONFIG, S(NAME_CLUSTER));
	if (set & TRIGGER(GENERATE_FEATURES))
		add(c, SYNC_FEATURES, S(NAME_CLUSTER));
	if (set & TRIGGER(GENERATE_KUBELET))
		add_each(c, SYNC_KUBELET, W_KUBELET);
}

/* As upstream: at the start, and when the Node config changes. */
static void add_kubelets(struct controller *c)
{
	add_set(c, trigger_object(MC_NODE_CONFIG, true));
}

/*
 * The pools or the ControllerConfig have changed. Retries now what upstream does at its next
 * retry. What upstream does only at its next start also waits here, because a new MachineConfig
 * for a pool is a rollout of its nodes.
 */
static void add_generated(struct controller *c)
{
	static const enum sync_kind waiting[] = { SYNC_NODE_CONFIG, SYNC_FEATURES, SYNC_KUBELET,
						  SYNC_RUNTIME };

	for (size_t i = 0; i < ARRAY_LEN(waiting); i++)
		kube_queue_retry(c->queue, waiting[i]);
	add(c, SYNC_REGISTRIES, S(NAME_CLUSTER));
	add(c, SYNC_CREDENTIALS, S(NAME_CLUSTER));
}

static void plan_all(struct controller *c)
{
	add(c, SYNC_TEMPLATE, S(NAME_CONTROLLER));
	add_generated(c);
	add_each(c, SYNC_RENDER, W_POOL);
	add_each(c, SYNC_PINNED, W_POOL);
	add_each(c, SYNC_POOL, W_POOL);
	add_each(c, SYNC_DRAIN, W_NODE);
}

static void run_local(struct controller *c, const struct actions *list)
{
	for (size_t i = 0; i < list->n; i++)
		kube_exec_local(&c->exec, controller_source(SYNC_POOL), &list->v[i]);
}

static void node_changed(struct controller *c, const struct knode *old, const struct knode *new)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *scheduler = known_tree(c, W_SCHEDULER, NAME_CLUSTER);
	const struct knode *node = new ? new : old;
	struct mcp_list pools = { 0 }, queue = { 0 };
	struct actions out = { 0 };
	struct knode_event_view v = {
		.pools = &pools,
		.old = old,
		.new = new,
		.has_scheduler = scheduler != NULL,
		.masters_schedulable = json_bool(scheduler, "spec.mastersSchedulable", false),
	};

	if (!node)
		return;
	known_pools(c, &a, &pools);
	plan_knode_event(&a, &v, &queue, &out);
	for (size_t i = 0; i < queue.n; i++)
		add(c, SYNC_POOL, queue.v[i]->meta.name);
	run_local(c, &out);
	for (size_t i = 0; i < out.n; i++)
		if (out.v[i].kind == ACTION_STRATEGIC)
			add(c, SYNC_MASTER, node->name);
	if (!old || !new || !str_eq(old->desired_drain, new->desired_drain) ||
	    old->unschedulable != new->unschedulable)
		add(c, SYNC_DRAIN, node->name);
}

/* Several configs often change one after the other: nodes must not update to a config that has
 * only some of the changes. */
static void gather(struct controller *c)
{
	c->last_change = clock_ms();
}

/* The kind of key that plans a generator. */
static enum sync_kind sync_of(enum generate_kind kind)
{
	switch (kind) {
	case GENERATE_TEMPLATES:
		return SYNC_TEMPLATE;
	case GENERATE_KUBELET:
		return SYNC_KUBELET;
	case GENERATE_FEATURES:
		return SYNC_FEATURES;
	case GENERATE_NODE:
		return SYNC_NODE_CONFIG;
	case GENERATE_RUNTIME:
		return SYNC_RUNTIME;
	case GENERATE_REGISTRIES:
		return SYNC_REGISTRIES;
	case GENERATE_CREDENTIALS:
		return SYNC_CREDENTIALS;
	case GENERATE_RENDER:
		return SYNC_RENDER;
	case GENERATE_KINDS:
		break;
	}
	abort();
}

static void add_keys(struct controller *c, const struct generate_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++)
		add(c, sync_of(keys->v[i].kind), keys->v[i].name);
}

static void mc_changed(struct controller *c, const struct object *was, const struct object *is)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mcp_list pools = { 0 }, queue = { 0 };
	struct generate_keys keys = { 0 };
	struct sight s = { 0 };

	if (!str_starts((is ? is : was)->mc.meta.name, S("rendered-")))
		gather(c);
	known_pools(c, &a, &pools);
	trigger_mc(&a, &pools, PART(was, mc), PART(is, mc), &queue);
	for (size_t i = 0; i < queue.n; i++) {
		add(c, SYNC_RENDER, queue.v[i]->meta.name);
		add(c, SYNC_POOL, queue.v[i]->meta.name);
	}
	if (!is)
		controller_see(c, &a, &s);
	trigger_makers(&a, PART(was, mc), PART(is, mc), queue.n > 0, &s.kubelets, &s.runtimes,
		       &keys);
	add_keys(c, &keys);
}

/* The counts in the status change with every node: they trigger no rendering. */
static bool renders_anew(const struct object *was, const struct object *is)
{
	static const char *const parts[] = { "metadata.generation", "metadata.annotations" };

	for (size_t i = 0; i < 2; i++)
		if (!json_eq(json_at(was->doc.tree, parts[i]), json_at(is->doc.tree, parts[i])))
			return true;
	return conditions_true(&was->pool.conditions, "RenderDegraded") !=
	       conditions_true(&is->pool.conditions, "RenderDegraded");
}

/* Nodes may have joined or left pools. */
static void nodes_moved(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mcp_list pools = { 0 };
	struct kube_item *const *v;
	size_t n = known_all(c, W_NODE, &v);

	c->pools_moved = true;
	known_pools(c, &a, &pools);
	for (size_t i = 0; i < n; i++) {
		struct mcp_of_node of = { 0 };
		struct err err = ERR_INIT(&a);

		if (mcp_of_node(&pools, v[i]->value, &of, &err) < 0)
			log_again(LOG_ERROR, err.msg, "error finding pool for node: %.*s",
				  STRF(err.msg));
	}
	add_each(c, SYNC_POOL, W_POOL);
}

static void pool_changed(struct controller *c, struct str key, const struct object *was,
			 const struct object *is)
{
	bool labels = !was || !is || !json_eq(was->pool.meta.labels, is->pool.meta.labels);

	if (labels || renders_anew(was, is)) {
		add(c, SYNC_RENDER, key);
		add(c, SYNC_PINNED, key);
	}
	if (labels) {
		/* MachineConfigs that waited for this pool will be created */
		gather(c);
		add_generated(c);
	}
	add(c, SYNC_POOL, key);
	/* custom pools without a stream use the worker's */
	if (was && is && !str_eq(was->pool.os_image_stream, is->pool.os_image_stream))
		add_each(c, SYNC_RENDER, W_POOL);
	if (!was || !is ||
	    !json_eq(json_at(was->doc.tree, "spec.nodeSelector"),
		     json_at(is->doc.tree, "spec.nodeSelector")))
		nodes_moved(c);
}

static void skew(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct actions out = { 0 };

	if (!mc_gate(&c->gates.names, "BootImageSkewEnforcement"))
		return;
	plan_skew_metric(&a, known_tree(c, W_SETTINGS, NAME_CLUSTER),
			 known_tree(c, W_INFRASTRUCTURE, NAME_CLUSTER), &out);
	run_local(c, &out);
}

static void keep_node_config(struct controller *c, const struct json *tree)
{
	if (c->node_config)
		kube_tree_drop(c->node_config);
	c->node_config = tree ? kube_tree_make(tree, NULL) : NULL;
}

/* A change that is not allowed (node_config_allowed) is ignored: plans use the last accepted
 * config until a change from that one is allowed. */
static void node_config_changed(struct controller *c, struct str name, const struct json *was,
				const struct json *is)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *last = c->node_config ? c->node_config->tree : NULL;
	struct actions out = { 0 };

	if (!is && str_is(name, NAME_CLUSTER))
		keep_node_config(c, NULL);
	if (is && trigger_spec(was, is) && node_config_allowed(&a, last, is, &out)) {
		keep_node_config(c, is);
		add_kubelets(c);
	}
	for (size_t i = 0; i < out.n; i++)
		kube_exec_local(&c->exec, controller_source(SYNC_KUBELET), &out.v[i]);
}

static void add_pool(struct controller *c, struct str pool)
{
	if (pool.n)
		add(c, SYNC_POOL, pool);
}

/* The version that wrote the ControllerConfig. */
static struct str maker(const struct object *cc)
{
	return cc ? mc_annotation(&cc->controller.meta, ANNO_BY_VERSION) : S("");
}

static void object_changed(struct controller *c, enum watched kind, struct str key,
			   const struct object *was, const struct object *is)
{
	switch (kind) {
	case W_POOL:
		pool_changed(c, key, was, is);
		break;
	case W_MC:
		mc_changed(c, was, is);
		break;
	case W_CONTROLLER:
		if (!str_eq(maker(was), maker(is)))
			controller_take_version(c);
		controller_secret(c);
		plan_all(c);
		break;
	case W_KUBELET:
	case W_RUNTIME:
		if (trigger_spec(TREE(was), TREE(is)))
			add(c, kind == W_KUBELET ? SYNC_KUBELET : SYNC_RUNTIME, key);
		add_each(c, SYNC_RENDER, W_POOL);
		break;
	case W_OS_CONFIG:
		add_pool(c, trigger_os_config(PART(was, os_config), PART(is, os_config)));
		break;
	case W_OS_BUILD:
		add_pool(c, trigger_os_build(PART(was, os_build), PART(is, os_build)));
		break;
	case W_STREAM:
	case W_SETTINGS:
		if (kind == W_SETTINGS)
			add(c, SYNC_SETTINGS, S(NAME_CLUSTER));
		add_each(c, SYNC_RENDER, W_POOL);
		add_each(c, SYNC_POOL, W_POOL);
		skew(c);
		break;
	case W_INFRASTRUCTURE:
		skew(c);
		break;
	case W_VERSION:
		add_set(c, trigger_object(MC_CLUSTER_VERSION, false));
		break;
	case W_IMAGE:
	case W_CONTENT_POLICY:
	case W_DIGEST:
	case W_TAG:
	case W_CLUSTER_POLICY:
	case W_POLICY:
		add_set(c, trigger_object((is ? is : was)->object.kind, false));
		break;
	case W_CREDENTIALS:
		add_set(c, trigger_object(MC_CREDENTIALS, false));
		break;
	case W_RELEASE_IMAGE:
		add_set(c, trigger_object(MC_INTERNAL_RELEASE, false));
		break;
	case W_RELEASE_AUTH:
		add_set(c, trigger_object(MC_SECRET, false));
		break;
	case W_API_SERVER:
		add_set(c, trigger_object(MC_API_SERVER,
					  str_is(key, NAME_CLUSTER) && c->node_config &&
						  (!is || trigger_spec(TREE(was), TREE(is)))));
		break;
	case W_NODE_CONFIG:
		node_config_changed(c, key, TREE(was), TREE(is));
		break;
	case W_PINNED:
		add_each(c, SYNC_PINNED, W_POOL);
		break;
	case W_SCHEDULER:
		c->no_scheduler = !is && str_is(key, NAME_CLUSTER);
		add_each(c, SYNC_MASTER, W_NODE);
		break;
	default:
		break;
	}
}

/* A resync plans the keys again, in case a plan missed a change. */
static void resync(struct controller *c, enum watched kind, struct str key)
{
	if (kind == W_CONTROLLER) {
		add(c, SYNC_TEMPLATE, key);
		add_generated(c);
	} else if (kind == W_POOL) {
		add(c, SYNC_RENDER, key);
		add(c, SYNC_PINNED, key);
		add(c, SYNC_POOL, key);
	} else if (kind == W_NODE) {
		add(c, SYNC_DRAIN, key);
	}
}

static const struct mcn *mcn_of(const struct kept_mcn *k)
{
	return k ? k->mcn : NULL;
}

void controller_changed(void *ctx, struct str key, const void *before, const void *now)
{
	const struct kube_watch *w = ctx;
	struct controller *c = w->set->ctx;
	enum watched kind = (enum watched)w->kind;

	if (watched_early(kind))
		controller_gates(c);
	/* controller_first_plans queues everything at the start */
	if (!c->running)
		return;
	if (before == now)
		resync(c, kind, key);
	else if (kind == W_NODE)
		node_changed(c, before, now);
	else if (kind == W_MCN)
		add_pool(c, trigger_mcn(mcn_of(before), mcn_of(now)));
	else
		object_changed(c, kind, key, before, now);
}

void controller_first_plans(struct controller *c)
{
	struct kube_item *const *v;
	size_t n = known_all(c, W_NODE, &v);

	for (size_t i = 0; i < n; i++)
		node_changed(c, NULL, v[i]->value);
	skew(c);
	gather(c);
	keep_node_config(c, known_tree(c, W_NODE_CONFIG, NAME_CLUSTER));
	if (controller_migrates(c))
		add(c, SYNC_MIGRATE, S("all"));
	controller_okd(c);
	controller_settings(c);
	add(c, SYNC_SETTINGS, S(NAME_CLUSTER));
	plan_all(c);
	add_kubelets(c);
	add_each(c, SYNC_RUNTIME, W_RUNTIME);
}
