/*
 * kube/cache: all objects of one collection, kept current by list and watch. The
 * caller's decoder decides what is kept of an object.
 *
 * Lists come in pages and are decoded item by item. A broken watch resumes at its
 * resourceVersion. When the server has compacted that version (410), or refuses it
 * twice, the cache lists again and compares, so no deletion is missed. Each change is
 * reported once, and never one older than the last; but when the server returns to
 * earlier versions (etcd restored from a backup), the cache follows. Attempts back
 * off from 0.8 to 30 seconds with jitter.
 *
 * Objects are found by key and, with an index, by one more string each, such as the
 * pool of a node. A resync reports all objects again at an interval.
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
	uint32_t seen; /* private: the last list that had it */
	struct kube_group *group; /* private to the index; NULL: no group */
	void *value; /* the result of make */
};

struct kube_cache_opts {
	struct kube *kube;
	const char *path; /* "/api/v1/nodes" */
	struct str query; /* "fieldSelector=…", escaped; or "" */
	const char *what; /* for messages: "nodes" */
	/*
	 * Returns the value to cache for an object: one malloc'd block, freed with drop
	 * (NULL: free). tree and its text are valid within the call only. Returns NULL
	 * to ignore the object, as if it did not exist.
	 */
	void *(*make)(const struct json *tree, void *ctx);
	void (*drop)(void *value);
	/* before is NULL for a new object, now is NULL for a deleted one; they are equal at a
	 * resync. Both are valid within the call. */
	void (*changed)(void *ctx, struct str key, const void *before, const void *now);
	/* The first list is complete. May be NULL. */
	void (*synced)(void *ctx);
	/*
	 * The server does not have this kind, and has not had it since the start: called
	 * after each attempt, instead of a log line. May be NULL.
	 */
	void (*absent)(void *ctx);
	/*
	 * The string under which kube_cache_of finds a value, "" for none; a view that is
	 * valid for the call. Called when a value is added or changed, and for all values
	 * by kube_cache_reindex, in case it depends on more than the value. NULL: no
	 * index.
	 */
	struct str (*index)(const void *value, void *ctx);
	void *ctx;
	/* Interval of the resync, with jitter from two thirds to four thirds of it, so that
	 * caches do not resync at the same time; 0: never. */
	int64_t resync_ms;
	int64_t page; /* items per page; 0: 500 */
	/* The first list is read from etcd (no resourceVersion=0), not from the
	 * server's watch cache: it costs the server more. */
	bool fresh;
};

struct kube_cache *kube_cache_start(const struct kube_cache_opts *o);
void kube_cache_free(struct kube_cache *c);

bool kube_cache_synced(const struct kube_cache *c);

/* The value of a key, or NULL. */
void *kube_cache_get(const struct kube_cache *c, struct str key);

/* All items in the order of their keys; valid until the next turn of the loop. */
size_t kube_cache_all(const struct kube_cache *c, struct kube_item *const **out);

/* The same for the items that the index has under name. */
size_t kube_cache_of(const struct kube_cache *c, struct str name, struct kube_item *const **out);
/* Calls index again for every value. */
void kube_cache_reindex(struct kube_cache *c);

/*
 * Stores the response to a write before the watch reports it, so that plans see
 * their own writes. Ignores a version older than the one kept.
 */
void kube_cache_put(struct kube_cache *c, struct str text);
/* Removes a deleted object before the watch reports it. version: the cached one when the
 * delete was sent; a newer object of that name is kept. */
void kube_cache_remove(struct kube_cache *c, struct str key, uint64_t version);
/* The cached version of a key; 0: the key is not cached. */
uint64_t kube_cache_version(const struct kube_cache *c, struct str key);

/* The number of events and lists so far: for metrics and tests. */
uint64_t kube_cache_events(const struct kube_cache *c);
uint64_t kube_cache_lists(const struct kube_cache *c);

/* make and drop for caches of whole objects: the value is a struct kube_tree. */
struct kube_tree {
	struct arena a;
	struct json *tree;
};
void *kube_tree_make(const struct json *tree, void *ctx);
void kube_tree_drop(void *value);

#endif
