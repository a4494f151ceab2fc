/*
 * What the controller watches, and what it keeps of it.
 */
#include <stdlib.h>

#include "controller_state.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "mc/brief.h"
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

static const struct {
	char plural[30];
	uint8_t group, gate;
	uint8_t kind; /* enum mc_kind: held as struct mc_object */
} kinds[W_KINDS] = {
	[W_GATES] = { "featuregates", CONFIG, 0, 0 },
	[W_VERSION] = { "clusterversions", CONFIG, 0, 0 },
	[W_NODE] = { "nodes", CORE, 0, 0 },
	[W_MCN] = { "machineconfignodes", MCO, 0, 0 },
	[W_POOL] = { "machineconfigpools", MCO, 0, 0 },
	[W_MC] = { "machineconfigs", MCO, 0, 0 },
	[W_CONTROLLER] = { "controllerconfigs", MCO, 0, 0 },
	[W_KUBELET] = { "kubeletconfigs", MCO, 0, MC_KUBELET_CONFIG },
	[W_RUNTIME] = { "containerruntimeconfigs", MCO, 0, MC_RUNTIME_CONFIG },
	[W_OS_CONFIG] = { "machineosconfigs", MCO, 0, 0 },
	[W_OS_BUILD] = { "machineosbuilds", MCO, 0, 0 },
	[W_STREAM] = { "osimagestreams", MCO_ALPHA, 1, 0 },
	[W_INFRASTRUCTURE] = { "infrastructures", CONFIG, 0, 0 },
	[W_IMAGE] = { "images", CONFIG, 0, MC_IMAGE },
	[W_CONTENT_POLICY] = { "imagecontentsourcepolicies", OPERATOR_ALPHA, 0, MC_CONTENT_POLICY },
	[W_DIGEST] = { "imagedigestmirrorsets", CONFIG, 0, MC_DIGEST_MIRRORS },
	[W_TAG] = { "imagetagmirrorsets", CONFIG, 0, MC_TAG_MIRRORS },
	[W_CLUSTER_POLICY] = { "clusterimagepolicies", CONFIG, 2, MC_CLUSTER_IMAGE_POLICY },
	[W_POLICY] = { "imagepolicies", CONFIG, 2, MC_IMAGE_POLICY },
	[W_API_SERVER] = { "apiservers", CONFIG, 0, 0 },
	[W_NODE_CONFIG] = { "nodes", CONFIG, 0, 0 },
	[W_SCHEDULER] = { "schedulers", CONFIG, 0, 0 },
	[W_SETTINGS] = { "machineconfigurations", OPERATOR, 0, 0 },
	[W_CREDENTIALS] = { "criocredentialproviderconfigs", CONFIG_ALPHA, 3, 0 },
	[W_RELEASE_IMAGE] = { "internalreleaseimages", MCO, 4, 0 },
	[W_RELEASE_AUTH] = { "secrets", OURS, 4, 0 },
	[W_PINNED] = { "pinnedimagesets", MCO, 0, 0 },
	[W_OPERATOR] = { "pods", OURS, 0, 0 },
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

/* ---- keeping ------------------------------------------------------------- */

static void *keep_node(const struct json *tree)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode n;
	void *mem;

	knode_decode(&a, tree, &n);
	mem = malloc(knode_size(&n));
	if (!mem)
		abort();
	return knode_copy(mem, &n);
}

/* Those of before the gate get the conditions it asks for. */
static void migrate(struct controller *c, const struct json *tree)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct arena *m = &c->migration_arena;
	struct json *now = NULL;

	if (!c->running && mc_gate(&c->gates, "ImageModeStatusReporting"))
		now = mcn_migrate(&a, tree, clock_wall());
	if (!now)
		return;
	action_add(m, &c->migration, ACTION_REPLACE,
		   str_fmt(m, "%s/%.*s/status", c->watches[W_MCN].path.p,
			   STRF(json_str(tree, "metadata.name"))),
		   json_format(m, now, 0), S("gate ImageModeStatusReporting is on"))
		->fail = ACTION_SHRUG;
}

