/*
 * The kubelet config controller: KubeletConfigs by owned_sync, and the 97- and 98-
 * configs of each pool.
 */
#include "plan/kubelet_sync.h"

#include "mc/contents.h"
#include "plan/config/kubelet.h"
#include "plan/render_sync.h"

#define FIRST_WHERE "could not generate the original Kubelet config ignition"

static int base_of(struct arena *a, const struct kubelet_view *in, struct str role,
		   struct kubelet_in *out, struct err *err)
{
	struct generated_base want = { .kubelet = &out->base };
	int rc = generated_base(a, in->templates, role, &want, err);

	out->pool = role;
	out->gates_on = in->gates_on;
	out->gates_off = in->gates_off;
	out->node = in->node;
	out->hash = in->owned.hash;
	return rc;
}

/* Without the gates, take those that the cluster rendered. */
static int config_base(struct arena *a, const struct kubelet_view *in, struct str role,
		       struct kubelet_in *out, struct err *err)
{
	const struct mc *made =
		generated_find(in->owned.mcs, mc_generated_name(a, "98", role, "kubelet"));
	struct ign_obj *config = NULL;
	const struct ign_obj *file;
	int rc = base_of(a, in, role, out, err);

	if (rc < 0 || !in->gates_unknown)
		return rc;
	out->gates_on = out->gates_off = (struct strs){ 0 };
	if (!made || !mc_has_config(made))
		return 0;
	rc = ign_parse_35(a, mc_config_text(a, made), &config, err);
	file = rc == 0 ? mc_find_file(config, S(KUBELET_CONF)) : NULL;
	return file ? mc_contents(a, file, &out->base, err) : rc;
}

static int make(struct arena *a, const void *ctx, const struct mcp *pool, struct str name,
		struct mc **out, const char **where, struct str *without, struct err *err)
{
	const struct kubelet_view *in = ctx;
	struct kubelet_in k = { 0 };

	(void)without;
	if (config_base(a, in, pool->meta.name, &k, err) == 0)
		return kubelet_config(a, &k, in->owned.config, name, out, err);
	*where = in->owned.first_run ? FIRST_WHERE : "could not get original kubelet config";
	return -(int)err->code;
}

/* Upstream compares only the feature gates. */
static bool may_stay(struct arena *a, const void *ctx, const struct mcp *pool, const struct mc *mc)
{
	const struct kubelet_view *in = ctx;
	struct err ignored = ERR_INIT(a);
	struct kubelet_in k = { 0 };

	/* with unknown gates there is nothing to compare */
	return in->gates_unknown || (base_of(a, in, pool->meta.name, &k, &ignored) == 0 &&
				     kubelet_same_gates(a, &k, mc));
}

int plan_kubelet_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		      struct err *err)
{
	const struct mc_controller_config *cc = in->controller_config;
	struct owned_maker maker = { kubelet_validate, make, may_stay, in };
	int rc =
		in->owned.first_run ? 0 : controller_config_completed(a, cc ? cc->tree : NULL, err);

	return rc < 0 ? rc : owned_sync(a, &in->owned, &maker, out, err);
}

/* ---- of every pool ------------------------------------------------------- */

struct every {
	const char *prefix, *what, *state; /* of mcc_sub_controller_state */
	int (*make)(struct arena *a, const struct kubelet_view *in, const struct kubelet_in *k,
		    struct mc **out, struct err *err);
};

static int every_pool(struct arena *a, const struct kubelet_view *in, const struct every *e,
		      struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;

	for (size_t i = 0; i < o->pools->n; i++) {
		const struct mcp *pool = o->pools->v[i];
		struct kubelet_in k = { 0 };
		struct mc *mc = NULL;
		int rc;

		if (in->only.n && !str_eq(pool->meta.name, in->only))
			continue;
		rc = base_of(a, in, pool->meta.name, &k, err);
		if (rc < 0 && o->first_run)
			return err_wrap(err, FIRST_WHERE);
		if (rc == 0)
			rc = e->make(a, in, &k, &mc, err);
		if (rc < 0)
			return rc;
		if (generated_write(a, o->mcs, mc,
				    str_fmt(a, "%s of pool %.*s", e->what, STRF(pool->meta.name)),
				    out))
			action_state_metric(a, out, "kubelet-config", str_of(e->state),
					    pool->meta.name);
		generated_retire(a, o->mcs, e->prefix, pool, "kubelet", out);
	}
	actions_step(out);
	if (!in->only.n)
		generated_cleanup(a, o, e->prefix, "kubelet", out);
	return 0;
}

static int make_features(struct arena *a, const struct kubelet_view *in, const struct kubelet_in *k,
			 struct mc **out, struct err *err)
{
	(void)in;
	return kubelet_features(a, k, out, err);
}

int plan_features_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		       struct err *err)
{
	static const struct every features = { "98", "feature gates", "Sync FeatureSet",
					       make_features };

	return every_pool(a, in, &features, out, err);
}

static int make_node(struct arena *a, const struct kubelet_view *in, const struct kubelet_in *k,
		     struct mc **out, struct err *err)
{
	static const struct strs none;
	const struct mc *now =
		generated_find(in->owned.mcs, mc_generated_name(a, "97", k->pool, "kubelet"));
	const struct strs *kargs = now ? &now->kargs : &none;

	if (!in->owned.first_run && !kubelet_has_kargs(k->pool))
		kargs = NULL;
	return kubelet_node(a, k, kargs, out, err);
}

int plan_node_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		   struct err *err)
{
	static const struct every node = { "97", "node config", "Sync NodeConfig", make_node };

	if (!in->node && !in->owned.first_run)
		return err_set(err, ERR_AGAIN,
			       "could not fetch Node: missing node "
			       "configuration, key: cluster");
	return every_pool(a, in, &node, out, err);
}

static void prohibited(struct arena *a, const struct json *node, struct str text,
		       struct actions *out)
{
	struct action_event e = {
		.api = S(API_CONFIG),
		.kind = S("Node"),
		.name = json_str(node, "metadata.name"),
		.uid = json_str(node, "metadata.uid"),
		.version = json_str(node, "metadata.resourceVersion"),
		.reason = S("ActionProhibited"),
	};

	action_event(a, out, e, text);
}

/* Two steps apart: the step in between has to come first. */
static bool too_far(struct str from, struct str to)
{
	bool from_default = !from.n || str_is(from, "Default");
	bool to_default = !to.n || str_is(to, "Default");

	return (from_default && str_is(to, "LowUpdateSlowReaction")) ||
	       (to_default && str_is(from, "LowUpdateSlowReaction"));
}

bool node_config_allowed(struct arena *a, const struct json *old, const struct json *new,
			 struct actions *out)
{
	struct str name = json_str(new, "metadata.name");
	struct str from = json_str(old, "spec.workerLatencyProfile");
	struct str to = json_str(new, "spec.workerLatencyProfile");

	if (!str_is(name, NAME_CLUSTER)) {
		prohibited(a, new,
			   str_fmt(a,
				   "The node." GROUP_CONFIG " \"%.*s\" is "
				   "invalid: metadata.name Invalid value: "
				   "\"%.*s\" : must be \"cluster\"",
				   STRF(name), STRF(name)),
			   out);
		return false;
	}
	if (!old || !too_far(from, to))
		return true;
	prohibited(a, new,
		   str_fmt(a,
			   "Skipping the Update Node event, name: %.*s, "
			   "transition not allowed from old "
			   "WorkerLatencyProfile: \"%.*s\" to new "
			   "WorkerLatencyProfile: \"%.*s\"",
			   STRF(name), STRF(from), STRF(to)),
		   out);
	return false;
}
