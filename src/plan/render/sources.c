/*
 * Finds the MachineConfigs that a rendered config was made from.
 */
#include "plan/sources.h"

#include "plan/render.h"

static const char *const places[] = { "spec.configuration", "status.configuration" };

static struct mc *find_mc(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; name.n && i < set->mcs.n; i++)
		if (str_eq(set->mcs.v[i]->meta.name, name))
			return set->mcs.v[i];
	return NULL;
}

/* The pool's list of sources of a config, or NULL. */
static const struct json *recorded(const struct mcp *pool, struct str name)
{
	for (size_t i = 0; i < 2; i++) {
		const struct json *c = json_at(pool->tree, places[i]);

		if (str_eq(json_str(c, "name"), name) && json_len(json_at(c, "source")))
			return json_at(c, "source");
	}
	return NULL;
}

/* The pool that a rendered config belongs to, by owner or by name. */
static const struct mcp *pool_of(struct arena *a, const struct mc_set *set, const struct mc *mc)
{
	const struct json *list = json_at(mc->doc.tree, "metadata.ownerReferences");
	const struct mcp *found = NULL;

	for (size_t i = 0; i < set->pools.n; i++) {
		struct mcp *pool = set->pools.v[i];
		struct str name = pool->meta.name;
		struct str prefix = str_fmt(a, "rendered-%.*s-", STRF(name));

		for (const struct json *r = json_first(list); r; r = json_next(r))
			if (str_is(json_str(r, "kind"), "MachineConfigPool") &&
			    str_eq(json_str(r, "name"), name))
				return pool;
		/* 32 hex digits follow: a pool may be named "worker-x" */
		if (recorded(pool, mc->meta.name) ||
		    (str_starts(mc->meta.name, prefix) && mc->meta.name.n == prefix.n + 32))
			found = pool;
	}
	return found;
}

static void take_recorded(struct arena *a, const struct mc_set *set, const struct json *list,
			  struct rendered_from *out)
{
	for (const struct json *s = json_first(list); s; s = json_next(s)) {
		struct str name = json_str(s, "name");
		struct mc *mc = find_mc(set, name);

		if (mc)
			VEC_PUSH(a, &out->mcs, mc);
		else
			VEC_PUSH(a, &out->missing, name);
	}
}

void plan_sources(struct arena *a, const struct mc_set *set, struct mc *mc,
		  struct rendered_from *out)
{
	struct err ignored = ERR_INIT(a);
	const struct json *list;

	*out = (struct rendered_from){ .pool = pool_of(a, set, mc) };
	if (!out->pool) {
		VEC_PUSH(a, &out->mcs, mc);
		return;
	}
	list = recorded(out->pool, mc->meta.name);
	if (list)
		take_recorded(a, set, list, out);
	else
		(void)plan_render_select(a, out->pool, &set->mcs, &out->mcs, &ignored);
	(void)mc_sort(&out->mcs, &ignored);
}

struct mc *plan_last_good(const struct mc_set *set, const struct mcp *pool)
{
	for (size_t i = 0; i < 2; i++) {
		const struct json *c = json_at(pool->tree, places[i]);
		struct mc *mc = find_mc(set, json_str(c, "name"));

		if (mc)
			return mc;
	}
	return NULL;
}
