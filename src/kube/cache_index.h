/*
 * cache_index: finds the items of a cache by a second string: groups of items, each sorted by
 * key.
 */
#ifndef KUBE_CACHE_INDEX_H
#define KUBE_CACHE_INDEX_H

#include "cache_items.h"

struct cache_index;

struct cache_index *cache_index_new(void);
void cache_index_free(struct cache_index *x);

/* Moves an item to the group of that name; "": removes it from its group. */
void cache_index_put(struct cache_index *x, struct kube_item *it, struct str name);

/* The items of a group and their number; valid until the cache changes. */
size_t cache_index_get(const struct cache_index *x, struct str name, struct kube_item *const **out);

#endif
