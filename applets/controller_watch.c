/*
 * What the controller watches, and which keys are planned when it changes. Plans
 * that find nothing to do are cheap: where upstream waits for a retry or a resync,
 * the key is planned at once.
 */
#include <stdlib.h>

#include "controller.h"
#include "io/log.h"
#include "plan/drain.h"
#include "plan/kubelet_sync.h"
#include "plan/pool.h"
#include "plan/trigger.h"

#define MCO "/apis/" MC_API "/"
#define CONFIG "/apis/config.openshift.io/v1/"
#define OPERATOR "/apis/operator.openshift.io/"

static const struct {
	const char *path, *query, *gate;
	uint8_t kind; /* enum mc_kind: held as struct mc_object */
} kinds[W_KINDS] = {
	[W_GATES] = { CONFIG "featuregates", "", NULL, 0 },
	[W_VERSION] = { CONFIG "clusterversions", "", NULL, 0 },
	[W_NODE] = { "/api/v1/nodes", "", NULL, 0 },
	[W_MCN] = { MCO "machineconfignodes", "", NULL, 0 },
	[W_POOL] = { MCO "machineconfigpools", "", NULL, 0 },
	[W_MC] = { MCO "machineconfigs", "", NULL, 0 },
	[W_CONTROLLER] = { MCO "controllerconfigs", "", NULL, 0 },
	[W_KUBELET] = { MCO "kubeletconfigs", "", NULL, MC_KUBELET_CONFIG },
	[W_RUNTIME] = { MCO "containerruntimeconfigs", "", NULL,
			MC_RUNTIME_CONFIG },
	[W_OS_CONFIG] = { MCO "machineosconfigs", "", NULL, 0 },
	[W_OS_BUILD] = { MCO "machineosbuilds", "", NULL, 0 },
	[W_STREAM] = { "/apis/machineconfiguration.openshift.io/v1alpha1/"
		       "osimagestreams",
		       "", "OSStreams", 0 },
	[W_INFRASTRUCTURE] = { CONFIG "infrastructures", "", NULL, 0 },
	[W_IMAGE] = { CONFIG "images", "", NULL, MC_IMAGE },
	[W_CONTENT_POLICY] = { OPERATOR "v1alpha1/imagecontentsourcepolicies",
			       "", NULL, MC_CONTENT_POLICY },
	[W_DIGEST] = { CONFIG "imagedigestmirrorsets", "", NULL,
		       MC_DIGEST_MIRRORS },
	[W_TAG] = { CONFIG "imagetagmirrorsets", "", NULL, MC_TAG_MIRRORS },
	[W_CLUSTER_POLICY] = { CONFIG "clusterimagepolicies", "",
			       "SigstoreImageVerification",
			       MC_CLUSTER_IMAGE_POLICY },
	[W_POLICY] = { CONFIG "imagepolicies", "", "SigstoreImageVerification",
		       MC_IMAGE_POLICY },
	[W_API_SERVER] = { CONFIG "apiservers", "", NULL, 0 },
	[W_NODE_CONFIG] = { CONFIG "nodes", "", NULL, 0 },
	[W_SCHEDULER] = { CONFIG "schedulers", "", NULL, 0 },
	[W_SETTINGS] = { OPERATOR "v1/machineconfigurations", "", NULL, 0 },
	[W_OPERATOR] = { "/api/v1/namespaces/" CONTROLLER_NS "/pods",
			 "labelSelector=k8s-app%3Dmachine-config-operator",
			 NULL, 0 },
};

/* ---- looking ---- */

const struct object *known(const struct controller *c, enum watched kind,
			   const char *name)
{
	const struct kube_cache *cache = c->watches[kind].cache;

	return cache ? kube_cache_get(cache, str_of(name)) : NULL;
}

const struct json *known_tree(const struct controller *c, enum watched kind,
			      const char *name)
{
	const struct object *o = known(c, kind, name);

	return o ? o->doc.tree : NULL;
}

size_t known_all(const struct controller *c, enum watched kind,
		 struct kube_item *const **out)
{
	const struct kube_cache *cache = c->watches[kind].cache;

	return cache ? kube_cache_all(cache, out) : 0;
}

void known_pools(const struct controller *c, struct arena *a, struct mcps *mcps,
		 struct mc_pools *pools)
{
	struct kube_item *const *v;
	size_t n = known_all(c, W_POOL, &v);

	for (size_t i = 0; i < n; i++) {
		struct object *o = v[i]->value;

		if (mcps)
			VEC_PUSH(a, mcps, &o->mcp);
		if (pools)
			VEC_PUSH(a, pools, &o->pool);
	}
}

