/*
 * store: the sandbox's objects, their versions and what happened to them.
 *
 * Objects are immutable: a change makes a new one. Lists are sorted by key, so
 * that pages and answers come in etcd's order. The last changes are kept for
 * watches, up to a number and a weight; older ones are compacted away.
 */
#ifndef SANDBOX_STORE_H
#define SANDBOX_STORE_H

#include "base/err.h"

struct sb_object {
	uint32_t refs;
	uint64_t rv; /* resourceVersion of this version */
	struct str key; /* "namespace/name", or "name" when cluster-wide */
	struct str text; /* JSON, members sorted */
};

/* All objects of one kind. */
struct sb_list {
	struct sb_object **v;
	size_t n, cap;
};

enum sb_change { SB_ADDED, SB_MODIFIED, SB_DELETED };

struct sb_event {
	uint64_t rv;
	enum sb_change change;
	const struct sb_list *list;
	struct sb_object *now; /* the last version, with rv, when deleted */
	struct sb_object *before; /* NULL when added */
};

struct store {
	uint64_t rv; /* of the last change */
	uint64_t compacted; /* changes up to this one are forgotten */
	struct sb_event *events; /* a ring */
	size_t n, cap, head;
	size_t bytes, bytes_max; /* of the texts the events hold */
	/* Told of each change, before the event can be compacted. */
	void (*changed)(void *ctx, const struct sb_event *e);
	void *ctx;
};

/* Keeps at most events_max changes (a power of two) or about bytes_max. */
void store_init(struct store *s, size_t events_max, size_t bytes_max);
void store_free(struct store *s);

/* The object of that key, or NULL. */
struct sb_object *store_get(const struct sb_list *l, struct str key);

/* Index of the first object whose key is not before key. */
size_t store_seek(const struct sb_list *l, struct str key);

/*
 * Puts text under key as version s->rv + 1, which text must carry; returns the
 * new object, owned by the list.
 */
struct sb_object *store_put(struct store *s, struct sb_list *l, struct str key, struct str text);

/* Takes key out; text is its last version, carrying s->rv + 1. */
void store_delete(struct store *s, struct sb_list *l, struct str key, struct str text);

/* Puts an object back as it was, without telling of it: for loading. */
void store_restore(struct store *s, struct sb_list *l, struct str key, struct str text,
		   uint64_t rv);

/* Takes key out again, in the same silence. */
void store_forget(struct store *s, struct sb_list *l, struct str key, uint64_t rv);

/* Where the events after rv begin; false when some of them are compacted. */
bool store_after(const struct store *s, uint64_t rv, size_t *index);
/* The event there, or NULL behind the last. */
const struct sb_event *store_event(const struct store *s, size_t index);

/*
 * The objects of l as they were at rv, to be read only and before the next change;
 * false when that is compacted.
 */
bool store_past(struct arena *a, const struct store *s, const struct sb_list *l, uint64_t rv,
		struct sb_list *out);

/* Forgets all changes up to now. */
void store_compact(struct store *s);

/* The same, and versions go on from this one. */
void store_begin(struct store *s, uint64_t rv);

/* Holds on to an object beyond its life in the list; NULL is fine. */
struct sb_object *object_keep(struct sb_object *o);
void object_drop(struct sb_object *o);

void list_free(struct sb_list *l);

#endif
