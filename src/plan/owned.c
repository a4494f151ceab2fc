/*
 * Annotation and finalizers are merge patches of nothing else, so that what
 * others put on the object stays; lists carry the version they were made from.
 */
#include "plan/owned.h"

#include "mc/condition.h"
#include "mc/generated.h"
#include "mc/selector.h"

#define MOST 9 /* suffixes */

const struct owned_kind owned_kubelet = {
	.kind = "KubeletConfig",
	.plural = "kubeletconfigs",
	.what = "kubelet",
	.several = "kubelet config",
	.delete_them = "kubelet configs",
	.sub = "kubelet-config",
	.state = "Sync Kubelet Config",
	.kept = 3,
	.own_finalizers = true,
};

const struct owned_kind owned_runtime = {
	.kind = "ContainerRuntimeConfig",
	.plural = "containerruntimeconfigs",
	.what = "containerruntime",
	.several = "ctrcfgs",
	.delete_them = "ctrcfgs",
	.sub = "container-runtime-config",
	.state = "Sync Container Runtime Config",
};

static int matches(struct arena *a, const struct mc_object *o,
		   const struct mc_pool *pool, bool *out, struct err *err)
{
	struct selector s;
	int rc = selector_make(
		a, json_at(o->doc.tree, "spec.machineConfigPoolSelector"), &s,
		err);

	if (rc < 0)
		return err_wrap(err, "invalid label selector");
	*out = s.n && selector_matches(&s, pool->meta.labels);
	return 0;
}

int owned_pools(struct arena *a, const struct owned_view *in,
		struct mc_pools *out, struct err *err)
{
	for (size_t i = 0; i < in->pools->n; i++) {
		bool yes;
		int rc = matches(a, in->config, in->pools->v[i], &yes, err);

		if (rc < 0)
			return rc;
		if (yes)
			VEC_PUSH(a, out, in->pools->v[i]);
	}
	return 0;
}

/* ---- names ---- */

static const struct json *suffix_of(const struct mc_object *o)
{
	return json_member(json_at(o->doc.tree, "metadata.annotations"),
			   S(OWNED_SUFFIX));
}

static struct str created(const struct mc_object *o)
{
	return json_str(o->doc.tree, "metadata.creationTimestamp", S(""));
}

/* The number behind the last '-' of a name, or -1. */
static int64_t number_of(struct str name)
{
	ptrdiff_t dash = str_rchr(name, '-');
	int64_t n;

	if (dash < 0 || !str_to_i64(str_from(name, (size_t)dash + 1), &n) ||
	    n < 0)
		return -1;
	return n;
}

/* Of a config that was there before there were annotations: the finalizer that
 * names the youngest of what it owns in this pool. */
static struct str from_finalizers(const struct owned_view *in, struct str base)
{
	const struct json *list =
		json_at(in->config->doc.tree, "metadata.finalizers");
	struct str best = S("");
	int64_t most = -1;

	for (const struct json *f = json_first(list); f; f = json_next(f)) {
		struct str name = json_text(f);
		int64_t n = number_of(name);

		if (!generated_find(in->mcs, name) || !str_starts(name, base))
			continue;
		if (n < 0 && !str_eq(name, base))
			continue;
		if (n < 0)
			n = 0;
		if (n > most) {
			most = n;
			best = name;
		}
	}
	return best;
}

static int next_suffix(struct arena *a, const struct owned_view *in,
		       const struct mc_objects *rivals, struct str base,
		       struct str *out, struct err *err)
{
	int64_t most = 0;

	for (size_t i = 0; i < rivals->n; i++) {
		struct str s = json_text(suffix_of(rivals->v[i]));
		int64_t n = 0;

		if (s.n && !str_to_i64(s, &n))
			return err_set(err, ERR_INVALID,
				       "error converting %.*s to int: "
				       "strconv.Atoi: parsing \"%.*s\": "
				       "invalid syntax",
				       STRF(s), STRF(s));
		if (n > most)
			most = n;
	}
	if (most >= MOST)
		return err_set(err, ERR_INVALID,
			       "max number of supported %s (10) has been "
			       "reached. Please delete old %s before retrying",
			       in->kind->several, in->kind->delete_them);
	*out = str_fmt(a, "%.*s-%lld", STRF(base), (long long)most + 1);
	return 0;
}

