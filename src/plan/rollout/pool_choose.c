/*
 * Chooses the nodes of a pool that are updated now.
 *
 * Unavailable nodes, and nodes that failed with the pool's config, count against maxUnavailable.
 * Candidates are sorted by zone and age; the node that runs the operator comes last.
 */
#include <stdlib.h>

#include "pool_parts.h"

size_t pool_candidates(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		       int64_t max, struct pool_picks *out)
{
	int64_t busy = 0, failing = 0;

	for (size_t i = 0; i < in->n_nodes; i++)
		busy += knode_unavailable(in->nodes[i]);
	if (busy >= max)
		return 0;
	for (size_t i = 0; i < in->n_nodes; i++) {
		const struct knode *n = in->nodes[i];

		if (pool_node_targeted(in, l, n))
			failing += knode_failing(n);
		else if (knode_ready(n))
			VEC_PUSH(a, out, ((struct pool_pick){ .n = n }));
	}
	/* nodes that failed with this config may recover at any time */
	return max - busy > failing ? (size_t)(max - busy - failing) : 0;
}

/* Sorted by zone, nodes without one last; within a zone the oldest first. */
static int by_zone_and_age(const void *x, const void *y)
{
	const struct pool_pick *p = x, *q = y;
	int c = 0;

	if (!p->zone.p != !q->zone.p)
		return p->zone.p ? -1 : 1;
	if (p->zone.p)
		c = str_cmp(p->zone, q->zone);
	if (c == 0 && p->n->created != q->n->created)
		c = p->n->created < q->n->created ? -1 : 1;
	return c ? c : str_cmp(p->n->name, q->n->name);
}

static void defer_operator(struct arena *a, const struct pool_view *in, struct pool_picks *picks,
			   struct actions *out)
{
	size_t kept = 0;

	if (!str_is(in->pool->meta.name, POOL_MASTER) || picks->n <= 1 || !in->operator_node.n)
		return;
	for (size_t i = 0; i < picks->n; i++) {
		struct str name = picks->v[i].n->name;

		if (str_eq(name, in->operator_node))
			action_event(a, out,
				     pool_event(in->pool, S("DeferringOperatorNode"
							    "Update")),
				     str_fmt(a,
					     "Deferring update of machine "
					     "config operator node %.*s",
					     STRF(name)));
		else
			picks->v[kept++] = picks->v[i];
	}
	picks->n = kept;
}

/* The labels that select the pool's nodes; false when there are none. */
static bool pool_labels(struct arena *a, const struct mcp *pool, struct json *out)
{
	const struct json *labels = json_at(pool->tree, "spec.nodeSelector.matchLabels");
	struct map done;

	map_init(&done, a);
	for (const struct json *m = json_first(labels); m; m = json_next(m)) {
		map_put(&done, json_key(m), out);
		json_add(out, json_key(m), json_new_str(a, json_text(m)));
	}
	for (size_t i = 0; i < pool->nodes.n; i++) {
		const struct requirement *r = &pool->nodes.v[i];
		bool one = r->op == SELECT_IN && r->values.n == 1;

		if ((one || r->op == SELECT_EXISTS) && map_put(&done, r->key, out))
			json_add(out, r->key, json_new_str(a, one ? r->values.v[0] : S("")));
	}
	return done.n > 0;
}

/* A node that booted directly into a custom pool gets that pool's labels instead of
 * another config. True for such a node. */
static bool adopt(struct arena *a, const struct pool_view *in, const struct knode *n,
		  struct actions *out)
{
	const struct pool_config *first;
	const struct mcp *pool;
	struct json *patch;

	if (!n->first_pivot.p || n->labels_applied.p || !in->configs)
		return false;
	first = map_get(in->configs, n->first_pivot);
	if (!first || !first->owner.n || str_is(first->owner, POOL_MASTER) ||
	    str_is(first->owner, POOL_WORKER))
		return false;
	pool = mcp_find(in->pools, first->owner);
	if (!pool)
		return false;
	patch = json_new(a, JSON_OBJECT);
	json_add_str(a, json_make(a, patch, "metadata.annotations"), ANNO_LABELS_APPLIED, S(""));
	if (pool_labels(a, pool, json_make(a, patch, "metadata.labels")))
		action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, n->name),
			   json_format(a, patch, 0),
			   str_fmt(a, "booted into custom pool %.*s", STRF(pool->meta.name)))
			->fail = ACTION_SHRUG;
	return true;
}

/* Upstream's messages. */
static void log_candidates(struct arena *a, const struct pool_view *in,
			   const struct pool_picks *picks, size_t room, struct actions *out)
{
	struct map zones;

	map_init(&zones, a);
	for (size_t i = 0; i < picks->n; i++) {
		struct str zone;

		if (labels_get(picks->v[i].n->labels, S(LABEL_ZONE), &zone))
			map_put(&zones, zone, out);
	}
	action_log(a, out,
		   "Pool %.*s: %zu candidate nodes in %zu zones for update, "
		   "capacity: %zu",
		   STRF(in->pool->meta.name), picks->n, zones.n, room);
}

void pool_choose(struct arena *a, const struct pool_view *in, struct pool_picks *picks, size_t room,
		 struct actions *out)
{
	size_t kept = 0;

	log_candidates(a, in, picks, room, out);
	defer_operator(a, in, picks, out);
	if (str_is(in->pool->meta.name, POOL_MASTER))
		action_log(a, out,
			   "Pool master: filtered to %zu candidate nodes for "
			   "update, capacity: %zu",
			   picks->n, room);
	for (size_t i = 0; i < picks->n; i++)
		if (!adopt(a, in, picks->v[i].n, out))
			picks->v[kept++] = picks->v[i];
	picks->n = kept;
	for (size_t i = 0; i < kept; i++)
		(void)labels_get(picks->v[i].n->labels, S(LABEL_ZONE), &picks->v[i].zone);
	if (kept > 1)
		qsort(picks->v, kept, sizeof(*picks->v), by_zone_and_age);
	if (picks->n > room)
		picks->n = room;
	for (size_t i = 0; i < picks->n; i++)
		action_log(a, out, "Pool %.*s: selected candidate node %.*s",
			   STRF(in->pool->meta.name), STRF(picks->v[i].n->name));
	actions_step(out);
}