static void *keep_mcn(struct controller *c, const struct json *tree)
{
	struct mcn m;
	void *mem;

	migrate(c, tree);
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
		return mcp_decode(&o->a, &o->doc, &o->pool, err);
	case W_MC:
		return mc_decode(&o->a, &o->doc, &o->mc, err);
	case W_CONTROLLER:
		return mc_controller_config_decode(&o->a, &o->doc, &o->controller, err);
	case W_OS_CONFIG:
		os_config_decode(o->doc.tree, &o->os_config);
		return 0;
	case W_OS_BUILD:
		os_build_decode(o->doc.tree, &o->os_build);
		return 0;
	default:
		break;
	}
	return kinds[kind].kind ? mc_object_decode(&o->a, &o->doc, (enum mc_kind)kinds[kind].kind,
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
	AUTO(arena) struct arena scratch = ARENA_INIT;
	bool brief = kind == W_MC && mc_may_be_brief(tree);
	const struct json *kept = brief ? mc_brief_tree(&scratch, tree) : tree;
	struct doc whole = { .tree = (struct json *)tree, .json = true };
	struct object *o = calloc(1, sizeof(*o));
	struct err err;
	int rc;

	if (!o)
		abort();
	err = ERR_INIT(&scratch);
	o->doc.json = true;
	o->doc.text = str_dup(&o->a, json_format(&scratch, kept, JSON_NO_HTML));
	rc = brief ? mc_check(&scratch, &whole, MC_MACHINE_CONFIG, &err) : 0;
	if (rc == 0)
		rc = json_parse(&o->a, o->doc.text, NULL, &o->doc.tree, &err);
	if (rc == 0)
		rc = decode(o, kind, &err);
	if (rc == 0 && brief) {
		o->mc.brief = true;
		o->mc.config_digest = mc_config_digest(&o->a, tree);
	}
	if (rc == 0)
		return o;
	log_again(LOG_ERROR, str_of(kinds[kind].plural),
		  "%s/%.*s is left out, it does not fit its type: %.*s", kinds[kind].plural,
		  STRF(json_str(tree, "metadata.name")), STRF(err.msg));
	object_drop(o);
	return NULL;
}

static void *object_make(const struct json *tree, void *ctx)
{
	const struct watch *w = ctx;

	if (w->kind == W_NODE)
		return keep_node(tree);
	if (w->kind == W_MCN)
		return keep_mcn(w->c, tree);
	return keep(tree, w->kind);
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
	if (w->kind == W_GATES || w->kind == W_VERSION)
		controller_gates(c);
	controller_ready(c);
}

/* "images.config.openshift.io". */
static struct str definition_name(struct arena *a, enum watched kind)
{
	struct str group = str_from(str_of(groups[kinds[kind].group]), sizeof("/apis/") - 1);

	return str_fmt(a, "%s.%.*s", kinds[kind].plural, (int)str_chr(group, '/'), group.p);
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
	if (w->kind == W_GATES || w->kind == W_VERSION)
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

void controller_watch(struct controller *c, enum watched from, enum watched before)
{
	for (enum watched k = from; k < before; k++) {
		struct watch *w = &c->watches[k];
		const char *group = groups[kinds[k].group];
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

		*w = (struct watch){ .c = c, .kind = k };
		w->path = str_fmt(&c->kept, "%s%s", group, kinds[k].plural);
		o.path = o.what = w->path.p;
		if (!kinds[k].gate || mc_gate(&c->gates, gates[kinds[k].gate]))
			w->cache = kube_cache_start(&o);
	}
}

void controller_ready(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (c->running || !c->gates_known || !c->eviction_api.p)
		return;
	for (int i = 0; i < W_KINDS; i++)
		if (c->watches[i].cache && !watch_known(&c->watches[i]))
			return;
	if (!c->watches[W_OPERATOR].cache)
		return; /* they are being started */
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
