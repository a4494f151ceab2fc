/*
 * The table of the kinds that the controller watches, and lookups in their caches.
 */
#include "controller_state.h"
#include "io/repeat.h"
#include "plan/template_sync.h"

#define RESYNC_MS 1800000 /* plans all keys again, in case a change was missed */
#define PATH_OURS PATH_CORE "namespaces/" NS_MCO "/"

static struct str pool_of(const void *node, void *ctx);

static const struct kube_watch_kind kinds[W_KINDS] = {
	[W_GATES] = { PATH_CONFIG "featuregates", .early = true },
	[W_VERSION] = { PATH_CONFIG "clusterversions", .early = true },
	[W_NODE] = { PATH_CORE "nodes", .make = node_make, .index = pool_of },
	[W_MCN] = { PATH_MC "machineconfignodes", .make = mcn_make },
	[W_POOL] = { PATH_MC "machineconfigpools" },
	[W_MC] = { PATH_MC "machineconfigs" },
	[W_CONTROLLER] = { PATH_MC "controllerconfigs" },
	[W_KUBELET] = { PATH_MC "kubeletconfigs" },
	[W_RUNTIME] = { PATH_MC "containerruntimeconfigs" },
	[W_OS_CONFIG] = { PATH_MC "machineosconfigs" },
	[W_OS_BUILD] = { PATH_MC "machineosbuilds" },
	[W_STREAM] = { PATH_MC_ALPHA "osimagestreams", .gate = "OSStreams" },
	[W_INFRASTRUCTURE] = { PATH_CONFIG "infrastructures" },
	[W_IMAGE] = { PATH_CONFIG "images" },
	[W_CONTENT_POLICY] = { PATH_OPERATOR_ALPHA "imagecontentsourcepolicies" },
	[W_DIGEST] = { PATH_CONFIG "imagedigestmirrorsets" },
	[W_TAG] = { PATH_CONFIG "imagetagmirrorsets" },
	[W_CLUSTER_POLICY] = { PATH_CONFIG "clusterimagepolicies",
			       .gate = "SigstoreImageVerification" },
	[W_POLICY] = { PATH_CONFIG "imagepolicies", .gate = "SigstoreImageVerification" },
	[W_API_SERVER] = { PATH_CONFIG "apiservers" },
	[W_NODE_CONFIG] = { PATH_CONFIG "nodes" },
	[W_SCHEDULER] = { PATH_CONFIG "schedulers" },
	[W_SETTINGS] = { PATH_OPERATOR "machineconfigurations" },
	[W_CREDENTIALS] = { PATH_CONFIG_ALPHA "criocredentialproviderconfigs",
			    .gate = "CRIOCredentialProviderConfig" },
	[W_RELEASE_IMAGE] = { PATH_MC "internalreleaseimages", .gate = "NoRegistryClusterInstall" },
	[W_RELEASE_AUTH] = { PATH_OURS "secrets", .gate = "NoRegistryClusterInstall",
			     .query = "fieldSelector=metadata.name%3D" TEMPLATE_RELEASE_AUTH },
	[W_PINNED] = { PATH_MC "pinnedimagesets" },
	[W_OPERATOR] = { PATH_OURS "pods", .query = "labelSelector=k8s-app%3D" NAME_OPERATOR },
};

bool watched_early(enum watched kind)
{
	return kinds[kind].early;
}

/* ---- lookups ------------------------------------------------------------- */

const struct object *known(const struct controller *c, enum watched kind, const char *name)
{
	const struct kube_cache *cache = c->watches[kind].cache;

	return cache ? kube_cache_get(cache, str_of(name)) : NULL;
}

const struct json *known_tree(const struct controller *c, enum watched kind, const char *name)
{
	const struct object *o = known(c, kind, name);

	return o ? o->doc.tree : NULL;
}

size_t known_all(const struct controller *c, enum watched kind, struct kube_item *const **out)
{
	const struct kube_cache *cache = c->watches[kind].cache;

	return cache ? kube_cache_all(cache, out) : 0;
}

size_t known_nodes(struct controller *c, struct str pool, struct kube_item *const **out)
{
	struct kube_cache *nodes = c->watches[W_NODE].cache;

	if (c->pools_moved)
		kube_cache_reindex(nodes);
	c->pools_moved = false;
	return kube_cache_of(nodes, pool, out);
}

/* The name of the node's first pool, by the current pools. */
static struct str pool_of(const void *node, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct kube_watch *w = ctx;
	const struct controller *c = w->set->ctx;
	struct err err = ERR_INIT(&a);
	struct mcp_of_node of = { 0 };
	struct mcp_list pools = { 0 };

	/* pools may not be cached yet; controller_ready has all nodes indexed again */
	if (!c->running)
		return S("");
	known_pools(c, &a, &pools);
	return mcp_of_node(&pools, node, &of, &err) == 0 && of.n ? of.v[0]->meta.name : S("");
}

void known_pools(const struct controller *c, struct arena *a, struct mcp_list *out)
{
	struct kube_item *const *v;
	size_t n = known_all(c, W_POOL, &v);

	for (size_t i = 0; i < n; i++) {
		struct object *o = v[i]->value;

		VEC_PUSH(a, out, &o->pool);
	}
}

struct kube_cache *cache_of_path(void *ctx, struct str path)
{
	const struct controller *c = ctx;

	return kube_watch_set_cache(&c->set, path);
}

/* ---- start --------------------------------------------------------------- */

static void on_known(struct kube_watch *w)
{
	struct controller *c = w->set->ctx;

	if (kinds[w->kind].early)
		controller_gates(c);
	controller_ready(c);
}

void controller_watch(struct controller *c, bool early)
{
	if (early)
		c->set = (struct kube_watch_set){ .kube = c->kube,
						  .kinds = kinds,
						  .watches = c->watches,
						  .n = W_KINDS,
						  .resync_ms = RESYNC_MS,
						  .make = object_make,
						  .drop = object_free,
						  .changed = controller_changed,
						  .known = on_known,
						  .ctx = c };
	kube_watch_set_start(&c->set, early ? NULL : &c->gates.names);
	c->watching = !early;
}

void controller_ready(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct buf missing;

	buf_init(&missing, &a);
	if (c->running || !c->watching || !c->eviction_api.p ||
	    !kube_watch_set_known(&c->set, &missing))
		return;
	controller_secret(c);
	controller_take_version(c);
	if (controller_check_templates(c, &a, &err) < 0) {
		c->on_refused(c, err.msg);
		return;
	}
	c->running = c->pools_moved = true;
	log_info("all caches are synced: starting");
	controller_log_waits(c);
	controller_first_plans(c);
	kube_queue_go(c->queue);
}

void controller_log_waits(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	if (c->running && !known(c, W_CONTROLLER, NAME_CONTROLLER))
		log_info("waiting for ControllerConfig " NAME_CONTROLLER
			 ": nothing is rendered until it exists");
	if (c->running)
		return;
	buf_init(&b, &a);
	(void)kube_watch_set_known(&c->set, &b);
	if (!c->eviction_api.p)
		buf_addf(&b, "%s" PATH_CORE_ROOT, b.n ? ", " : "");
	if (b.n)
		log_info("waiting for the response to GET %.*s", STRF(buf_str(&b)));
	else if (!c->gates.known)
		controller_gates(c);
}
