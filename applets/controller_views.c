/*
 * What the plans of templates, kubelet, runtime and registries configs are shown
 * of the cluster.
 */
#include "controller_sync.h"
#include "plan/credentials.h"
#include "plan/kubelet_sync.h"
#include "plan/render_sync.h"
#include "plan/runtime_sync.h"
#include "plan/template_sync.h"

static void see_objects(struct controller *c, struct arena *a,
			enum watched kind, struct mc_objects *out)
{
	struct kube_item *const *v;
	size_t n = known_all(c, kind, &v);

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, out, &((struct object *)v[i]->value)->object);
}

struct sight controller_see(struct controller *c, struct arena *a)
{
	const struct object *cc = known(c, W_CONTROLLER, CC_NAME);
	const struct json *api = known_tree(c, W_API_SERVER, "cluster");
	struct kube_item *const *v;
	size_t n = known_all(c, W_MC, &v);
	struct sight s = { 0 };

	known_pools(c, a, NULL, &s.pools);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, &s.mcs, &((struct object *)v[i]->value)->mc);
	s.cc = cc ? &cc->controller : NULL;
	s.tls = mc_tls_profile(a, json_at(api, "spec.tlsSecurityProfile"));
	s.templates = (struct template_input){
		.tree = &c->templates,
		.controller_config = s.cc,
		.tls_min_version = s.tls.min_version,
		.tls_cipher_suites = s.tls.suites,
		.hash = c->hash,
	};
	return s;
}

static struct owned_view owned_by(struct controller *c, const struct sight *s,
				  const struct owned_kind *kind)
{
	return (struct owned_view){ .now = controller_now(),
				    .hash = c->hash,
				    .kind = kind,
				    .configs = &s->objects,
				    .pools = &s->pools,
				    .mcs = &s->mcs };
}

static struct mc_object *find_object(const struct mc_objects *list,
				     struct str name)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i]->meta.name, name))
			return list->v[i];
	return NULL;
}

/* ---- the template controller ---- */

static void secret_synced(void *ctx)
{
	struct controller *c = ctx;

	kube_queue_add(c->queue, SYNC_TEMPLATE, S(CC_NAME));
}

/* One that is deleted is not missed before something else changes: it may be on
 * its way to be made again. */
static void secret_changed(void *ctx, struct str key, const void *before,
			   const void *now)
{
	(void)key;
	(void)before;
	if (now)
		secret_synced(ctx);
}

/* The Secret that the ControllerConfig names is watched. False: not known yet. */
static bool see_secret(struct controller *c, const struct json *cc,
		       const struct json **out)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *ref = json_at(cc, "spec.pullSecret");
	struct str ns = json_str(ref, "namespace", S(""));
	struct str name = json_str(ref, "name", S(""));
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
		o.path = str_fmt(&c->secret_arena,
				 "/api/v1/namespaces/%.*s/secrets", STRF(ns))
				 .p;
		c->secret = kube_cache_start(&o);
	}
	if (!kube_cache_synced(c->secret))
		return false;
	t = kube_cache_get(c->secret, key);
	*out = t ? t->tree : NULL;
	return true;
}

int sync_template(struct controller *c, struct str name, struct arena *a,
		  struct actions *out, struct err *err)
{
	struct sight s = controller_see(c, a);
	struct template_view v = { .now = controller_now(),
				   .raw = c->raw,
				   .hash = c->hash,
				   .controller_config = s.cc,
				   .tree = &c->templates,
				   .mcs = &s.mcs,
				   .api_server = known_tree(c, W_API_SERVER,
							    "cluster"),
				   .failed = c->template_failed };

	(void)name;
	v.release_image = known_tree(c, W_RELEASE_IMAGE, "cluster");
	v.release_auth = known_tree(c, W_RELEASE_AUTH,
				    CONTROLLER_NS "/" TEMPLATE_RELEASE_AUTH);
	if (!s.cc || !see_secret(c, s.cc->tree, &v.pull_secret))
		return 0;
	if (!v.pull_secret)
		v.pull_secret_error =
			str_fmt(a, "secrets \"%.*s\" not found",
				STRF(json_str(s.cc->tree,
					      "spec.pullSecret.name", S(""))));
	return plan_template_sync(a, &v, out, err);
}

/* ---- kubelet and runtime controllers ---- */

