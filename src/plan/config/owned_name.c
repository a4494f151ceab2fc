/*
 * The name of a config's MachineConfig.
 *
 * A config has one suffix, for all its pools and for good. If the MachineConfig of that
 * name belongs to another config, an edited config takes the next suffix: two configs
 * that overwrite each other would roll out nodes for ever. A settled config keeps its
 * name: upstream's workers may have given two configs the same one, and a new name would
 * roll out nodes at a take-over.
 */
#include "mc/generated.h"
#include "mc/selector.h"
#include "plan/owned.h"

#define MOST 9 /* suffixes in use */

int owned_matches(struct arena *a, const struct mc_object *o, const struct mcp *pool, bool *out,
		  struct err *err)
{
	struct selector s;
	int rc = selector_make(a, json_at(o->doc.tree, "spec.machineConfigPoolSelector"), &s, err);

	if (rc < 0)
		return err_wrap(err, "invalid label selector");
	*out = s.n && selector_matches(&s, pool->meta.labels);
	return 0;
}

int owned_pools(struct arena *a, const struct owned_view *in, struct mcp_list *out, struct err *err)
{
	for (size_t i = 0; i < in->pools->n; i++) {
		bool yes = false;
		int rc = owned_matches(a, in->config, in->pools->v[i], &yes, err);

		if (rc < 0)
			return rc;
		if (yes)
			VEC_PUSH(a, out, in->pools->v[i]);
	}
	return 0;
}

const struct json *owned_suffix(const struct mc_object *config)
{
	return json_member(json_at(config->doc.tree, "metadata.annotations"), S(ANNO_NAME_SUFFIX));
}

static struct str created(const struct mc_object *o)
{
	return json_str(o->doc.tree, "metadata.creationTimestamp");
}

/* ---- whose a MachineConfig is -------------------------------------------- */

bool owned_controls(const struct owned_kind *kind, const struct mc_object *o, const struct mc *mc)
{
	const struct json *list = json_at(mc->doc.tree, "metadata.ownerReferences");

	for (const struct json *r = json_first(list); r; r = json_next(r))
		if (json_bool(r, "controller", false) && str_is(json_str(r, "kind"), kind->kind) &&
		    str_eq(json_str(r, "name"), o->meta.name) &&
		    str_eq(json_str(r, "uid"), o->meta.uid))
			return true;
	return false;
}

static bool is_planned(const struct owned_view *in, const struct mc_object *o)
{
	return in->config && str_eq(o->meta.name, in->config->meta.name);
}

bool owned_by_another(const struct owned_view *in, const struct mc *mc)
{
	for (size_t i = 0; i < in->configs->n; i++)
		if (!is_planned(in, in->configs->v[i]) &&
		    owned_controls(in->kind, in->configs->v[i], mc))
			return true;
	return false;
}

struct str owned_mc_name(struct arena *a, const struct owned_kind *kind, const struct mcp *pool,
			 struct str suffix)
{
	struct str base = mc_generated_name(a, "99", pool->meta.name, kind->what);

	return suffix.n ? str_fmt(a, "%.*s-%.*s", STRF(base), STRF(suffix)) : base;
}

/* True when mc is for one of the pools of o, with its suffix. */
static bool writes(struct arena *a, const struct owned_view *in, const struct mc_object *o,
		   const struct mc *mc)
{
	const struct json *suffix = owned_suffix(o);
	struct err ignored = ERR_INIT(a);

	for (size_t i = 0; suffix && i < in->pools->n; i++) {
		const struct mcp *p = in->pools->v[i];
		bool yes = false;

		if (owned_matches(a, o, p, &yes, &ignored) == 0 && yes &&
		    str_eq(mc->meta.name, owned_mc_name(a, in->kind, p, json_text(suffix))))
			return true;
	}
	return !suffix; /* it has not chosen a suffix yet */
}

bool owned_by_turn(struct arena *a, const struct owned_view *in, const struct mc *mc)
{
	for (size_t i = 0; i < in->configs->n; i++) {
		const struct mc_object *o = in->configs->v[i];

		if (!is_planned(in, o) && owned_controls(in->kind, o, mc))
			return writes(a, in, o, mc);
	}
	return false;
}

/* True when another config owns the name in one of its pools. */
static bool taken(struct arena *a, const struct owned_view *in, struct str suffix)
{
	struct err ignored = ERR_INIT(a);
	struct mcp_list pools = { 0 };

	(void)owned_pools(a, in, &pools, &ignored);
	for (size_t i = 0; i < pools.n; i++) {
		const struct mc *mc =
			generated_find(in->mcs, owned_mc_name(a, in->kind, pools.v[i], suffix));

		if (mc && owned_by_another(in, mc))
			return true;
	}
	return false;
}

/* ---- which is to be its own ---------------------------------------------- */

/* The number after the last '-' of a name, or -1. */
static int64_t number_of(struct str name)
{
	ptrdiff_t dash = str_rchr(name, '-');
	int64_t n;

	if (dash < 0 || !str_to_i64(str_from(name, (size_t)dash + 1), &n) || n < 0)
		return -1;
	return n;
}

/* For a config that is older than the annotations: the finalizer of the youngest
 * MachineConfig it owns in this pool. */
static struct str from_finalizers(const struct owned_view *in, struct str base)
{
	const struct json *list = json_at(in->config->doc.tree, "metadata.finalizers");
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
		       const struct mc_object_list *rivals, struct str *out, struct err *err)
{
	int64_t most = 0;

	for (size_t i = 0; i < rivals->n; i++) {
		struct str s = json_text(owned_suffix(rivals->v[i]));
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
	while (most++ < MOST) {
		struct str s = str_fmt(a, "%lld", (long long)most);

		if (taken(a, in, s))
			continue;
		*out = s;
		return 0;
	}
	return err_set(err, ERR_INVALID,
		       "max number of supported %s (10) has been "
		       "reached. Please delete old %s before retrying",
		       in->kind->several, in->kind->delete_them);
}

static int choose(struct arena *a, const struct owned_view *in, const struct mcp *pool,
		  struct str *out, struct err *err)
{
	const struct json *mine = owned_suffix(in->config);
	struct str base = owned_mc_name(a, in->kind, pool, S("")), old = base;
	struct mc_object_list rivals = { 0 };
	bool newer = false;

	for (size_t i = 0; i < in->configs->n; i++) {
		struct mc_object *o = in->configs->v[i];
		bool yes = false;
		int rc = owned_matches(a, o, pool, &yes, err);

		if (rc < 0)
			return rc;
		if (!yes)
			continue;
		VEC_PUSH(a, &rivals, o);
		newer = newer || str_cmp(created(o), created(in->config)) > 0;
	}
	if (!mine && rivals.n > 1)
		old = newer ? from_finalizers(in, base) : S("");
	if (old.n) {
		*out = mine ? json_text(mine) : str_from(old, base.n + (old.n > base.n));
		if (owned_settled(a, in->config) || !taken(a, in, *out))
			return 0;
	}
	return next_suffix(a, in, &rivals, out, err);
}

int owned_name(struct arena *a, const struct owned_view *in, struct owned_job *job,
	       const struct mcp *pool, struct str *out, struct err *err)
{
	struct str suffix;
	int rc;

	if (!job->suffix.p) {
		rc = choose(a, in, pool, &suffix, err);
		if (rc < 0)
			return rc;
		job->suffix = suffix.n ? suffix : S("");
	}
	*out = owned_mc_name(a, in->kind, pool, job->suffix);
	return 0;
}
