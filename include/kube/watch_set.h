/*
 * kube/watch_set: a table of kinds, and one cache for each of them.
 *
 * A kind is known when its first list is complete, or when the server lacks it
 * (kube/discovery; built-in kinds are never absent). The caller fills the set, starts
 * the early kinds, and then, once the feature gates are known, all others.
 */
#ifndef KUBE_WATCH_SET_H
#define KUBE_WATCH_SET_H

#include "kube/cache.h"
#include "kube/discovery.h"
#include "mc/gates.h"

struct kube_watch_set;

struct kube_watch_kind {
	const char *path; /* of its list: "/api/v1/nodes" */
	const char *query; /* escaped, as kube_cache_opts has it; NULL: none */
	const char *gate; /* watched only when this feature gate is on; NULL: always */
	bool early; /* watched before the feature gates are known */
	bool fresh; /* as in kube_cache_opts */
	/* As in kube_cache_opts, but ctx is the struct kube_watch. make NULL: the set's
	 * make and drop. */
	void *(*make)(const struct json *tree, void *ctx);
	void (*drop)(void *value);
	struct str (*index)(const void *value, void *ctx);
};

struct kube_watch {
	struct kube_watch_set *set;
	size_t kind; /* its row in the table */
	struct kube_cache *cache; /* NULL: not watched (yet), or its gate is off */
	struct kube_discovery discovery;
};

struct kube_watch_set {
	struct kube *kube;
	const struct kube_watch_kind *kinds;
	struct kube_watch *watches; /* one for each kind; zeroed at first, then the set's */
	size_t n;
	int64_t resync_ms;
	/* Of kinds without their own. */
	void *(*make)(const struct json *tree, void *ctx);
	void (*drop)(void *value);
	/* As in kube_cache_opts, but ctx is the struct kube_watch. */
	void (*changed)(void *ctx, struct str key, const void *before, const void *now);
	/* The kind has become known; again when one that was absent is there. */
	void (*known)(struct kube_watch *w);
	void *ctx;
};

/* Starts the early kinds, for which gates is NULL; or all others whose gate is on. */
void kube_watch_set_start(struct kube_watch_set *s, const struct mc_gates *gates);
/* Frees the caches and ends the requests; the set can then be started again. */
void kube_watch_set_free(struct kube_watch_set *s);

/* All of its kind are in the cache, or the server lacks the kind. False when it is not
 * watched. */
bool kube_watch_known(const struct kube_watch *w);
/* All that are watched are known. Adds the paths of the others to b: "PATH, PATH". */
bool kube_watch_set_known(const struct kube_watch_set *s, struct buf *b);

/* The cache that holds the object or list of this path, or NULL. */
struct kube_cache *kube_watch_set_cache(const struct kube_watch_set *s, struct str path);

#endif
