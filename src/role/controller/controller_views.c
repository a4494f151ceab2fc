/*
 * What the plans of templates, kubelet, runtime and registries configs are shown
 * of the cluster.
 */
#include "controller_sync.h"
#include "io/clock.h"
#include "io/version.h"
#include "plan/credentials.h"
#include "plan/owned.h"
#include "plan/render_sync.h"
#include "plan/template_sync.h"

static void see_objects(struct controller *c, struct arena *a, enum watched kind,
			struct mc_object_list *out)
{
	struct kube_item *const *v;
	size_t n = known_all(c, kind, &v);

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, out, &((struct object *)v[i]->value)->object);
}

void controller_see(struct controller *c, struct arena *a, struct sight *out)
{
	const struct object *cc = known(c, W_CONTROLLER, NAME_CONTROLLER);
	const struct json *version = known_tree(c, W_VERSION, "version");
	struct kube_item *const *v;
	size_t n = known_all(c, W_MC, &v);

	*out = (struct sight){ 0 };
	known_pools(c, a, &out->pools);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, &out->mcs, &((struct object *)v[i]->value)->mc);
	see_objects(c, a, W_KUBELET, &out->kubelets);
	see_objects(c, a, W_RUNTIME, &out->runtimes);
	for (enum watched k = W_IMAGE; k <= W_POLICY; k++)
		see_objects(c, a, k, &out->images);
	out->view = (struct generate_view){
		.now = clock_wall(),
		.raw = c->raw,
		.hash = c->hash,
		.pools = &out->pools,
		.mcs = &out->mcs,
		.kubelets = &out->kubelets,
		.runtimes = &out->runtimes,
		.images = &out->images,
		.controller_config = cc ? &cc->controller : NULL,
		.tree = &c->templates,
		.gates = c->gates,
		.node = c->node_config ? c->node_config->tree : NULL,
		.api_server = known_tree(c, W_API_SERVER, NAME_CLUSTER),
		.credentials = known_tree(c, W_CREDENTIALS, NAME_CLUSTER),
		.release_image = json_str(version, "status.desired.image"),
		.internal_release = known_tree(c, W_RELEASE_IMAGE, NAME_CLUSTER) != NULL,
		.release_auth = known_tree(c, W_RELEASE_AUTH, NS_MCO "/" TEMPLATE_RELEASE_AUTH),
		.template_failed = c->template_failed,
		.configuration = known_tree(c, W_SETTINGS, NAME_CLUSTER),
		.os_image_stream = known_tree(c, W_STREAM, NAME_CLUSTER),
		.os_streams = mc_gate(&c->gates, "OSStreams") && !version_scos(),
		.whole = c->reading ? &c->reading->whole : NULL,
		.wanted = c->reading ? &c->reading->wanted : NULL,
	};
}

int sync_generate(struct controller *c, enum sync_kind kind, struct str name, struct arena *a,
		  struct actions *out, struct err *err)
{
	struct generate_key key = { .kind = (enum generate_kind)kind, .name = name };
	struct err ignored = ERR_INIT(a);
	struct sight s;
	int rc;

	controller_see(c, a, &s);
	rc = plan_generate(a, &s.view, &key, out, err);
	/* whatever it is, it is looked at again after the templates */
	if (rc < 0)
		c->waits = controller_config_completed(
				   a, known_tree(c, W_CONTROLLER, NAME_CONTROLLER), &ignored) < 0;
	return rc;
}

/* ---- the template controller --------------------------------------------- */

static void secret_synced(void *ctx)
{
	struct controller *c = ctx;

	kube_queue_add(c->queue, SYNC_TEMPLATE, S(NAME_CONTROLLER));
}

/* One that is deleted is not missed before something else changes: it may be on
 * its way to be made again. */
static void secret_changed(void *ctx, struct str key, const void *before, const void *now)
{
	(void)key;
	(void)before;
	if (now)
		secret_synced(ctx);
}

/* The Secret that the ControllerConfig names is watched. False: not known yet. */
static bool see_secret(struct controller *c, const struct json *cc, const struct json **out)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *ref = json_at(cc, "spec.pullSecret");
	struct str ns = json_str(ref, "namespace");
	struct str name = json_str(ref, "name");
	struct kube_cache_opts o = { .kube = c->kube,
				     .what = "the pull secret",
				     .make = kube_tree_make,
				     .drop = kube_tree_drop,
				     .changed = secret_changed,
				     .synced = secret_synced,
				     .ctx = c };
	struct str key = str_fmt(&a, "%.*s/%.*s", STRF(ns), STRF(name));
	const struct kube_tree *t;
	struct buf b;

	*out = NULL;
	if (json_kind(ref) != JSON_OBJECT)
		return true;
	if (!str_eq(key, c->secret_path)) {
		kube_cache_free(c->secret);
		arena_free(&c->secret_arena);
		c->secret_path = str_dup(&c->secret_arena, key);
		buf_init(&b, &c->secret_arena);
		buf_addz(&b, "fieldSelector=metadata.name%3D");
		kube_escape(&b, name);
		o.query = buf_str(&b);
		o.path = str_fmt(&c->secret_arena, PATH_CORE "namespaces/%.*s/secrets", STRF(ns)).p;
		c->secret = kube_cache_start(&o);
	}
	if (!kube_cache_synced(c->secret))
		return false;
	t = kube_cache_get(c->secret, key);
	*out = t ? t->tree : NULL;
	return true;
}

int sync_template(struct controller *c, struct str name, struct arena *a, struct actions *out,
		  struct err *err)
{
	struct generate_key key = { .kind = GENERATE_TEMPLATES, .name = name };
	struct sight s;

	controller_see(c, a, &s);
	if (!s.view.controller_config ||
	    !see_secret(c, s.view.controller_config->tree, &s.view.pull_secret))
		return 0;
	return plan_generate(a, &s.view, &key, out, err);
}

/* ---- what failed --------------------------------------------------------- */

void sync_failed(struct controller *c, const struct kube_key *key, struct str why, struct arena *a,
		 struct actions *out)
{
	bool kubelet = key->kind == SYNC_KUBELET;
	enum watched kind = kubelet			? W_KUBELET
			    : key->kind == SYNC_RUNTIME ? W_RUNTIME
			    : key->kind == SYNC_PINNED	? W_POOL
			    : key->kind == SYNC_RENDER	? W_POOL
							: W_CREDENTIALS;
	const struct object *o = kube_cache_get(c->watches[kind].cache, key->name);
	struct owned_view v = { .now = clock_wall(),
				.kind = kubelet ? &owned_kubelet : &owned_runtime };

	if (key->kind == SYNC_PINNED) {
		struct err ignored = ERR_INIT(a);

		if (str_starts(why, S("Error: ")))
			why = str_from(why, 7);
		(void)pin_pool(c, key->name, why, a, out, &ignored);
		return;
	}
	if (!o)
		return;
	v.config = &o->object;
	if (key->kind == SYNC_RENDER)
		render_failed(a, &o->pool, v.now, why, out);
	else if (kind == W_CREDENTIALS)
		credentials_failed(a, v.now, o->doc.tree, why, out);
	else
		owned_status(a, &v, why, out);
}
