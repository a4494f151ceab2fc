/*
 * Builds the view of one controller from the view of a cluster and calls its plan.
 */
#include "plan/generate.h"

#include "mc/tls_profile.h"
#include "plan/credentials.h"
#include "plan/kubelet_sync.h"
#include "plan/render_sync.h"
#include "plan/runtime_sync.h"
#include "plan/template_sync.h"

struct template_input generate_templates(struct arena *a, const struct generate_view *in)
{
	struct tls_profile tls =
		mc_tls_profile(a, json_at(in->api_server, "spec.tlsSecurityProfile"));
	struct template_cache *cache = in->templates;

	if (!cache) {
		cache = ARENA_NEW(a, struct template_cache);
		template_cache_init(cache, a);
	}
	return (struct template_input){
		.tree = in->tree,
		.controller_config = in->controller_config,
		.tls_min_version = tls.min_version,
		.tls_cipher_suites = tls.suites,
		.hash = in->hash,
		.made = in->mcs,
		.cache = cache,
	};
}

static const struct mc_object *find_object(const struct mc_object_list *list, struct str name)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i]->meta.name, name))
			return list->v[i];
	return NULL;
}

const struct json *generate_image(const struct mc_object_list *images)
{
	for (size_t i = images->n; i-- > 0;)
		if (images->v[i]->kind == MC_IMAGE && str_is(images->v[i]->meta.name, NAME_CLUSTER))
			return images->v[i]->doc.tree;
	return NULL;
}

static const struct json *tree_of(const struct generate_view *in)
{
	return in->controller_config ? in->controller_config->tree : NULL;
}

static struct owned_view owned_by(const struct generate_view *in, const struct owned_kind *kind,
				  const struct mc_object_list *configs,
				  const struct mcp_list *pools)
{
	return (struct owned_view){ .now = in->now,
				    .hash = in->hash,
				    .kind = kind,
				    .configs = configs,
				    .pools = pools ? pools : in->pools,
				    .mcs = in->mcs,
				    .first_run = in->first_run };
}

/* ---- templates ----------------------------------------------------------- */

static int templates(struct arena *a, const struct generate_view *in, struct actions *out,
		     struct err *err)
{
	struct template_view v = { .now = in->now,
				   .raw = in->raw,
				   .hash = in->hash,
				   .controller_config = in->controller_config,
				   .tree = in->tree,
				   .cache = in->templates,
				   .mcs = in->mcs,
				   .pull_secret = in->pull_secret,
				   .pull_secret_error = in->pull_secret_error,
				   .api_server = in->api_server,
				   .release_image = in->internal_release,
				   .release_auth = in->release_auth,
				   .failed = in->template_failed,
				   .first_run = in->first_run,
				   .first_secret = in->first_secret };

	if (!v.controller_config || !v.tree)
		return 0;
	if (!v.pull_secret && !v.pull_secret_error.n)
		v.pull_secret_error = str_fmt(a, "secrets \"%.*s\" not found",
					      STRF(json_str(tree_of(in), "spec.pullSecret.name")));
	return plan_template_sync(a, &v, out, err);
}

/* ---- the kubelet --------------------------------------------------------- */

/* "pool/x" means that pool, any other name all pools. */
static struct str only_pool(struct str name)
{
	return str_starts(name, S(GENERATE_POOL_PREFIX))
		       ? str_from(name, sizeof(GENERATE_POOL_PREFIX) - 1)
		       : S("");
}

static int kubelet(struct arena *a, const struct generate_view *in, const struct generate_key *key,
		   struct actions *out, struct err *err)
{
	struct template_input t = generate_templates(a, in);
	struct kubelet_view v = {
		.owned = owned_by(in, &owned_kubelet, in->kubelets, in->kubelet_pools),
		.controller_config = in->controller_config,
		.templates = &t,
		.gates_on = in->gates.enabled,
		.gates_off = in->gates.disabled,
		.gates_unknown = in->gates_unknown,
		.node = in->node,
	};
	int rc = in->first_run ? 0 : controller_config_completed(a, tree_of(in), err);

	if (key->kind == GENERATE_KUBELET) {
		v.owned.config = key->object ? key->object : find_object(in->kubelets, key->name);
		if (!v.owned.config)
			return 0;
		return rc < 0 ? rc : plan_kubelet_sync(a, &v, out, err);
	}
	v.only = only_pool(key->name);
	if (key->kind == GENERATE_FEATURES)
		return rc < 0 ? rc : plan_features_sync(a, &v, out, err);
	if (!v.node && !in->first_run)
		return 0; /* planned when the Node config is created */
	return rc < 0 ? rc : plan_node_sync(a, &v, out, err);
}

