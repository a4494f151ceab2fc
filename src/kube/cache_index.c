/*
 * cache_index: groups of cached items by a second string.
 *
 * Each item points to its group, so that a change that leaves it in the group costs nothing; most
 * changes do. Empty groups are kept until the cache is freed: they are named after things like
 * pools, of which there are few.
 */
#include "cache_index.h"

#include <stdlib.h>

#include "base/map.h"

struct kube_group {
	struct kube_item **v; /* sorted by key */
	size_t n, cap;
	struct str name;
};

struct cache_index {
	struct arena a;
	struct map groups; /* by name */
};

struct cache_index *cache_index_new(void)
{
	struct cache_index *x = calloc(1, sizeof(*x));

	if (!x)
		abort();
	map_init(&x->groups, &x->a);
	return x;
}

void cache_index_free(struct cache_index *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->groups.n; i++)
		free(((struct kube_group *)x->groups.v[i].value)->v);
	arena_free(&x->a);
	free(x);
}

static struct kube_group *group_of(struct cache_index *x, struct str name)
{
	struct kube_group *g = map_get(&x->groups, name);

	if (g)
		return g;
	g = ARENA_NEW(&x->a, struct kube_group);
	g->name = str_dup(&x->a, name);
	map_put(&x->groups, g->name, g);
	return g;
}

static void leave(struct kube_group *g, const struct kube_item *it)
{
	size_t i = cache_seek(g->v, g->n, it->key);

	memmove(g->v + i, g->v + i + 1, (--g->n - i) * sizeof(struct kube_item *));
}

static void join(struct kube_group *g, struct kube_item *it)
{
	cache_insert(&g->v, &g->n, &g->cap, it);
	it->group = g;
}

void cache_index_put(struct cache_index *x, struct kube_item *it, struct str name)
{
	if (it->group ? str_eq(it->group->name, name) : !name.n)
		return;
	if (it->group)
		leave(it->group, it);
	it->group = NULL;
	if (name.n)
		join(group_of(x, name), it);
}

size_t cache_index_get(const struct cache_index *x, struct str name, struct kube_item *const **out)
{
	const struct kube_group *g = map_get(&x->groups, name);

	*out = g ? g->v : NULL;
	return g ? g->n : 0;
}
