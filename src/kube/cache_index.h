/*
 * The items of a cache by another string than their key: groups of items, each
 * sorted by key as the cache is.
 */
#ifndef KUBE_CACHE_INDEX_H
#define KUBE_CACHE_INDEX_H

#include "cache_items.h"

struct cache_index;

struct cache_index *cache_index_new(void);
void cache_index_free(struct cache_index *x);

/* Moves an item to the group of that name; "": it is in none. */
void cache_index_put(struct cache_index *x, struct kube_item *it, struct str name);

size_t cache_index_get(const struct cache_index *x, struct str name, struct kube_item *const **out);

#endif