struct kube_cache *cache_of_path(void *ctx, struct str path)
{
	struct controller *c = ctx;

	for (int i = 0; i < W_KINDS; i++) {
		struct str p = str_of(kinds[i].path);

		if (c->watches[i].cache && str_starts(path, p) &&
		    (path.n == p.n || path.p[p.n] == '/'))
			return c->watches[i].cache;
	}
	return NULL;
}

/* ---- keeping ---- */

static void *keep_node(const struct json *tree)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_node n;
	void *mem;

	node_decode(&a, tree, &n);
	mem = malloc(node_size(&n));
	if (!mem)
		abort();
	return node_copy(mem, &n);
}

static void *keep_mcn(const struct json *tree)
{
	struct mcn m;
	void *mem;

	mcn_decode(tree, &m);
	mem = malloc(mcn_size(&m));
	if (!mem)
		abort();
	return mcn_copy(mem, &m);
}

static int decode(struct object *o, enum watched kind, struct err *err)
{
	switch (kind) {
	case W_POOL:
		/* a bad selector is told where it is used */
		(void)mcp_decode(&o->a, o->doc.tree, &o->mcp, err);
		return mc_pool_decode(&o->a, &o->doc, &o->pool, err);
	case W_MC:
		return mc_decode(&o->a, &o->doc, &o->mc, err);
	case W_CONTROLLER:
		return mc_controller_config_decode(&o->a, &o->doc,
						   &o->controller, err);
	case W_OS_CONFIG:
		os_config_decode(o->doc.tree, &o->os_config);
		return 0;
	case W_OS_BUILD:
		os_build_decode(o->doc.tree, &o->os_build);
		return 0;
	default:
		break;
	}
	return kinds[kind].kind
		       ? mc_object_decode(&o->a, &o->doc,
					  (enum mc_kind)kinds[kind].kind,
					  &o->object, err)
		       : 0;
}

static void object_drop(void *value)
{
	struct object *o = value;

	arena_free(&o->a);
	free(o);
}

static struct object *keep(const struct json *tree, enum watched kind)
{
	struct object *o = calloc(1, sizeof(*o));
	struct err err;
	struct buf b;
	int rc;

	if (!o)
		abort();
	err = ERR_INIT(&o->a);
	buf_init(&b, &o->a);
	json_encode(&b, tree, JSON_NO_HTML);
	o->doc = (struct doc){ .text = buf_str(&b), .json = true };
	rc = json_parse(&o->a, o->doc.text, NULL, &o->doc.tree, &err);
	if (rc == 0)
		rc = decode(o, kind, &err);
	if (rc == 0)
		return o;
	log_error("%s/%.*s is left out, it does not fit its type: %.*s",
		  kinds[kind].path,
		  STRF(json_str(tree, "metadata.name", S(""))), STRF(err.msg));
	object_drop(o);
	return NULL;
}

static void *object_make(const struct json *tree, void *ctx)
{
	const struct watch *w = ctx;

	if (w->kind == W_NODE)
		return keep_node(tree);
	if (w->kind == W_MCN)
		return keep_mcn(tree);
	return keep(tree, w->kind);
}

/* ---- what is to be planned ---- */

static void add(struct controller *c, enum sync_kind kind, struct str name)
{
	kube_queue_add(c->queue, kind, name);
}

static void add_each(struct controller *c, enum sync_kind kind, enum watched of)
{
	struct kube_item *const *v;
	size_t n = known_all(c, of, &v);

	for (size_t i = 0; i < n; i++)
		add(c, kind, v[i]->key);
}

/* What kubelet configs are made of has changed. */
static void add_kubelets(struct controller *c)
{
	add(c, SYNC_NODE_CONFIG, S("cluster"));
	add(c, SYNC_FEATURES, S("cluster"));
	add_each(c, SYNC_KUBELET, W_KUBELET);
}

static void add_generated(struct controller *c)
{
	add_kubelets(c);
	add_each(c, SYNC_RUNTIME, W_RUNTIME);
	add(c, SYNC_REGISTRIES, S("cluster"));
}

void controller_plan_all(struct controller *c)
{
	add(c, SYNC_TEMPLATE, S("machine-config-controller"));
	add_generated(c);
	add_each(c, SYNC_RENDER, W_POOL);
	add_each(c, SYNC_POOL, W_POOL);
	add_each(c, SYNC_DRAIN, W_NODE);
}

