/*
 * kube/cache: all objects of one kind, kept as the server has them by list and
 * watch, and decoded: what is kept of an object is up to its kind.
 *
 * Lists come in pages and are decoded item by item. A watch that breaks goes on
 * where it was; when the server has forgotten that, everything is listed again
 * and compared, so that no deletion is missed. Attempts back off from 0.8 to 30
 * seconds with jitter.
 */
#ifndef KUBE_CACHE_H
#define KUBE_CACHE_H

#include "data/json.h"
#include "kube/client.h"

struct kube_cache;

/* One object. */
struct kube_item {
	struct str key; /* "namespace/name", or "name" */
	uint64_t version; /* resourceVersion */
	uint32_t seen; /* the cache's */
	void *value; /* what make gave */
};

struct kube_cache_opts {
	struct kube *kube;
	const char *path; /* "/api/v1/nodes" */
	struct str query; /* "fieldSelector=…", escaped; or "" */
	const char *what; /* for messages: "nodes" */
	/*
	 * What is to be kept of an object: one malloc'd piece, freed with drop
	 * (NULL: free). tree and its text live for the call only. NULL: not
	 * kept, as if it did not exist.
	 */
	void *(*make)(const struct json *tree, void *ctx);
	void (*drop)(void *value);
	/* before is NULL when it is new, now when it is gone. Both may be looked
	 * at within the call. */
	void (*changed)(void *ctx, struct str key, const void *before,
			const void *now);
	/* The first list is complete. May be NULL. */
	void (*synced)(void *ctx);
	void *ctx;
	int64_t page; /* items per page; 0: 500 */
};

struct kube_cache *kube_cache_start(const struct kube_cache_opts *o);
void kube_cache_free(struct kube_cache *c);

bool kube_cache_synced(const struct kube_cache *c);
/* Why the last attempt failed, or "": for status pages. */
struct str kube_cache_trouble(const struct kube_cache *c);

/* The value of a key, or NULL. */
void *kube_cache_get(const struct kube_cache *c, struct str key);

/* All items in the order of their keys; good until the loop's next turn. */
size_t kube_cache_all(const struct kube_cache *c,
		      struct kube_item *const **out);

/*
 * Takes a write's answer in before the watch tells of it, so that plans see
 * their own writes. An older version than the one kept is ignored.
 */
void kube_cache_put(struct kube_cache *c, struct str text);
/* What a delete took away. */
void kube_cache_remove(struct kube_cache *c, struct str key);

/* Lists again soon. */
void kube_cache_relist(struct kube_cache *c);

/* How many events and lists it has seen: for metrics and tests. */
uint64_t kube_cache_events(const struct kube_cache *c);
uint64_t kube_cache_lists(const struct kube_cache *c);

/* Makes a whole tree to be kept: the value is a struct kube_tree. */
struct kube_tree {
	struct arena a;
	struct json *tree;
};
void *kube_tree_make(const struct json *tree, void *ctx);
void kube_tree_drop(void *value);

#endif