static int see_kubelet(struct controller *c, struct arena *a, struct sight *s,
		       struct kubelet_view *v, struct err *err)
{
	*s = controller_see(c, a);
	see_objects(c, a, W_KUBELET, &s->objects);
	*v = (struct kubelet_view){
		.owned = owned_by(c, s, &owned_kubelet),
		.controller_config = s->cc,
		.templates = &s->templates,
		.gates_on = c->gates.enabled,
		.gates_off = c->gates.disabled,
		.node = c->node_config ? c->node_config->tree : NULL,
	};
	return controller_config_completed(a, s->cc ? s->cc->tree : NULL, err);
}

int sync_kubelet(struct controller *c, struct str name, struct arena *a,
		 struct actions *out, struct err *err)
{
	struct sight s;
	struct kubelet_view v;
	int rc = see_kubelet(c, a, &s, &v, err);

	v.owned.config = find_object(&s.objects, name);
	if (!v.owned.config)
		return 0;
	return rc < 0 ? rc : plan_kubelet_sync(a, &v, out, err);
}

/* "pool/x" is for that pool, any other key for all of them. */
static struct str only_pool(struct str key)
{
	return str_starts(key, S(SYNC_POOL_PREFIX))
		       ? str_from(key, sizeof(SYNC_POOL_PREFIX) - 1)
		       : S("");
}

int sync_features(struct controller *c, struct str name, struct arena *a,
		  struct actions *out, struct err *err)
{
	struct sight s;
	struct kubelet_view v;
	int rc = see_kubelet(c, a, &s, &v, err);

	v.only = only_pool(name);
	return rc < 0 ? rc : plan_features_sync(a, &v, out, err);
}

int sync_node_config(struct controller *c, struct str name, struct arena *a,
		     struct actions *out, struct err *err)
{
	struct sight s;
	struct kubelet_view v;
	int rc = see_kubelet(c, a, &s, &v, err);

	v.only = only_pool(name);
	if (!v.node)
		return 0; /* it is planned when there is one */
	return rc < 0 ? rc : plan_node_sync(a, &v, out, err);
}

int sync_runtime(struct controller *c, struct str name, struct arena *a,
		 struct actions *out, struct err *err)
{
	struct sight s = controller_see(c, a);
	struct runtime_view v = {
		.templates = &s.templates,
		.more_stores = mc_gate(&c->gates, "AdditionalStorageConfig")
	};

	see_objects(c, a, W_RUNTIME, &s.objects);
	v.owned = owned_by(c, &s, &owned_runtime);
	v.owned.config = find_object(&s.objects, name);
	if (!v.owned.config)
		return 0;
	if (!s.cc)
		return err_set(err, ERR_AGAIN,
			       "could not get ControllerConfig " CC_NAME);
	return plan_runtime_sync(a, &v, out, err);
}

void sync_failed(struct controller *c, const struct kube_key *key,
		 struct str why, struct arena *a, struct actions *out)
{
	bool kubelet = key->kind == SYNC_KUBELET;
	enum watched kind = kubelet			? W_KUBELET
			    : key->kind == SYNC_RUNTIME ? W_RUNTIME
			    : key->kind == SYNC_PINNED	? W_POOL
			    : key->kind == SYNC_RENDER	? W_POOL
							: W_CREDENTIALS;
	const struct object *o =
		kube_cache_get(c->watches[kind].cache, key->name);
	struct owned_view v = { .now = controller_now(),
				.kind = kubelet ? &owned_kubelet
						: &owned_runtime };

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

int sync_registries(struct controller *c, struct str name, struct arena *a,
		    struct actions *out, struct err *err)
{
	struct sight s = controller_see(c, a);
	const struct json *version = known_tree(c, W_VERSION, "version");
	struct registries_in in = {
		.objects = &s.objects,
		.release_image =
			json_str(version, "status.desired.image", S("")),
		.sigstore = mc_gate(&c->gates, "SigstoreImageVerification"),
	};
	struct runtime_view v = { .templates = &s.templates,
				  .registries = &in,
				  .image = known_tree(c, W_IMAGE, "cluster") };

	(void)name;
	for (enum watched k = W_IMAGE; k <= W_POLICY; k++)
		see_objects(c, a, k, &s.objects);
	v.owned = owned_by(c, &s, &owned_runtime);
	return s.cc ? plan_registries_sync(a, &v, out, err) : 0;
}

int sync_credentials(struct controller *c, struct str name, struct arena *a,
		     struct actions *out, struct err *err)
{
	const struct json *config = known_tree(c, W_CREDENTIALS, "cluster");
	struct sight s = { 0 };
	struct runtime_view v = { .templates = &s.templates };

	(void)name;
	if (!config)
		return 0;
	s = controller_see(c, a);
	v.owned = owned_by(c, &s, &owned_runtime);
	return s.cc ? plan_credentials_sync(a, &v, config, out, err) : 0;
}