static void run_local(struct controller *c, const struct actions *list)
{
	for (size_t i = 0; i < list->n; i++)
		kube_exec_local(&c->exec, controller_source(SYNC_POOL),
				&list->v[i]);
}

static void node_changed(struct controller *c, const struct mc_node *old,
			 const struct mc_node *new)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *scheduler = known_tree(c, W_SCHEDULER, "cluster");
	const struct mc_node *node = new ? new : old;
	struct mcps pools = { 0 }, queue = { 0 };
	struct actions out = { 0 };
	struct node_event_view v = {
		.pools = &pools,
		.old = old,
		.new = new,
		.has_scheduler = scheduler != NULL,
		.masters_schedulable =
			json_bool(scheduler, "spec.mastersSchedulable", false),
	};

	if (!node)
		return;
	known_pools(c, &a, &pools, NULL);
	plan_node_event(&a, &v, &queue, &out);
	for (size_t i = 0; i < queue.n; i++)
		add(c, SYNC_POOL, queue.v[i]->name);
	run_local(c, &out);
	for (size_t i = 0; i < out.n; i++)
		if (out.v[i].kind == ACTION_STRATEGIC)
			add(c, SYNC_MASTER, node->name);
	if (!old || !new || !str_eq(old->desired_drain, new->desired_drain) ||
	    old->unschedulable != new->unschedulable)
		add(c, SYNC_DRAIN, node->name);
}

/* One that was made of something else, and that somebody has changed. */
static void add_maker(struct controller *c, const struct mc *mc)
{
	const struct json *owner =
		json_first(json_at(mc->doc.tree, "metadata.ownerReferences"));
	struct str kind = json_str(owner, "kind", S(""));
	struct str name = json_str(owner, "name", S(""));

	if (!mc_annotation(&mc->meta, MC_BY_CONTROLLER).n ||
	    str_starts(mc->meta.name, S("rendered-")))
		return;
	if (str_is(kind, "ControllerConfig"))
		add(c, SYNC_TEMPLATE, name);
	else if (str_is(kind, "KubeletConfig"))
		add(c, SYNC_KUBELET, name);
	else if (str_is(kind, "ContainerRuntimeConfig"))
		add(c, SYNC_RUNTIME, name);
	else if (str_is(kind, "Image"))
		add(c, SYNC_REGISTRIES, name);
	else if (!owner)
		add_kubelets(c);
}

static void mc_changed(struct controller *c, const struct object *was,
		       const struct object *is)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_pools pools = { 0 }, queue = { 0 };

	known_pools(c, &a, NULL, &pools);
	trigger_mc(&a, &pools, was ? &was->mc : NULL, is ? &is->mc : NULL,
		   &queue);
	for (size_t i = 0; i < queue.n; i++) {
		add(c, SYNC_RENDER, queue.v[i]->meta.name);
		add(c, SYNC_POOL, queue.v[i]->meta.name);
	}
	if (was && queue.n)
		add_maker(c, is ? &is->mc : &was->mc);
}

static void pool_changed(struct controller *c, struct str key,
			 const struct object *was, const struct object *is)
{
	add(c, SYNC_RENDER, key);
	add(c, SYNC_POOL, key);
	if (!was || !is ||
	    !json_eq(was->pool.meta.labels, is->pool.meta.labels))
		add_generated(c);
	/* custom pools take the worker's stream where they have none */
	if (was && is &&
	    !str_eq(was->pool.os_image_stream, is->pool.os_image_stream))
		add_each(c, SYNC_RENDER, W_POOL);
	/* nodes may have come in or gone out */
	if (!was || !is ||
	    !json_eq(json_at(was->doc.tree, "spec.nodeSelector"),
		     json_at(is->doc.tree, "spec.nodeSelector")))
		add_each(c, SYNC_POOL, W_POOL);
}

static void skew(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct actions out = { 0 };

	if (!mc_gate(&c->gates, "BootImageSkewEnforcement"))
		return;
	plan_skew_metric(&a, known_tree(c, W_SETTINGS, "cluster"),
			 known_tree(c, W_INFRASTRUCTURE, "cluster"), &out);
	run_local(c, &out);
}

static void node_config_changed(struct controller *c, const struct json *was,
				const struct json *is)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct actions out = { 0 };

	if (is && trigger_spec(was, is) &&
	    node_config_allowed(&a, was, is, &out))
		add_kubelets(c);
	for (size_t i = 0; i < out.n; i++)
		kube_exec_local(&c->exec, controller_source(SYNC_KUBELET),
				&out.v[i]);
}

