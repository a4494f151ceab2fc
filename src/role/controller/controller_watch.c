/*
 * What the controller watches, and what it keeps of it.
 */
#include <stdlib.h>

#include "controller_state.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "plan/template_sync.h"

#define LACKING_MS 30000
#define RESYNC_MS 1800000 /* a plan that was missed is made up for */

enum group { CORE, MCO, MCO_ALPHA, CONFIG, OPERATOR, OPERATOR_ALPHA, CONFIG_ALPHA, OURS };

static const char *const groups[] = {
	[CORE] = PATH_CORE,
	[MCO] = PATH_MC,
	[MCO_ALPHA] = PATH_MC_ALPHA,
	[CONFIG] = PATH_CONFIG,
	[OPERATOR] = PATH_OPERATOR,
	[OPERATOR_ALPHA] = PATH_OPERATOR_ALPHA,
	[CONFIG_ALPHA] = PATH_CONFIG_ALPHA,
	[OURS] = PATH_CORE "namespaces/" NS_MCO "/",
};

static const char *const gates[] = { NULL, "OSStreams", "SigstoreImageVerification",
				     "CRIOCredentialProviderConfig", "NoRegistryClusterInstall" };

const struct watch_kind watch_kinds[W_KINDS] = {
	[W_GATES] = { "featuregates", CONFIG, 0, 0, true },
	[W_VERSION] = { "clusterversions", CONFIG, 0, 0, true },
	[W_NODE] = { "nodes", CORE, 0, 0, false },
	[W_MCN] = { "machineconfignodes", MCO, 0, 0, false },
	[W_POOL] = { "machineconfigpools", MCO, 0, 0, false },
	[W_MC] = { "machineconfigs", MCO, 0, 0, false },
	[W_CONTROLLER] = { "controllerconfigs", MCO, 0, 0, false },
	[W_KUBELET] = { "kubeletconfigs", MCO, 0, MC_KUBELET_CONFIG, false },
	[W_RUNTIME] = { "containerruntimeconfigs", MCO, 0, MC_RUNTIME_CONFIG, false },
	[W_OS_CONFIG] = { "machineosconfigs", MCO, 0, 0, false },
	[W_OS_BUILD] = { "machineosbuilds", MCO, 0, 0, false },
	[W_STREAM] = { "osimagestreams", MCO_ALPHA, 1, 0, false },
	[W_INFRASTRUCTURE] = { "infrastructures", CONFIG, 0, 0, false },
	[W_IMAGE] = { "images", CONFIG, 0, MC_IMAGE, false },
	[W_CONTENT_POLICY] = { "imagecontentsourcepolicies", OPERATOR_ALPHA, 0, MC_CONTENT_POLICY,
			       false },
	[W_DIGEST] = { "imagedigestmirrorsets", CONFIG, 0, MC_DIGEST_MIRRORS, false },
	[W_TAG] = { "imagetagmirrorsets", CONFIG, 0, MC_TAG_MIRRORS, false },
	[W_CLUSTER_POLICY] = { "clusterimagepolicies", CONFIG, 2, MC_CLUSTER_IMAGE_POLICY, false },
	[W_POLICY] = { "imagepolicies", CONFIG, 2, MC_IMAGE_POLICY, false },
	[W_API_SERVER] = { "apiservers", CONFIG, 0, 0, false },
	[W_NODE_CONFIG] = { "nodes", CONFIG, 0, 0, false },
	[W_SCHEDULER] = { "schedulers", CONFIG, 0, 0, false },
	[W_SETTINGS] = { "machineconfigurations", OPERATOR, 0, 0, false },
	[W_CREDENTIALS] = { "criocredentialproviderconfigs", CONFIG_ALPHA, 3, 0, false },
	[W_RELEASE_IMAGE] = { "internalreleaseimages", MCO, 4, 0, false },
	[W_RELEASE_AUTH] = { "secrets", OURS, 4, 0, false },
	[W_PINNED] = { "pinnedimagesets", MCO, 0, 0, false },
	[W_OPERATOR] = { "pods", OURS, 0, 0, false },
};

/* ---- looking ------------------------------------------------------------- */

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

/* Which pool's node it is: of the pools as they are now. */
static struct str pool_of(const void *node, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct watch *w = ctx;
	struct err err = ERR_INIT(&a);
	struct mcp_of_node of = { 0 };
	struct mcp_list pools = { 0 };

	/* till then there is nothing to ask, and later all are asked again */
	if (!w->c->running)
		return S("");
	known_pools(w->c, &a, &pools);
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
	struct controller *c = ctx;

	for (int i = 0; i < W_KINDS; i++) {
		struct str p = c->watches[i].path;

		if (c->watches[i].cache && str_starts(path, p) &&
		    (path.n == p.n || path.p[p.n] == '/'))
			return c->watches[i].cache;
	}
	return NULL;
}

