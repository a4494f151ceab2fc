/* The objects a cache holds, sorted by key. */
#ifndef KUBE_CACHE_ITEMS_H
#define KUBE_CACHE_ITEMS_H

#include "kube/cache.h"

struct cache_items {
	const struct kube_cache_opts *o;
	struct kube_item **v;
	size_t n, cap;
	struct cache_index *index; /* NULL: none was asked for */
};

/* Where the key is, or belongs, among sorted items; and puts one there. */
size_t cache_seek(struct kube_item *const *v, size_t n, struct str key);
void cache_insert(struct kube_item ***v, size_t *n, size_t *cap, struct kube_item *it);

/* resourceVersion, 0 when there is none; and "namespace/name". */
uint64_t cache_version_of(const struct json *tree);
struct str cache_key_of(struct arena *a, const struct json *tree);

struct kube_item *cache_find(const struct cache_items *s, struct str key);

/*
 * Keeps an object unless the one kept is as new; anyway: even then. One that is
 * there is marked as seen in this round of lists; round 0: by none.
 */
void cache_take(struct cache_items *s, const struct json *tree, uint32_t round, bool anyway);

/* Forgets one that is no newer than version. */
void cache_forget(struct cache_items *s, struct str key, uint64_t version);

/* Forgets what the list of that version, this round's, did not have. */
void cache_sweep(struct cache_items *s, uint32_t round, uint64_t version);

/* Asks for the group of each once more. */
void cache_reindex(struct cache_items *s);
/* Tells each, as it is, once more. */
void cache_retell(struct cache_items *s);

void cache_items_free(struct cache_items *s);

#endif
