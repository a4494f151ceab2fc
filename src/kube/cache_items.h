/* cache_items: the objects of a cache, sorted by key. */
#ifndef KUBE_CACHE_ITEMS_H
#define KUBE_CACHE_ITEMS_H

#include "kube/cache.h"

struct cache_items {
	const struct kube_cache_opts *o;
	struct kube_item **v;
	size_t n, cap;
	struct cache_index *index; /* NULL: the cache has no index */
};

/* cache_seek returns the position of key among sorted items, or where it belongs;
 * cache_insert inserts an item there. */
size_t cache_seek(struct kube_item *const *v, size_t n, struct str key);
void cache_insert(struct kube_item ***v, size_t *n, size_t *cap, struct kube_item *it);

/* The resourceVersion, or 0; and the key: "namespace/name", or "name". */
uint64_t cache_version_of(const struct json *tree);
struct str cache_key_of(struct arena *a, const struct json *tree);

struct kube_item *cache_find(const struct cache_items *s, struct str key);

/*
 * Stores an object if it is newer than the cached one; anyway: whatever its version. Marks the
 * item as seen by this list; round 0: the object does not come from a list.
 */
void cache_take(struct cache_items *s, const struct json *tree, uint32_t round, bool anyway);

/* Removes an item unless it is newer than version. */
void cache_forget(struct cache_items *s, struct str key, uint64_t version);

/* Removes the items that the list of this round and version did not contain. */
void cache_sweep(struct cache_items *s, uint32_t round, uint64_t version);

/* Computes the group of every item again. */
void cache_reindex(struct cache_items *s);
/* Reports every item as changed, with the same value before and now. */
void cache_retell(struct cache_items *s);

void cache_items_free(struct cache_items *s);

#endif
