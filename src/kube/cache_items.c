/*
 * cache_items: the objects of a cache, in an array sorted by key.
 *
 * An item is replaced only by a newer resourceVersion, except after etcd was restored. changed is
 * called after the item was stored or removed and before its old value is freed.
 */
#include "cache_items.h"

#include <stdlib.h>

#include "cache_index.h"

size_t cache_seek(struct kube_item *const *v, size_t n, struct str key)
{
	size_t lo = 0, hi = n;

	/* Lists are sorted: most items belong at the end. */
	if (hi && str_cmp(v[hi - 1]->key, key) < 0)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (str_cmp(v[mid]->key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void cache_insert(struct kube_item ***v, size_t *n, size_t *cap, struct kube_item *it)
{
	size_t i = cache_seek(*v, *n, it->key);

	if (*n == *cap) {
		*cap = *cap ? 2 * *cap : 64;
		*v = realloc(*v, *cap * sizeof(struct kube_item *));
		if (!*v)
			abort();
	}
	memmove(*v + i + 1, *v + i, ((*n)++ - i) * sizeof(struct kube_item *));
	(*v)[i] = it;
}

static size_t seek(const struct cache_items *s, struct str key)
{
	return cache_seek(s->v, s->n, key);
}

struct kube_item *cache_find(const struct cache_items *s, struct str key)
{
	size_t i = seek(s, key);

	return i < s->n && str_eq(s->v[i]->key, key) ? s->v[i] : NULL;
}

static void drop_value(struct cache_items *s, void *value)
{
	if (s->o->drop)
		s->o->drop(value);
	else
		free(value);
}

static struct kube_item *insert(struct cache_items *s, struct str key)
{
	struct kube_item *it = malloc(sizeof(*it) + key.n);

	if (!it)
		abort();
	memcpy(it + 1, key.p, key.n);
	*it = (struct kube_item){ .key = { (char *)(it + 1), key.n } };
	cache_insert(&s->v, &s->n, &s->cap, it);
	return it;
}

static void group(struct cache_items *s, struct kube_item *it)
{
	if (s->index)
		cache_index_put(s->index, it, s->o->index(it->value, s->o->ctx));
}

static void remove_at(struct cache_items *s, size_t i)
{
	struct kube_item *it = s->v[i];

	memmove(s->v + i, s->v + i + 1, (--s->n - i) * sizeof(struct kube_item *));
	if (s->index)
		cache_index_put(s->index, it, S(""));
	if (s->o->changed)
		s->o->changed(s->o->ctx, it->key, it->value, NULL);
	drop_value(s, it->value);
	free(it);
}

uint64_t cache_version_of(const struct json *tree)
{
	int64_t n = 0;

	(void)str_to_i64(json_str(tree, "metadata.resourceVersion"), &n);
	return n > 0 ? (uint64_t)n : 0;
}

struct str cache_key_of(struct arena *a, const struct json *tree)
{
	struct str ns = json_str(tree, "metadata.namespace");
	struct str name = json_str(tree, "metadata.name");

	return ns.n ? str_fmt(a, "%.*s/%.*s", STRF(ns), STRF(name)) : name;
}

void cache_take(struct cache_items *s, const struct json *tree, uint32_t round, bool anyway)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str key = cache_key_of(&a, tree);
	struct kube_item *it = cache_find(s, key);
	uint64_t version = cache_version_of(tree);
	void *before = it ? it->value : NULL, *now;

	if (it && round)
		it->seen = round;
	if (!key.n || (it && version && it->version >= version && !anyway))
		return;
	now = s->o->make(tree, s->o->ctx);
	if (!now) {
		if (it)
			remove_at(s, seek(s, key));
		return;
	}
	if (!it) {
		it = insert(s, key);
		it->seen = round;
	}
	it->version = version;
	it->value = now;
	group(s, it);
	if (s->o->changed)
		s->o->changed(s->o->ctx, it->key, before, now);
	if (before)
		drop_value(s, before);
}

void cache_forget(struct cache_items *s, struct str key, uint64_t version)
{
	size_t i = seek(s, key);

	/* A newer object of that name may exist. */
	if (i < s->n && str_eq(s->v[i]->key, key) && s->v[i]->version <= version)
		remove_at(s, i);
}

void cache_sweep(struct cache_items *s, uint32_t round, uint64_t version)
{
	/* keep newer items, stored from responses to writes: the watch reports their deletion */
	for (size_t i = s->n; i-- > 0;)
		if (s->v[i]->seen != round && s->v[i]->version <= version)
			remove_at(s, i);
}

void cache_reindex(struct cache_items *s)
{
	for (size_t i = 0; i < s->n; i++)
		group(s, s->v[i]);
}

void cache_retell(struct cache_items *s)
{
	for (size_t i = 0; i < s->n && s->o->changed; i++)
		s->o->changed(s->o->ctx, s->v[i]->key, s->v[i]->value, s->v[i]->value);
}

void cache_items_free(struct cache_items *s)
{
	cache_index_free(s->index);
	for (size_t i = 0; i < s->n; i++) {
		drop_value(s, s->v[i]->value);
		free(s->v[i]);
	}
	free(s->v);
}

/* ---- whole trees --------------------------------------------------------- */

void *kube_tree_make(const struct json *tree, void *ctx)
{
	struct kube_tree *t = calloc(1, sizeof(*t));
	struct err err;

	(void)ctx;
	if (!t)
		abort();
	err = ERR_INIT(&t->a);
	(void)json_parse(&t->a, json_format(&t->a, tree, JSON_NO_HTML), NULL, &t->tree, &err);
	return t;
}

void kube_tree_drop(void *value)
{
	struct kube_tree *t = value;

	arena_free(&t->a);
	free(t);
}