static void add_pool(struct controller *c, struct str pool)
{
	if (pool.n)
		add(c, SYNC_POOL, pool);
}

#define TREE(o) ((o) ? (o)->doc.tree : NULL)
#define PART(o, part) ((o) ? &(o)->part : NULL)

static void object_changed(struct controller *c, enum watched kind,
			   struct str key, const struct object *was,
			   const struct object *is)
{
	switch (kind) {
	case W_POOL:
		pool_changed(c, key, was, is);
		break;
	case W_MC:
		mc_changed(c, was, is);
		break;
	case W_CONTROLLER:
		controller_plan_all(c);
		break;
	case W_KUBELET:
	case W_RUNTIME:
		if (trigger_spec(TREE(was), TREE(is)))
			add(c, kind == W_KUBELET ? SYNC_KUBELET : SYNC_RUNTIME,
			    key);
		add_each(c, SYNC_RENDER, W_POOL);
		break;
	case W_OS_CONFIG:
		add_pool(c, trigger_os_config(PART(was, os_config),
					      PART(is, os_config)));
		break;
	case W_OS_BUILD:
		add_pool(c, trigger_os_build(PART(was, os_build),
					     PART(is, os_build)));
		break;
	case W_STREAM:
	case W_SETTINGS:
		add_each(c, SYNC_RENDER, W_POOL);
		add_each(c, SYNC_POOL, W_POOL);
		skew(c);
		break;
	case W_INFRASTRUCTURE:
		skew(c);
		break;
	case W_VERSION:
	case W_IMAGE:
	case W_CONTENT_POLICY:
	case W_DIGEST:
	case W_TAG:
	case W_CLUSTER_POLICY:
	case W_POLICY:
		add(c, SYNC_REGISTRIES, S("cluster"));
		break;
	case W_API_SERVER:
		add(c, SYNC_TEMPLATE, S("machine-config-controller"));
		add_kubelets(c);
		break;
	case W_NODE_CONFIG:
		node_config_changed(c, TREE(was), TREE(is));
		break;
	case W_SCHEDULER:
		add_each(c, SYNC_MASTER, W_NODE);
		break;
	default:
		break;
	}
}

static void changed(void *ctx, struct str key, const void *before,
		    const void *now)
{
	struct watch *w = ctx;
	struct controller *c = w->c;

	if (w->kind == W_GATES || w->kind == W_VERSION)
		c->gates_changed(c);
	/* at the start everything is planned anyway */
	if (!c->running)
		return;
	if (w->kind == W_NODE)
		node_changed(c, before, now);
	else if (w->kind == W_MCN)
		add_pool(c, trigger_mcn(before, now));
	else
		object_changed(c, w->kind, key, before, now);
}

/* ---- starting ---- */

static void synced(void *ctx)
{
	struct watch *w = ctx;
	struct controller *c = w->c;

	log_v(2, "watching %s", kinds[w->kind].path);
	if (w->kind == W_GATES || w->kind == W_VERSION)
		c->gates_changed(c);
	controller_ready(c);
}

void controller_watch(struct controller *c, enum watched from,
		      enum watched before)
{
	for (enum watched k = from; k < before; k++) {
		struct watch *w = &c->watches[k];
		struct kube_cache_opts o = {
			.kube = c->kube,
			.path = kinds[k].path,
			.query = str_of(kinds[k].query),
			.what = kinds[k].path,
			.make = object_make,
			.drop = k == W_NODE || k == W_MCN ? NULL : object_drop,
			.changed = changed,
			.synced = synced,
			.ctx = w,
		};

		*w = (struct watch){ .c = c, .kind = k };
		if (!kinds[k].gate || mc_gate(&c->gates, kinds[k].gate))
			w->cache = kube_cache_start(&o);
	}
}

void controller_ready(struct controller *c)
{
	struct kube_item *const *v;
	size_t n;

	if (c->running || !c->gates_known || !c->eviction_api.p)
		return;
	for (int i = 0; i < W_KINDS; i++)
		if (c->watches[i].cache &&
		    !kube_cache_synced(c->watches[i].cache))
			return;
	if (!c->watches[W_OPERATOR].cache)
		return; /* they are being started */
	c->running = true;
	log_info("all caches are in sync: starting");
	n = known_all(c, W_NODE, &v);
	for (size_t i = 0; i < n; i++)
		node_changed(c, NULL, v[i]->value);
	skew(c);
	controller_plan_all(c);
	kube_queue_go(c->queue);
}
