/*
 * Findings about pools: renders each pool before and after the change, and compares.
 */
#include "plan/rollout/pool_lint.h"

#include "base/map.h"
#include "mc/current.h"
#include "mc/selector.h"
#include "plan/render.h"
#include "plan/steps.h"

struct linter {
	struct arena *a;
	const struct pool_lint_in *in;
	const struct mcp *pool;
	const struct map *names; /* from the given MachineConfigs */
	const struct map *reported; /* from MachineConfigs that nodes cannot apply */
	struct mc_list given; /* the selected ones of them */
	struct mc_findings *out;
};

/* The pool as it was given, or NULL. */
static const struct mcp *given_pool(const struct linter *l)
{
	const struct mcp_list *pools = &l->in->given->pools;

	for (size_t i = 0; i < pools->n; i++)
		if (str_eq(pools->v[i]->meta.name, l->pool->meta.name))
			return pools->v[i];
	return NULL;
}

/* Reported at the pool if it is among the manifests, else without a place. */
static void add(struct linter *l, bool error, struct str message)
{
	const struct mcp *given = given_pool(l);
	struct mc_finding f = {
		.error = error,
		.object = str_fmt(l->a, "MachineConfigPool %.*s", STRF(l->pool->meta.name)),
		.message = message,
	};

	if (given) {
		f.file = given->file;
		f.line = given->line;
		f.col = given->col;
	}
	VEC_PUSH(l->a, l->out, f);
}

/*
 * Without the MachineConfigs of a cluster, a pool that selects none is not reported:
 * manifests are often incomplete.
 */
static bool is_partial(const struct linter *l)
{
	const struct mc_list *mcs = &l->in->given->mcs;
	struct err ignored = ERR_INIT(l->a);
	struct selector s = { 0 };

	if (l->in->sets.before || selector_make(l->a, l->pool->selector, &s, &ignored) < 0 || !s.n)
		return false;
	for (size_t i = 0; i < mcs->n; i++)
		if (mc_is_generated(mcs->v[i]))
			return false;
	return true;
}

/* The current config of the pool's nodes, when it is known. */
static bool present(struct linter *l, const struct forecast *f, struct mc_merged *out)
{
	struct str name = json_str(l->pool->tree, "spec.configuration.name");
	const struct mc_list *mcs = &l->in->sets.after->mcs;
	struct err err = ERR_INIT(l->a);
	struct mc_list one = { 0 };

	for (size_t i = 0; i < mcs->n; i++)
		if (str_eq(mcs->v[i]->meta.name, name))
			VEC_PUSH(l->a, &one, mcs->v[i]);
	if (one.n == 1)
		return mc_validate(l->a, one.v[0], &err) == 0 &&
		       mc_merge(l->a, &one, S(""), S(""), out, &err) == 0;
	if (f->from)
		*out = *f->from;
	return f->from != NULL;
}

/* True when a given MachineConfig alone has what nodes refuse. */
static bool is_reported(const struct linter *l)
{
	for (size_t i = 0; i < l->given.n; i++)
		if (map_find(l->reported, l->given.v[i]->meta.name))
			return true;
	return false;
}

static void lint_refused(struct linter *l, const struct forecast *f)
{
	struct mc_overrides allow = mc_overrides_of(l->in->sets.after->configuration);
	struct mc_merged now;

	if (f->to && present(l, f, &now)) {
		mc_lint_change(l->a, l->pool, &now, f->to, &allow, &l->given, l->out);
		if (f->refused.n && !f->irreconcilable && !is_reported(l))
			add(l, false,
			    str_fmt(l->a,
				    "running nodes refuse the change: "
				    "%.*s",
				    STRF(f->refused)));
		return;
	}
	/* the config of these nodes is unknown */
	for (size_t i = 0; !l->in->sets.before && i < l->given.n; i++)
		mc_lint_refused(l->a, l->given.v[i], l->out);
}

static void lint_rendered(struct linter *l, const struct mc_list *sources, const struct forecast *f)
{
	struct buf b;

	buf_init(&b, l->a);
	json_encode(&b, mc_spec(l->a, f->to), 0);
	mc_lint_pool(l->a, l->pool->meta.name, sources, b.n, &l->given, l->out);
}

