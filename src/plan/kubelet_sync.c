#include "plan/kubelet_sync.h"

#include "plan/kubelet.h"
#include "plan/render_sync.h"

/* Says why in the object's status; the error goes on as it is. */
static int failed(struct arena *a, const struct owned_view *in,
		  const char *where, struct actions *out, struct err *err)
{
	owned_status(
		a, in,
		str_fmt(a, "%s: %.*s", where ? where : "Error", STRF(err->msg)),
		out);
	return -(int)err->code;
}

static int base_of(struct arena *a, const struct kubelet_view *in,
		   struct str role, struct kubelet_in *out, struct err *err)
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

static int for_pool(struct arena *a, const struct kubelet_view *in,
		    const struct mc_pool *pool, struct owned_job *job,
		    struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;
	struct kubelet_in k = { 0 };
	struct str name;
	struct mc *mc = NULL;

	if (owned_name(a, o, job, pool, &name, err) < 0)
		return failed(a, o, "could not get kubelet config key", out,
			      err);
	if (base_of(a, in, pool->meta.name, &k, err) < 0)
		return failed(a, o, "could not get original kubelet config",
			      out, err);
	if (kubelet_config(a, &k, o->config, name, &mc, err) < 0)
		return failed(a, o, NULL, out, err);
	owned_write(a, o, job, pool, mc, out);
	return 0;
}

int plan_kubelet_sync(struct arena *a, const struct kubelet_view *in,
		      struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;
	const struct mc_controller_config *cc = in->controller_config;
	struct mc_pools pools = { 0 };
	struct owned_job job = { 0 };
	int rc = controller_config_completed(a, cc ? cc->tree : NULL, err);

	if (rc < 0)
		return rc;
	if (json_at(o->config->tree, "metadata.deletionTimestamp")) {
		owned_delete(a, o, out);
		return 0;
	}
	if (kubelet_validate(a, o->config, err) < 0)
		return failed(a, o, NULL, out, err);
	rc = owned_pools(a, o, &pools, err);
	if (rc == 0 && !pools.n)
		rc = err_set(err, ERR_AGAIN,
			     "could not find any MachineConfigPool set for "
			     "KubeletConfig");
	if (rc < 0)
		return failed(a, o, NULL, out, err);
	for (size_t i = 0; i < pools.n && rc == 0; i++)
		rc = for_pool(a, in, pools.v[i], &job, out, err);
	if (rc < 0)
		return rc;
	owned_finalize(a, o, &job, out);
	generated_cleanup(a, o->mcs, o->hash, "99", o->kind->what, out);
	owned_status(a, o, S(""), out);
	return 0;
}

int plan_features_sync(struct arena *a, const struct kubelet_view *in,
		       struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;

	for (size_t i = 0; i < o->pools->n; i++) {
		const struct mc_pool *pool = o->pools->v[i];
		struct kubelet_in k = { 0 };
		struct mc *mc = NULL;
		int rc = base_of(a, in, pool->meta.name, &k, err);

		if (rc == 0)
			rc = kubelet_features(a, &k, &mc, err);
		if (rc < 0)
			return rc;
		if (generated_write(a, o->mcs, mc,
				    str_fmt(a, "feature gates of pool %.*s",
					    STRF(pool->meta.name)),
				    out))
			action_state_metric(a, out, "kubelet-config",
					    S("Sync FeatureSet"),
					    pool->meta.name);
		generated_retire(a, o->mcs, "98", pool, "kubelet", out);
	}
	actions_step(out);
	generated_cleanup(a, o->mcs, o->hash, "98", "kubelet", out);
	return 0;
}

/* Only these have kernel arguments by the cgroup mode; the others take theirs
 * from the worker's. */
static bool has_kernel_arguments(struct str pool)
{
	return str_is(pool, "master") || str_is(pool, "worker") ||
	       str_is(pool, "arbiter");
}

int plan_node_sync(struct arena *a, const struct kubelet_view *in,
		   struct actions *out, struct err *err)
{
	static const struct strs none;
	const struct owned_view *o = &in->owned;

	if (!in->node)
		return err_set(err, ERR_AGAIN,
			       "could not fetch Node: missing node "
			       "configuration, key: cluster");
	for (size_t i = 0; i < o->pools->n; i++) {
		const struct mc_pool *pool = o->pools->v[i];
		const struct mc *now = generated_find(
			o->mcs,
			mc_generated_name(a, "97", pool->meta.name, "kubelet"));
		const struct strs *kargs = now ? &now->kargs : &none;
		struct kubelet_in k = { 0 };
		struct mc *mc = NULL;
		int rc = base_of(a, in, pool->meta.name, &k, err);

		if (!has_kernel_arguments(pool->meta.name))
			kargs = NULL;
		if (rc == 0)
			rc = kubelet_node(a, &k, kargs, &mc, err);
		if (rc < 0)
			return rc;
		if (generated_write(a, o->mcs, mc,
				    str_fmt(a, "node config of pool %.*s",
					    STRF(pool->meta.name)),
				    out))
			action_state_metric(a, out, "kubelet-config",
					    S("Sync NodeConfig"),
					    pool->meta.name);
		generated_retire(a, o->mcs, "97", pool, "kubelet", out);
	}
	actions_step(out);
	generated_cleanup(a, o->mcs, o->hash, "97", "kubelet", out);
	return 0;
}

static void prohibited(struct arena *a, const struct json *node,
		       struct str text, struct actions *out)
{
	struct action_event e = {
		.api = S("config.openshift.io/v1"),
		.kind = S("Node"),
		.name = json_str(node, "metadata.name", S("")),
		.uid = json_str(node, "metadata.uid", S("")),
		.reason = S("ActionProhibited"),
	};

	action_event(a, out, e, text);
}

/* Two steps apart: the one in between has to be taken first. */
static bool too_far(struct str from, struct str to)
{
	bool from_default = !from.n || str_is(from, "Default");
	bool to_default = !to.n || str_is(to, "Default");

	return (from_default && str_is(to, "LowUpdateSlowReaction")) ||
	       (to_default && str_is(from, "LowUpdateSlowReaction"));
}

bool node_config_allowed(struct arena *a, const struct json *old,
			 const struct json *new, struct actions *out)
{
	struct str name = json_str(new, "metadata.name", S(""));
	struct str from = json_str(old, "spec.workerLatencyProfile", S(""));
	struct str to = json_str(new, "spec.workerLatencyProfile", S(""));

	if (!str_is(name, "cluster")) {
		prohibited(a, new,
			   str_fmt(a,
				   "The node.config.openshift.io \"%.*s\" is "
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
