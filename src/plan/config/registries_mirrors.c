/*
 * Mirror sets: merges the rules of all objects for one source into one list. The order
 * within each rule is kept where rules do not contradict each other.
 */
#include <stdlib.h>

#include "base/codec.h"
#include "base/imageref.h"
#include "mc/scope.h"
#include "registries_parts.h"

static bool never(const struct mirror_rule *r)
{
	return str_is(r->policy, "NeverContactSource");
}

/* seen: the policy that each source got first */
static int check_rule(struct arena *a, struct map *seen, const struct mirror_rule *r,
		      struct err *err)
{
	const struct mirror_rule *first = map_get(seen, r->source);
	struct str source = go_quoted(a, r->source);

	if (!scope_is_source(r->source))
		return err_set(err, ERR_INVALID, "invalid format for source %.*s", STRF(source));
	if (first && !str_eq(first->policy, r->policy))
		return err_set(err, ERR_INVALID,
			       "conflicting mirrorSourcePolicy is set for the "
			       "same source %.*s in imagedigestmirrorsets, "
			       "imagetagmirrorsets, or "
			       "imagecontentsourcepolicies",
			       STRF(source));
	if (!first)
		(void)map_put(seen, r->source, (void *)r);
	for (size_t i = 0; i < r->mirrors.n; i++) {
		if (!imageref_is_place(r->mirrors.v[i]))
			return err_set(err, ERR_INVALID, "invalid format for mirror %.*s",
				       STRF(go_quoted(a, r->mirrors.v[i])));
		if (never(r) && str_eq(r->mirrors.v[i], r->source))
			return err_set(err, ERR_INVALID,
				       "cannot set mirrorSourcePolicy: "
				       "NeverContactSource if the source %.*s "
				       "is one of the mirrors",
				       STRF(source));
	}
	return 0;
}

int mirrors_check(struct arena *a, const struct registries *r, struct err *err)
{
	const struct mirror_rules *both[] = { &r->digest, &r->tag };
	struct map seen;

	map_init(&seen, a);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->n; i++) {
			int rc = check_rule(a, &seen, &both[k]->v[i], err);

			if (rc < 0)
				return rc;
		}
	return 0;
}

/* ---- one list out of several --------------------------------------------- */

struct node {
	struct str name;
	bool used;
	size_t before; /* number of predecessors that are not sorted yet */
	struct node **v; /* successors */
	size_t n, cap;
};

struct graph {
	struct arena *a;
	struct map nodes, edges;
};

static struct node *node_of(struct graph *g, struct str name)
{
	struct node *n = map_get(&g->nodes, name);

	if (!n) {
		n = ARENA_NEW(g->a, struct node);
		n->name = name;
		(void)map_put(&g->nodes, name, n);
	}
	return n;
}

static void add_edge(struct graph *g, struct str from, struct str to)
{
	struct node *x = node_of(g, from), *y = node_of(g, to);
	struct str key = str_fmt(g->a, "%.*s %.*s", STRF(from), STRF(to));

	if (!map_put(&g->edges, key, x))
		return;
	VEC_PUSH(g->a, x, y);
	y->before++;
}

static void add_rule(struct graph *g, const struct mirror_rule *r)
{
	bool has_source = false;

	for (size_t i = 0; i < r->mirrors.n; i++) {
		has_source |= str_eq(r->mirrors.v[i], r->source);
		if (i > 0)
			add_edge(g, r->mirrors.v[i - 1], r->mirrors.v[i]);
	}
	if (!has_source)
		add_edge(g, r->mirrors.v[r->mirrors.n - 1], r->source);
}

static int by_name(const void *x, const void *y)
{
	return str_cmp((*(struct node *const *)x)->name, (*(struct node *const *)y)->name);
}

static void sort_nodes(struct node **v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(struct node *), by_name);
}

/* Topological sort. A cycle is cut at its first name. */
static void sort_graph(struct graph *g, struct strs *out)
{
	size_t n = g->nodes.n, next = 0, head = 0, tail = 0, freed;
	struct node **all = arena_array(g->a, n, sizeof(struct node *));
	struct node **queue = arena_array(g->a, n, sizeof(struct node *));

	for (size_t i = 0; i < n; i++)
		all[i] = g->nodes.v[i].value;
	sort_nodes(all, n);
	for (size_t i = 0; i < n; i++)
		if (!all[i]->before)
			queue[tail++] = all[i];
	while (head < tail || next < n) {
		struct node *x = head < tail ? queue[head++] : all[next++];

		if (x->used)
			continue;
		x->used = true;
		VEC_PUSH(g->a, out, x->name);
		freed = tail;
		for (size_t i = 0; i < x->n; i++)
			if (--x->v[i]->before == 0 && !x->v[i]->used)
				queue[tail++] = x->v[i];
		sort_nodes(queue + freed, tail - freed);
	}
}

static bool has_mirror(const struct mirror_rule *r)
{
	for (size_t i = 0; i < r->mirrors.n; i++)
		if (!str_eq(r->mirrors.v[i], r->source))
			return true;
	return false;
}

/* The n rules of one source. */
static struct mirror_set merge(struct arena *a, struct mirror_rule **rules, size_t n)
{
	struct mirror_set set = { .source = rules[0]->source };
	struct graph g = { .a = a };

	map_init(&g.nodes, a);
	map_init(&g.edges, a);
	for (size_t i = 0; i < n; i++) {
		set.never |= never(rules[i]);
		add_rule(&g, rules[i]);
	}
	sort_graph(&g, &set.mirrors);
	/* contacting the source last is the default */
	if (set.mirrors.n && str_eq(set.mirrors.v[set.mirrors.n - 1], set.source))
		set.mirrors.n--;
	return set;
}

struct group {
	struct mirror_rule **v;
	size_t n, cap;
};

void mirrors_merge(struct arena *a, const struct mirror_rules *rules, struct mirror_sets *out)
{
	struct map_entry **sorted;
	struct map groups;

	map_init(&groups, a);
	for (size_t i = 0; i < rules->n; i++) {
		struct group *g = map_get(&groups, rules->v[i].source);

		if (!has_mirror(&rules->v[i]))
			continue;
		if (!g) {
			g = ARENA_NEW(a, struct group);
			(void)map_put(&groups, rules->v[i].source, g);
		}
		VEC_PUSH(a, g, &rules->v[i]);
	}
	sorted = sorted_entries(a, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		struct group *g = sorted[i]->value;
		struct mirror_set set = merge(a, g->v, g->n);

		VEC_PUSH(a, out, set);
	}
}

static int by_key(const void *x, const void *y)
{
	return str_cmp((*(struct map_entry *const *)x)->key, (*(struct map_entry *const *)y)->key);
}

struct map_entry **sorted_entries(struct arena *a, const struct map *m)
{
	struct map_entry **v = arena_array(a, m->n, sizeof(*v));

	for (size_t i = 0; i < m->n; i++)
		v[i] = &m->v[i];
	if (m->n > 1)
		qsort(v, m->n, sizeof(*v), by_key);
	return v;
}