static int choose(struct arena *a, const struct owned_view *in,
		  const struct mc_pool *pool, struct str base, struct str *out,
		  struct err *err)
{
	const struct json *mine = suffix_of(in->config);
	struct mc_objects rivals = { 0 };
	bool newer = false;

	for (size_t i = 0; i < in->configs->n; i++) {
		struct mc_object *o = in->configs->v[i];
		bool yes;
		int rc = matches(a, o, pool, &yes, err);

		if (rc < 0)
			return rc;
		if (!yes)
			continue;
		VEC_PUSH(a, &rivals, o);
		newer = newer || str_cmp(created(o), created(in->config)) > 0;
	}
	*out = base;
	if (mine && json_text(mine).n)
		*out = str_fmt(a, "%.*s-%.*s", STRF(base),
			       STRF(json_text(mine)));
	if (mine || rivals.n <= 1)
		return 0;
	*out = newer ? from_finalizers(in, base) : S("");
	return out->n ? 0 : next_suffix(a, in, &rivals, base, out, err);
}

int owned_name(struct arena *a, const struct owned_view *in,
	       struct owned_job *job, const struct mc_pool *pool,
	       struct str *out, struct err *err)
{
	struct str base =
		mc_generated_name(a, "99", pool->meta.name, in->kind->what);
	int rc;

	if (job->suffix.p) {
		*out = job->suffix.n ? str_fmt(a, "%.*s-%.*s", STRF(base),
					       STRF(job->suffix))
				     : base;
		return 0;
	}
	rc = choose(a, in, pool, base, out, err);
	if (rc == 0)
		job->suffix = str_from(*out, base.n + (out->n > base.n));
	return rc;
}

/* ---- writes ---- */

static struct str path_of(struct arena *a, const struct owned_view *in)
{
	return action_path(a, in->kind->plural, in->config->meta.name);
}

static void annotate(struct arena *a, const struct owned_view *in,
		     const struct owned_job *job, struct actions *out)
{
	struct buf b;

	if (suffix_of(in->config) || job->names.n)
		return;
	buf_init(&b, a);
	buf_addz(&b, "{\"metadata\":{\"annotations\":{");
	body_add(&b, S(OWNED_SUFFIX), job->suffix);
	buf_addz(&b, "}}}");
	action_add(a, out, ACTION_MERGE, path_of(a, in), buf_str(&b),
		   S("which MachineConfig is its"))
		->wrap = str_fmt(a, "could not update annotation for %s",
				 in->kind->kind);
	actions_step(out);
}

static void patch_finalizers(struct arena *a, const struct owned_view *in,
			     const struct strs *list, bool version,
			     struct str reason, struct actions *out)
{
	struct str rv = json_str(in->config->doc.tree,
				 "metadata.resourceVersion", S(""));
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "{\"metadata\":{\"finalizers\":");
	buf_addz(&b, list->n ? "[" : "null");
	for (size_t i = 0; i < list->n; i++) {
		buf_addz(&b, i ? "," : "");
		json_add_quoted(&b, list->v[i], 0);
	}
	buf_addz(&b, list->n ? "]" : "");
	if (version && rv.n)
		body_add(&b, S("resourceVersion"), rv);
	buf_addz(&b, "}}");
	action_add(a, out, ACTION_MERGE, path_of(a, in), buf_str(&b), reason)
		->wrap =
		str_fmt(a, "could not add finalizers to %s", in->kind->kind);
}

static struct strs finalizers_of(struct arena *a, const struct owned_view *in)
{
	struct strs out = { 0 };

	for (const struct json *f = json_first(
		     json_at(in->config->doc.tree, "metadata.finalizers"));
	     f; f = json_next(f))
		VEC_PUSH(a, &out, json_text(f));
	return out;
}

void owned_finalize(struct arena *a, const struct owned_view *in,
		    const struct owned_job *job, struct actions *out)
{
	struct strs list = finalizers_of(a, in);
	bool foreign = false, changed = false;

	for (size_t i = 0; i < list.n; i++)
		foreign |= str_find(list.v[i], str_of(in->kind->what)) < 0;
	/* older releases used uids */
	if (foreign && in->kind->own_finalizers)
		list.n = 0;
	for (size_t i = 0; i < job->names.n; i++) {
		bool has = false;

		for (size_t k = 0; k < list.n; k++)
			has |= str_eq(list.v[k], job->names.v[i]);
		if (has)
			continue;
		VEC_PUSH(a, &list, job->names.v[i]);
		changed = true;
	}
	if (changed)
		patch_finalizers(a, in, &list, false,
				 S("it goes when its MachineConfigs are gone"),
				 out);
	actions_step(out);
}

