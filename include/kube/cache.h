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
	uint32_t seen; /* the cache's */
	struct kube_group *group; /* the index's; NULL: it is in none */
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
	/* before is NULL when it is new, now when it is gone, and they are the
	 * same at a resync. Both may be looked at within the call. */
	void (*changed)(void *ctx, struct str key, const void *before, const void *now);
	/* The first list is complete. May be NULL. */
	void (*synced)(void *ctx);
	/*
	 * The server does not know the kind, and never did: called after each
	 * attempt, instead of a line in the log. May be NULL.
	 */
	void (*absent)(void *ctx);
	/*
	 * Under which string kube_cache_of finds a value, "" for none; good for
	 * the call. Asked for one that has come or changed, and for all by
	 * kube_cache_reindex: when it depends on more than the value. NULL: no
	 * index.
	 */
	struct str (*index)(const void *value, void *ctx);
	void *ctx;
	/* Everything is told again about this often, two thirds to four thirds
	 * of it, so that caches do not do so together; 0: never. */
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

/* All items in the order of their keys; good until the loop's next turn. */
size_t kube_cache_all(const struct kube_cache *c, struct kube_item *const **out);

/* The same of those that the index has under name. */
size_t kube_cache_of(const struct kube_cache *c, struct str name, struct kube_item *const **out);
void kube_cache_reindex(struct kube_cache *c);

/*
 * Stores the response to a write before the watch reports it, so that plans see
 * their own writes. Ignores a version older than the one kept.
 */
void kube_cache_put(struct kube_cache *c, struct str text);
/* What a delete took away that was asked for when this version was kept: a newer
 * one has been made since, or the watch will tell. */
void kube_cache_remove(struct kube_cache *c, struct str key, uint64_t version);
/* The version kept of a key; 0: none is. */
uint64_t kube_cache_version(const struct kube_cache *c, struct str key);

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
