/*
 * The plans that create MachineConfigs: their view of the cluster, and the report of a failed write
 * in a status. The decisions are in plan/generate.
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
	static const enum watched images[] = { W_IMAGE, W_CONTENT_POLICY, W_DIGEST,
					       W_TAG,	W_CLUSTER_POLICY, W_POLICY };
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
	for (size_t i = 0; i < ARRAY_LEN(images); i++)
		see_objects(c, a, images[i], &out->images);
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
		.gates = c->gates.names,
		.node = c->node_config ? c->node_config->tree : NULL,
		.api_server = known_tree(c, W_API_SERVER, NAME_CLUSTER),
		.credentials = known_tree(c, W_CREDENTIALS, NAME_CLUSTER),
		.release_image = json_str(version, "status.desired.image"),
		.internal_release = known_tree(c, W_RELEASE_IMAGE, NAME_CLUSTER) != NULL,
		.release_auth = known_tree(c, W_RELEASE_AUTH, NS_MCO "/" TEMPLATE_RELEASE_AUTH),
		.template_failed = c->template_failed,
		.configuration = known_tree(c, W_SETTINGS, NAME_CLUSTER),
		.os_image_stream = known_tree(c, W_STREAM, NAME_CLUSTER),
		.os_streams = mc_gate(&c->gates.names, "OSStreams") && !version_scos(),
		.whole = c->reading ? &c->reading->whole : NULL,
		.wanted = c->reading ? &c->reading->wanted : NULL,
	};
}

int sync_generate(struct controller *c, enum generate_kind kind, struct str name, struct arena *a,
		  struct actions *out, struct err *err)
{
	struct generate_key key = { .kind = kind, .name = name };
	struct err ignored = ERR_INIT(a);
	struct sight s;
	int rc;

	controller_see(c, a, &s);
	rc = plan_generate(a, &s.view, &key, out, err);
	/* before the templates are complete a failure is a wait, not an error */
	if (rc < 0)
		c->waits = controller_config_completed(
				   a, known_tree(c, W_CONTROLLER, NAME_CONTROLLER), &ignored) < 0;
	return rc;
}

/* ---- the template controller --------------------------------------------- */

int sync_template(struct controller *c, struct str name, struct arena *a, struct actions *out,
		  struct err *err)
{
	struct generate_key key = { .kind = GENERATE_TEMPLATES, .name = name };
	struct sight s;

	controller_see(c, a, &s);
	if (!s.view.controller_config || !known_secret(c, &s.view.pull_secret))
		return 0;
	return plan_generate(a, &s.view, &key, out, err);
}

/* ---- failures ------------------------------------------------------------ */

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