void owned_write(struct arena *a, const struct owned_view *in,
		 struct owned_job *job, const struct mc_pool *pool,
		 struct mc *mc, struct actions *out)
{
	struct str reason =
		str_fmt(a, "%s %.*s for pool %.*s", in->kind->kind,
			STRF(in->config->meta.name), STRF(pool->meta.name));

	annotate(a, in, job, out);
	VEC_PUSH(a, &job->names, mc->meta.name);
	mc_annotate(a, mc, S(MC_BY_CONTROLLER), in->hash);
	mc_set_owner(a, mc, S(MC_API), str_of(in->kind->kind),
		     in->config->meta.name, in->config->meta.uid, true);
	if (generated_write(a, in->mcs, mc, reason, out)) {
		out->v[out->n - 1].wrap =
			S("could not Create/Update MachineConfig");
		action_state_metric(a, out, in->kind->sub,
				    str_of(in->kind->state), pool->meta.name);
	}
	generated_retire(a, in->mcs, "99", pool, in->kind->what, out);
	actions_step(out);
}

void owned_delete(struct arena *a, const struct owned_view *in,
		  struct actions *out)
{
	struct strs list = finalizers_of(a, in), rest;

	if (!list.n)
		return;
	for (size_t i = 0; i < in->mcs->n; i++) {
		const struct mc_meta *m = &in->mcs->v[i]->meta;

		if (!str_eq(m->name, list.v[0]) &&
		    !(m->uid.n && str_eq(m->uid, list.v[0])))
			continue;
		action_add(a, out, ACTION_DELETE,
			   action_path(a, "machineconfigs", m->name), S(""),
			   str_fmt(a, "%s %.*s is being deleted",
				   in->kind->kind,
				   STRF(in->config->meta.name)));
		break;
	}
	actions_step(out);
	rest = (struct strs){ list.v + 1, list.n - 1, list.n - 1 };
	patch_finalizers(a, in, &rest, true, S("what it named is gone"), out);
}

/* ---- status ---- */

void owned_status(struct arena *a, const struct owned_view *in,
		  struct str failure, struct actions *out)
{
	const struct json *tree = in->config->doc.tree;
	struct conditions old =
		conditions_of(a, json_at(tree, "status.conditions"));
	struct conditions list = { 0 };
	struct condition c = { .type = failure.n ? S("Failure") : S("Success"),
			       .status = CONDITION_TRUE,
			       .reason = S(""),
			       .message = failure.n ? failure : S("Success"),
			       .time = condition_time(a, in->now) };
	int64_t generation = json_i64(tree, "metadata.generation", 0);
	bool same = old.n && str_eq(old.v[old.n - 1].message, c.message);
	size_t kept, first = 0;
	struct json *j, *s;

	if (same && str_eq(old.v[old.n - 1].type, c.type) &&
	    json_i64(tree, "status.observedGeneration", 0) == generation)
		return;
	/* one that says the same is replaced; the oldest make room */
	kept = old.n - same;
	if (in->kind->kept && kept >= in->kind->kept)
		first = kept - in->kind->kept + 1;
	for (size_t i = first; i < kept; i++)
		VEC_PUSH(a, &list, old.v[i]);
	VEC_PUSH(a, &list, c);
	s = json_new(a, JSON_OBJECT);
	json_add(s, S("conditions"), conditions_json(a, &list));
	json_add(s, S("observedGeneration"), json_new_i64(a, generation));
	j = json_new(a, JSON_OBJECT);
	json_add(j, S("status"), s);
	actions_step(out);
	action_add(a, out, ACTION_MERGE,
		   str_fmt(a, "%.*s/status", STRF(path_of(a, in))),
		   body_of(a, j), c.message)
		->fail = ACTION_SHRUG;
	if (!failure.n)
		out->v[out->n - 1].if_ok = true;
}
