/*
 * The container runtime config controller: ContainerRuntimeConfigs by owned_sync, and the
 * registries of each pool.
 */
#include "plan/runtime_sync.h"

#include "mc/condition.h"
#include "plan/config/runtime.h"

static int make(struct arena *a, const void *ctx, const struct mcp *pool, struct str name,
		struct mc **out, const char **where, struct str *without, struct err *err)
{
	const struct runtime_view *in = ctx;
	const struct mc_object *config = in->owned.config;
	struct runtime_in r = { .pool = pool->meta.name,
				.more_stores = in->more_stores,
				.hash = in->owned.hash };
	struct str registries = S(""), policy = S("");
	struct generated_base want = { .storage = &r.storage,
				       .registries = &registries,
				       .policy = &policy };

	*where = "could not generate origin ContainerRuntime Configs";
	if (generated_base(a, in->templates, pool->meta.name, &want, err) < 0)
		return -(int)err->code;
	*where = NULL;
	return runtime_config(a, &r, config, name, out, without, err);
}

int plan_runtime_sync(struct arena *a, const struct runtime_view *in, struct actions *out,
		      struct err *err)
{
	struct owned_maker maker = { runtime_validate, make, NULL, in };

	return owned_sync(a, &in->owned, &maker, out, err);
}

/* ---- registries ---------------------------------------------------------- */

static int registries_of(struct arena *a, const struct runtime_view *in, const struct registries *r,
			 const struct mcp *pool, struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;
	struct str name = mc_generated_name(a, "99", pool->meta.name, "registries");
	struct mc_files files = { 0 };
	struct str storage = S(""), conf = S(""), policy = S("");
	struct generated_base want = { .storage = &storage,
				       .registries = &conf,
				       .policy = &policy };
	struct mc *mc;
	int rc = generated_base(a, in->templates, pool->meta.name, &want, err);

	if (rc < 0)
		(void)err_wrap(err, "could not generate original "
				    "ContainerRuntime Configs");
	if (rc == 0)
		rc = registries_files(a, r, conf, policy, &files, err);
	if (rc < 0)
		return rc;
	mc = mc_generated(a, name, pool->meta.name, &files);
	/* without a version the first sync in the cluster replaces it */
	if (!o->first_run)
		mc_annotate(a, mc, S(ANNO_BY_CONTROLLER), o->hash);
	mc_set_owner(a, mc, S(API_CONFIG), S("Image"), o->first_run ? S("") : S(NAME_CLUSTER),
		     json_str(o->first_run ? NULL : in->image, "metadata.uid"), false);
	if (generated_write(a, o->mcs, mc,
			    str_fmt(a, "registries of pool %.*s", STRF(pool->meta.name)), out)) {
		out->v[out->n - 1].wrap = S("could not Create/Update MachineConfig");
		action_state_metric(a, out, "container-runtime-config", S("Sync Image Config"),
				    pool->meta.name);
	}
	generated_retire(a, o->mcs, "99", pool, "registries", out);
	return 0;
}

static const struct mc_object *policy_of(const struct runtime_view *in,
					 const struct registries_conflict *c)
{
	const struct mc_object_list *list = in->registries->objects;

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i]->kind == MC_IMAGE_POLICY &&
		    str_eq(list->v[i]->namespace, c->namespace) &&
		    str_eq(list->v[i]->meta.name, c->name))
			return list->v[i];
	return NULL;
}

/* Sets the policy's only condition, unless it is already there. */
static void outranked(struct arena *a, const struct runtime_view *in,
		      const struct registries_conflict *c, struct actions *out)
{
	const struct mc_object *o = policy_of(in, c);
	struct condition cond = { .type = S("Pending"),
				  .status = CONDITION_FALSE,
				  .reason = S("ConflictScopes"),
				  .message = c->message,
				  .time = condition_time(a, in->owned.now) };
	struct conditions list =
		conditions_of(a, json_at(o ? o->doc.tree : NULL, "status.conditions"));
	struct json *j;

	if (!o || (list.n == 1 && str_eq(list.v[0].message, c->message) &&
		   str_eq(list.v[0].reason, cond.reason)))
		return;
	list.n = 0;
	VEC_PUSH(a, &list, cond);
	j = json_clone(a, o->doc.tree);
	if (json_kind(json_at(j, "status")) != JSON_OBJECT)
		json_set(j, S("status"), json_new(a, JSON_OBJECT));
	json_set(json_at(j, "status"), S("conditions"), conditions_json(a, &list, false));
	/* upstream's role allows update, not patch */
	action_add(a, out, ACTION_REPLACE,
		   str_fmt(a,
			   PATH_CONFIG "namespaces/%.*s/"
				       "imagepolicies/%.*s/status",
			   STRF(c->namespace), STRF(c->name)),
		   json_format(a, j, 0), c->message)
		->fail = ACTION_SHRUG;
}

int plan_registries_sync(struct arena *a, const struct runtime_view *in, struct actions *out,
			 struct err *err)
{
	const struct mcp_list *pools = in->owned.pools;
	struct registries r;
	int rc;

	if (!in->assume_image && (!in->image || !in->registries->release_image.n))
		return 0;
	rc = registries_decide(a, in->registries, &r, err);
	if (rc < 0)
		return rc;
	if (r.note.n)
		action_log(a, out, "%.*s", STRF(r.note))->warning = true;
	for (size_t i = 0; !in->owned.first_run && i < r.n_conflicts; i++)
		outranked(a, in, &r.conflicts[i], out);
	for (size_t i = 0; i < pools->n; i++) {
		if (!in->every_pool && !pool_built_in(pools->v[i]))
			continue;
		rc = registries_of(a, in, &r, pools->v[i], out, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