/* ---- starting ------------------------------------------------------------ */

bool watch_known(const struct watch *w)
{
	return w->cache && (w->lacking || kube_cache_synced(w->cache));
}

static void synced(void *ctx)
{
	struct watch *w = ctx;
	struct controller *c = w->c;

	if (w->lacking)
		log_info("%s: the server has them now", w->path.p);
	w->lacking = false;
	log_v(4, "watching %s", w->path.p);
	if (watch_kinds[w->kind].first)
		controller_gates(c);
	controller_ready(c);
}

/* "images.config.openshift.io". */
static struct str definition_name(struct arena *a, enum watched kind)
{
	struct str group = str_from(str_of(groups[watch_kinds[kind].group]), sizeof("/apis/") - 1);

	return str_fmt(a, "%s.%.*s", watch_kinds[kind].plural, (int)str_chr(group, '/'), group.p);
}

/*
 * A server that has just started may not know its own kinds yet, and to plan
 * without, say, mirrors that exist would be a rollout. So going on without a kind
 * takes a definition that is not there, or a server that stays with it.
 */
static void definition_asked(struct kube_call *call, const struct kube_answer *ans)
{
	struct watch *w = call->ctx;

	w->asking = false;
	if (w->lacking || kube_cache_synced(w->cache) ||
	    (ans->rc != -ERR_NOTFOUND && clock_ms() - w->asked_since < LACKING_MS))
		return;
	w->lacking = true;
	log_warn("the server does not have %s (CustomResourceDefinition %.*s "
		 "is missing, or has no such version): going on without; once "
		 "it is there they are taken up within a minute",
		 w->path.p, STRF(definition_name(&w->a, w->kind)));
	if (watch_kinds[w->kind].first)
		controller_gates(w->c);
	controller_ready(w->c);
}

static void absent(void *ctx)
{
	struct watch *w = ctx;

	if (w->lacking || w->asking)
		return;
	if (!w->asked_since)
		w->asked_since = clock_ms();
	arena_free(&w->a);
	w->definition = (struct kube_call){
		.method = "GET",
		.path = str_fmt(&w->a, PATH_CRD "customresourcedefinitions/%.*s",
				STRF(definition_name(&w->a, w->kind))),
		.done = definition_asked,
		.ctx = w,
	};
	w->asking = true;
	kube_start(w->c->kube, &w->definition);
}

void controller_watch(struct controller *c, bool first)
{
	for (enum watched k = 0; k < W_KINDS; k++) {
		struct watch *w = &c->watches[k];
		const char *group = groups[watch_kinds[k].group];
		struct kube_cache_opts o = {
			.kube = c->kube,
			.query = k == W_OPERATOR       ? S("labelSelector=k8s-app%3D" NAME_OPERATOR)
				 : k == W_RELEASE_AUTH ? S("fieldSelector=metadata.name"
							   "%3D" TEMPLATE_RELEASE_AUTH)
						       : S(""),
			.make = object_make,
			.drop = k == W_NODE || k == W_MCN ? NULL : object_drop,
			.changed = controller_changed,
			.synced = synced,
			.absent = group[4] == 's' ? absent : NULL,
			.index = k == W_NODE ? pool_of : NULL,
			.resync_ms = RESYNC_MS,
			.ctx = w,
		};

		if (watch_kinds[k].first != first)
			continue;
		*w = (struct watch){ .c = c, .kind = k };
		w->path = str_fmt(&c->kept, "%s%s", group, watch_kinds[k].plural);
		o.path = o.what = w->path.p;
		if (!watch_kinds[k].gate || mc_gate(&c->gates, gates[watch_kinds[k].gate]))
			w->cache = kube_cache_start(&o);
	}
	c->watching = !first;
}

void controller_ready(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (c->running || !c->watching || !c->eviction_api.p)
		return;
	for (int i = 0; i < W_KINDS; i++)
		if (c->watches[i].cache && !watch_known(&c->watches[i]))
			return;
	controller_secret(c);
	controller_take_version(c);
	if (controller_check_templates(c, &a, &err) < 0) {
		c->on_refused(c, err.msg);
		return;
	}
	c->running = c->pools_moved = true;
	log_info("all caches are in sync: starting");
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
			 ": nothing is rendered before it is there");
	if (c->running)
		return;
	buf_init(&b, &a);
	for (int i = 0; i < W_KINDS; i++)
		if (c->watches[i].cache && !watch_known(&c->watches[i]))
			buf_addf(&b, "%s%s", b.n ? ", " : "", c->watches[i].path.p);
	if (!c->eviction_api.p)
		buf_addf(&b, "%s" PATH_CORE_ROOT, b.n ? ", " : "");
	if (b.n)
		log_info("waiting for the server's answer to GET %.*s", STRF(buf_str(&b)));
	else if (!c->gates_known)
		controller_gates(c);
}