/* Faults that prevent finding or updating the nodes of a pool. */
static void lint_nodes(struct linter *l, const struct forecast *f)
{
	const struct json *nodes = json_at(l->pool->tree, "spec.nodeSelector");
	struct err err = ERR_INIT(l->a);
	struct selector s = { 0 };

	if (!given_pool(l))
		return;
	if (selector_make(l->a, nodes, &s, &err) < 0)
		add(l, true, str_fmt(l->a, "invalid label selector: %.*s", STRF(err.msg)));
	if (f->nodes.max_error.n)
		add(l, false, str_fmt(l->a, "no node updates: %.*s", STRF(f->nodes.max_error)));
}

static void lint_one(struct linter *l)
{
	const struct pool_lint_in *in = l->in;
	static const struct mc_set nothing = { 0 };
	struct forecast_in sets = in->sets;
	struct forecast f = { 0 };
	struct err err = ERR_INIT(l->a);
	struct mc_list sources = { 0 };
	bool some, differs;

	some = plan_render_select(l->a, l->pool, &sets.after->mcs, &sources, &err) == 0 &&
	       mc_sort(&sources, &err) == 0;
	if (!sources.n && is_partial(l))
		return;
	for (size_t i = 0; i < sources.n; i++) {
		struct mc *mc = map_get(l->names, sources.v[i]->meta.name);

		if (mc) /* as given: findings are placed there */
			VEC_PUSH(l->a, &l->given, mc);
	}
	/* other objects may generate anything */
	if (in->sets.before && !l->given.n && !in->given->others.n && !given_pool(l))
		return;
	if (!sets.before)
		sets.before = &nothing;
	differs = plan_forecast(l->a, &sets, l->pool->meta.name, &f);
	if (f.render_error.n && !f.irreconcilable && !f.failed_before && !in->broken)
		add(l, true,
		    str_fmt(l->a, "%.*s%s%.*s", STRF(f.render_error), f.culprit.n ? ": " : "",
			    STRF(f.culprit)));
	lint_nodes(l, &f);
	if (differs)
		lint_refused(l, &f);
	if (some && f.to && !f.render_error.n)
		lint_rendered(l, &sources, &f);
}

/* Files that no node can write, and unknown extensions. */
static bool lint_own(struct arena *a, struct mc *mc, struct mc_findings *out)
{
	struct mc_linter l = mc_linter_of_mc(a, mc, out);
	struct err err = ERR_INIT(a);
	bool any = mc_check_extensions(a, mc, &err) < 0; /* reported by mc_lint */
	struct mc_merged m;

	if (mc_is_generated(mc) || !mc_lint_alone(a, mc, &m))
		return any;
	for (size_t i = 0; i < ign_files(m.config)->n; i++) {
		const struct ign_obj *file = ign_files(m.config)->v[i];
		bool state = mc_is_state(ign_str(file, IGN_FILE_PATH));
		struct str at = str_fmt(a, "spec.config.storage.files.%zu", i);

		if (mc_linter_reported(&l, str_fmt(a, "%.*s.path", STRF(at))) ||
		    ign_list(file, IGN_FILE_APPEND)->n || steps_check_file(a, file, &err) == 0)
			continue;
		mc_linter_add(&l, false,
			      str_fmt(a, "%.*s.%s", STRF(at), state ? "path" : "contents.source"),
			      false,
			      str_fmt(a, "running nodes refuse it: %.*s",
				      STRF(str_clip(a, err.msg, 500))));
		any = true;
	}
	return any;
}

void pool_lint(struct arena *a, const struct pool_lint_in *in, struct mc_findings *out)
{
	const struct mcp_list *pools = &in->sets.after->pools;
	const struct mc_list *given = &in->given->mcs;
	struct map names, reported, pooled;

	map_init(&names, a);
	map_init(&reported, a);
	map_init(&pooled, a);
	for (size_t i = 0; i < given->n; i++) {
		struct mc *mc = given->v[i];

		(void)map_put(&names, mc->meta.name, mc);
		if (lint_own(a, mc, out))
			(void)map_put(&reported, mc->meta.name, mc);
	}
	for (size_t i = 0; i < pools->n; i++) {
		struct linter l = { a, in, pools->v[i], &names, &reported, { 0 }, out };

		lint_one(&l);
		for (size_t k = 0; k < l.given.n; k++)
			(void)map_put(&pooled, l.given.v[k]->meta.name, l.given.v[k]);
	}
	for (size_t i = 0; i < given->n; i++)
		if (!map_find(&pooled, given->v[i]->meta.name))
			mc_lint_refused(a, given->v[i], out);
}
