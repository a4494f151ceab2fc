#include "plan/runtime_sync.h"

#include "mc/condition.h"
#include "plan/runtime.h"

#define BUILT_IN MC_PREFIX "mco-built-in"

static int failed(struct arena *a, const struct owned_view *in,
		  const char *where, struct actions *out, struct err *err)
{
	owned_status(
		a, in,
		str_fmt(a, "%s: %.*s", where ? where : "Error", STRF(err->msg)),
		out);
	/* upstream tries again whatever it was */
	err->code = ERR_AGAIN;
	return -ERR_AGAIN;
}

static int for_pool(struct arena *a, const struct runtime_view *in,
		    const struct mc_pool *pool, struct owned_job *job,
		    struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;
	struct runtime_in r = { .pool = pool->meta.name,
				.more_stores = in->more_stores,
				.hash = o->hash };
	struct str name, note, registries = S(""), policy = S("");
	struct generated_base want = { .storage = &r.storage,
				       .registries = &registries,
				       .policy = &policy };
	struct mc *mc = NULL;

	if (owned_name(a, o, job, pool, &name, err) < 0)
		return failed(a, o, "could not get ctrcfg key", out, err);
	if (generated_base(a, in->templates, pool->meta.name, &want, err) < 0)
		return failed(a, o,
			      "could not generate origin ContainerRuntime "
			      "Configs",
			      out, err);
	if (runtime_config(a, &r, o->config, name, &mc, &note, err) < 0)
		return failed(a, o, NULL, out, err);
	if (note.n)
		action_log(a, out, "%.*s: %.*s", STRF(o->config->meta.name),
			   STRF(note))
			->warning = true;
	owned_write(a, o, job, pool, mc, out);
	return 0;
}

int plan_runtime_sync(struct arena *a, const struct runtime_view *in,
		      struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;
	struct mc_pools pools = { 0 };
	struct owned_job job = { 0 };
	int rc;

	if (json_at(o->config->tree, "metadata.deletionTimestamp")) {
		owned_delete(a, o, out);
		return 0;
	}
	if (runtime_validate(a, o->config, err) < 0)
		return failed(a, o, NULL, out, err);
	rc = owned_pools(a, o, &pools, err);
	if (rc == 0 && !pools.n)
		rc = err_set(err, ERR_AGAIN,
			     "could not find any MachineConfigPool set for "
			     "ContainerRuntimeConfig %.*s",
			     STRF(o->config->meta.name));
	if (rc < 0)
		return failed(a, o, NULL, out, err);
	/* a pool that is up to date does not hide the ones after it */
	for (size_t i = 0; i < pools.n && rc == 0; i++)
		rc = for_pool(a, in, pools.v[i], &job, out, err);
	if (rc < 0)
		return rc;
	owned_finalize(a, o, &job, out);
	generated_cleanup(a, o->mcs, o->hash, "", o->kind->what, out);
	owned_status(a, o, S(""), out);
	return 0;
}

/* ---- registries ---- */

static int registries_of(struct arena *a, const struct runtime_view *in,
			 const struct registries *r, const struct mc_pool *pool,
			 struct actions *out, struct err *err)
{
	const struct owned_view *o = &in->owned;
	struct str name =
		mc_generated_name(a, "99", pool->meta.name, "registries");
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
	mc_annotate(a, mc, S(MC_BY_CONTROLLER), o->hash);
	mc_set_owner(a, mc, S("config.openshift.io/v1"), S("Image"),
		     S("cluster"), json_str(in->image, "metadata.uid", S("")),
		     false);
	if (generated_write(a, o->mcs, mc,
			    str_fmt(a, "registries of pool %.*s",
				    STRF(pool->meta.name)),
			    out)) {
		out->v[out->n - 1].wrap =
			S("could not Create/Update MachineConfig");
		action_state_metric(a, out, "container-runtime-config",
				    S("Sync Image Config"), pool->meta.name);
	}
	generated_retire(a, o->mcs, "99", pool, "registries", out);
	return 0;
}

static const struct mc_object *policy_of(const struct runtime_view *in,
					 const struct registries_conflict *c)
{
	const struct mc_objects *list = in->registries->objects;

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i]->kind == MC_IMAGE_POLICY &&
		    str_eq(list->v[i]->namespace, c->namespace) &&
		    str_eq(list->v[i]->meta.name, c->name))
			return list->v[i];
	return NULL;
}

/* The policy's only condition, unless it stands there already. */
static void outranked(struct arena *a, const struct runtime_view *in,
		      const struct registries_conflict *c, struct actions *out)
{
	const struct mc_object *o = policy_of(in, c);
	struct condition cond = { .type = S("Pending"),
				  .status = CONDITION_FALSE,
				  .reason = S("ConflictScopes"),
				  .message = c->message,
				  .time = condition_time(a, in->owned.now) };
	struct conditions list = conditions_of(
		a, json_at(o ? o->doc.tree : NULL, "status.conditions"));
	struct json *j, *s;

	if (!o || (list.n == 1 && str_eq(list.v[0].message, c->message) &&
		   str_eq(list.v[0].reason, cond.reason)))
		return;
	list.n = 0;
	VEC_PUSH(a, &list, cond);
	s = json_new(a, JSON_OBJECT);
	json_add(s, S("conditions"), conditions_json(a, &list));
	j = json_new(a, JSON_OBJECT);
	json_add(j, S("status"), s);
	action_add(a, out, ACTION_MERGE,
		   str_fmt(a,
			   "/apis/config.openshift.io/v1/namespaces/%.*s/"
			   "imagepolicies/%.*s/status",
			   STRF(c->namespace), STRF(c->name)),
		   body_of(a, j), c->message)
		->fail = ACTION_SHRUG;
}

int plan_registries_sync(struct arena *a, const struct runtime_view *in,
			 struct actions *out, struct err *err)
{
	const struct mc_pools *pools = in->owned.pools;
	struct registries r;
	int rc;

	if (!in->image || !in->registries->release_image.n)
		return 0;
	rc = registries_decide(a, in->registries, &r, err);
	if (rc < 0)
		return rc;
	if (r.note.n)
		action_log(a, out, "%.*s", STRF(r.note))->warning = true;
	for (size_t i = 0; i < r.n_conflicts; i++)
		outranked(a, in, &r.conflicts[i], out);
	for (size_t i = 0; i < pools->n; i++) {
		const struct json *built_in =
			json_member(pools->v[i]->meta.labels, S(BUILT_IN));

		/* the label's value is empty */
		if (!built_in || json_text(built_in).n)
			continue;
		rc = registries_of(a, in, &r, pools->v[i], out, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
