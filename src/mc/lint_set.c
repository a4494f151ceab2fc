/*
 * The rules for several MachineConfigs: duplicate names, paths set twice, pools that
 * select nothing.
 */
#include "base/map.h"
#include "mc/lint.h"
#include "mc/origin.h"
#include "mc/selector.h"

void mc_lint_set(struct arena *a, const struct mc_set *set, struct mc_findings *out)
{
	struct map seen;

	map_init(&seen, a);
	for (size_t i = 0; i < set->mcs.n; i++) {
		struct mc *mc = set->mcs.v[i];
		const struct mc *first = map_get(&seen, mc->meta.name);
		struct mc_linter l = mc_linter_of_mc(a, mc, out);

		if (first)
			mc_linter_add(
				&l, false, S("metadata.name"), false,
				str_fmt(a,
					"%.*s has an object of the same name: a cluster keeps "
					"the one applied last",
					STRF(first->file)));
		else
			(void)map_put(&seen, mc->meta.name, mc);
	}
}

/* ---- pools --------------------------------------------------------------- */

static struct str setters(struct arena *a, const struct mc_origin *o)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < o->n; i++)
		buf_addf(&b, "%s%.*s", i ? ", " : "", STRF(o->v[i].mc->meta.name));
	return buf_str(&b);
}

static void lint_size(struct arena *a, struct str pool, const struct mc_list *sources, size_t size,
		      struct mc_findings *out)
{
	struct mc_finding f = { .error = size > MC_SIZE_MAX,
				.object = str_fmt(a, "MachineConfigPool %.*s", STRF(pool)) };
	struct buf b;

	if (size < MC_SIZE_MAX / 10 * 8)
		return;
	buf_init(&b, a);
	buf_addf(&b, "the rendered config has %zu of at most %d bytes:", size, MC_SIZE_MAX);
	for (size_t i = 0; i < sources->n; i++)
		buf_addf(&b, "%s %.*s %zu%%", i ? "," : "", STRF(sources->v[i]->meta.name),
			 mc_config_text(a, sources->v[i]).n * 100 / (size ? size : 1));
	f.message = buf_str(&b);
	VEC_PUSH(a, out, f);
}

/* The names of users' MachineConfigs. */
static void put_names(struct map *m, const struct mc_list *mcs)
{
	for (size_t i = 0; i < mcs->n; i++)
		if (!mc_is_generated(mcs->v[i]))
			(void)map_put(m, mcs->v[i]->meta.name, mcs->v[i]);
}

static bool concerns(const struct mc_origin *o, const struct map *names)
{
	for (size_t i = 0; i < o->n; i++)
		if (map_find(names, o->v[i].mc->meta.name))
			return true;
	return false;
}

void mc_lint_pool(struct arena *a, struct str pool, const struct mc_list *sources, size_t size,
		  const struct mc_list *given, struct mc_findings *out)
{
	struct mc_origins origins = { 0 };
	struct map names;

	map_init(&names, a);
	put_names(&names, given);
	/* sources that do not parse have their own findings */
	mc_settings_of(a, sources, &origins);
	for (size_t i = 0; i < origins.n; i++) {
		const struct mc_origin *o = origins.v[i];
		struct mc_finding f = {
			.object = str_fmt(a, "MachineConfigPool %.*s", STRF(pool)),
		};

		if (o->n < 2 || o->part != MC_PART_FILE || !concerns(o, &names))
			continue;
		f.message = str_fmt(a, "%.*s is set by %.*s: the last one wins", STRF(o->key),
				    STRF(setters(a, o)));
		VEC_PUSH(a, out, f);
	}
	lint_size(a, pool, sources, size, out);
}

/* ---- selectors ----------------------------------------------------------- */

static struct mcp *builtin_pool(struct arena *a, const char *name)
{
	struct err ignored = ERR_INIT(a);
	struct mcp *pool = ARENA_NEW(a, struct mcp);

	(void)mcp_read(a, mcp_built_in(a, str_of(name)), pool, &ignored);
	return pool;
}

struct mcp_list mc_lint_pools(struct arena *a, const struct mcp_list *pools)
{
	static const char *const names[] = { POOL_MASTER, POOL_WORKER };
	struct mcp_list out = { 0 };

	for (size_t i = 0; i < pools->n; i++)
		VEC_PUSH(a, &out, pools->v[i]);
	for (size_t k = 0; k < 2; k++) {
		bool there = false;

		for (size_t i = 0; i < pools->n; i++)
			there = there || str_is(pools->v[i]->meta.name, names[k]);
		if (!there)
			VEC_PUSH(a, &out, builtin_pool(a, names[k]));
	}
	return out;
}

struct str mc_lint_pool_names(struct arena *a, const struct mcp_list *pools,
			      struct str (*says)(struct arena *a, const struct mcp *pool))
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < pools->n; i++)
		buf_addf(&b, "%s%.*s (%.*s)", i ? ", " : "", STRF(pools->v[i]->meta.name),
			 STRF(says(a, pools->v[i])));
	return str_clip(a, buf_str(&b), 1000);
}

static struct str selector_of(struct arena *a, const struct mcp *pool)
{
	struct err err = ERR_INIT(a);
	struct selector s = { 0 };

	if (selector_make(a, pool->selector, &s, &err) < 0 || !s.n)
		return S("nothing");
	return selector_text(a, &s);
}

static bool selects(struct arena *a, const struct mcp *pool, const struct mc *mc)
{
	struct err err = ERR_INIT(a);
	struct selector s = { 0 };

	return selector_make(a, pool->selector, &s, &err) == 0 && s.n &&
	       selector_matches(&s, mc->meta.labels);
}

void mc_lint_selected(struct arena *a, const struct mc_list *mcs, const struct mcp_list *pools,
		      struct mc_findings *out)
{
	for (size_t i = 0; i < mcs->n; i++) {
		struct mc_linter l = mc_linter_of_mc(a, mcs->v[i], out);
		const struct json *role = json_member(mcs->v[i]->meta.labels, S(LABEL_ROLE));
		bool any = false;

		for (size_t k = 0; k < pools->n && !any; k++)
			any = selects(a, pools->v[k], mcs->v[i]);
		if (any || mc_is_generated(mcs->v[i]) || !mcs->v[i]->meta.labels)
			continue;
		mc_linter_add_at(&l, false, S("metadata.labels"),
				 role ? role : mcs->v[i]->meta.labels, !role,
				 str_fmt(a, "no pool selects it: the pools are %.*s",
					 STRF(mc_lint_pool_names(a, pools, selector_of))));
	}
}