/* ---- the container runtime ----------------------------------------------- */

static int runtime(struct arena *a, const struct generate_view *in, const struct generate_key *key,
		   struct actions *out, struct err *err)
{
	struct template_input t = generate_templates(a, in);
	struct runtime_view v = {
		.owned = owned_by(in, &owned_runtime, in->runtimes, in->runtime_pools),
		.templates = &t,
		.more_stores = mc_gate(&in->gates, "AdditionalStorageConfig"),
	};

	v.owned.config = key->object ? key->object : find_object(in->runtimes, key->name);
	if (!v.owned.config)
		return 0;
	if (!in->controller_config)
		return err_set(err, ERR_AGAIN, "could not get ControllerConfig " NAME_CONTROLLER);
	return plan_runtime_sync(a, &v, out, err);
}

static int registries(struct arena *a, const struct generate_view *in, struct actions *out,
		      struct err *err)
{
	struct template_input t = generate_templates(a, in);
	struct registries_in r = {
		.objects = in->images,
		.release_image = in->release_image,
		.sigstore = mc_gate(&in->gates, "SigstoreImageVerification"),
		.bootstrap = in->first_run,
	};
	struct runtime_view v = {
		.owned = owned_by(in, &owned_runtime, in->runtimes, in->runtime_pools),
		.templates = &t,
		.registries = &r,
		.image = generate_image(in->images),
		.every_pool = in->every_pool,
		.assume_image = in->assume_image,
	};

	return in->controller_config ? plan_registries_sync(a, &v, out, err) : 0;
}

static int credentials(struct arena *a, const struct generate_view *in, struct actions *out,
		       struct err *err)
{
	struct template_input t = generate_templates(a, in);
	struct runtime_view v = { .owned = owned_by(in, &owned_runtime, in->runtimes,
						    in->runtime_pools),
				  .templates = &t };

	if (!in->credentials || !in->controller_config)
		return 0;
	return plan_credentials_sync(a, &v, in->credentials, out, err);
}

/* ---- rendered configs ---------------------------------------------------- */

static struct json_list trees_of(struct arena *a, const struct mc_object_list *list)
{
	struct json_list out = { 0 };

	for (size_t i = 0; i < list->n; i++)
		VEC_PUSH(a, &out, list->v[i]->doc.tree);
	return out;
}

static int render(struct arena *a, const struct generate_view *in, struct str name,
		  struct actions *out, struct err *err)
{
	struct render_view v = {
		.now = in->now,
		.raw = in->raw,
		.hash = in->hash,
		.mcs = in->mcs,
		.controller_config = in->controller_config,
		.kubelet_configs = trees_of(a, in->kubelets),
		.runtime_configs = trees_of(a, in->runtimes),
		.os_streams = in->os_streams,
		.os_image_stream = in->os_image_stream,
		.whole = in->whole,
		.wanted = in->wanted,
	};

	for (size_t i = 0; i < in->pools->n; i++) {
		const struct mcp *p = in->pools->v[i];

		if (str_eq(p->meta.name, name))
			v.pool = p;
		if (str_is(p->meta.name, POOL_WORKER))
			v.worker_stream = p->os_image_stream;
	}
	if (mc_gate(&in->gates, "IrreconcilableMachineConfig"))
		v.configuration = in->configuration;
	return v.pool ? plan_render_sync(a, &v, out, err) : 0;
}

int plan_generate(struct arena *a, const struct generate_view *in, const struct generate_key *key,
		  struct actions *out, struct err *err)
{
	switch (key->kind) {
	case GENERATE_TEMPLATES:
		return templates(a, in, out, err);
	case GENERATE_KUBELET:
	case GENERATE_FEATURES:
	case GENERATE_NODE:
		return kubelet(a, in, key, out, err);
	case GENERATE_RUNTIME:
		return runtime(a, in, key, out, err);
	case GENERATE_REGISTRIES:
		return registries(a, in, out, err);
	case GENERATE_CREDENTIALS:
		return credentials(a, in, out, err);
	case GENERATE_RENDER:
		return render(a, in, key->name, out, err);
	case GENERATE_KINDS:
		break;
	}
	return 0;
}
