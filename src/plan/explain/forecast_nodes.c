/*
 * The nodes of a pool: counts them and finds the configs they have.
 */
#include "base/map.h"
#include "forecast_parts.h"
#include "mc/mcp.h"

static void decode_pools(struct arena *a, const struct mc_set *set, struct mcp_list *out)
{
	struct err ignored = ERR_INIT(a);

	for (size_t i = 0; i < set->pools.n; i++) {
		struct mcp *p = ARENA_NEW(a, struct mcp);

		(void)mcp_read(a, set->pools.v[i]->tree, p, &ignored);
		VEC_PUSH(a, out, p);
	}
}

/* The pool that a node gets its config from, or NULL. */
static const struct mcp *pool_of(struct arena *a, const struct mcp_list *pools,
				 const struct knode *n)
{
	struct err ignored = ERR_INIT(a);
	struct mcp_of_node of = { 0 };

	return mcp_of_node(pools, n, &of, &ignored) == 0 && of.n ? of.v[0] : NULL;
}

static void count_node(const struct mcp *pool, const struct knode *n, struct forecast_nodes *out)
{
	struct str arch = S("");

	out->n++;
	if (labels_get(n->labels, S(LABEL_ARCH), &arch) && !str_is(arch, "arm64"))
		out->not_arm = true;
	if (!n->current_config.n || str_eq(n->current_config, pool->target))
		return;
	if (!out->n_behind)
		out->behind = n->current_config;
	else if (!str_eq(out->behind, n->current_config))
		out->behind = S("");
	out->n_behind++;
}

void forecast_count(struct arena *a, const struct mc_set *set, struct str pool,
		    struct forecast_nodes *out)
{
	struct err err = ERR_INIT(a);
	struct mcp_list all = { 0 };
	const struct mcp *own;

	decode_pools(a, set, &all);
	own = mcp_find(&all, pool);
	if (!own)
		return;
	out->paused = own->paused;
	out->known = set->nodes.n > 0;
	for (size_t i = 0; i < set->nodes.n; i++)
		if (pool_of(a, &all, set->nodes.v[i]) == own)
			count_node(own, set->nodes.v[i], out);
	if (mcp_max_unavailable(own, out->n, &out->max, &err) < 0) {
		out->max = 0;
		out->max_error = err.msg;
	} else if (out->max < 0) {
		out->max_error = str_fmt(a, "maxUnavailable is %lld", (long long)out->max);
	}
	/* a percentage of an unknown number */
	if (!out->known && json_kind(own->max_unavailable) == JSON_STRING)
		out->max = 0;
}

struct str forecast_partner(struct arena *a, const struct mc_set *here, struct str pool,
			    const struct mc_set *there)
{
	struct mcp_list own = { 0 }, others = { 0 };
	struct str found = S("");
	struct map nodes;

	decode_pools(a, here, &own);
	decode_pools(a, there, &others);
	map_init(&nodes, a);
	for (size_t i = 0; i < there->nodes.n; i++)
		(void)map_put(&nodes, there->nodes.v[i]->name, there->nodes.v[i]);
	for (size_t i = 0; i < here->nodes.n; i++) {
		const struct knode *n = here->nodes.v[i];
		const struct mcp *is = pool_of(a, &own, n);
		const struct knode *twin = map_get(&nodes, n->name);

		if (!is || !str_eq(is->meta.name, pool))
			continue;
		is = twin ? pool_of(a, &others, twin) : NULL;
		if (!is || (found.n && !str_eq(found, is->meta.name)))
			return S("");
		found = is->meta.name;
	}
	return found;
}
