/*
 * store: the sandbox's objects, their versions and events.
 *
 * Objects are immutable: a change makes a new one. Lists are sorted by key, so that pages have
 * etcd's order. The latest events are kept for watches, up to a number and a total size; older ones
 * are compacted.
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
	struct sb_object *now; /* the last version, with the rv of the deletion, when deleted */
	struct sb_object *before; /* NULL when added */
};

struct store {
	uint64_t rv; /* of the last change */
	uint64_t compacted; /* events up to this version are gone */
	struct sb_event *events; /* a ring */
	size_t n, cap, head;
	size_t bytes, bytes_max; /* of the texts of the events */
	/* Called for each change, before the event can be compacted. */
	void (*changed)(void *ctx, const struct sb_event *e);
	void *ctx;
};

/* Keeps at most events_max events (a power of two), or about bytes_max bytes. */
void store_init(struct store *s, size_t events_max, size_t bytes_max);
void store_free(struct store *s);

/* The object of that key, or NULL. */
struct sb_object *store_get(const struct sb_list *l, struct str key);

/* Index of the first object whose key is not before key. */
size_t store_seek(const struct sb_list *l, struct str key);

/*
 * Stores text under key as version s->rv + 1, which text must contain; returns the new object,
 * which the list owns.
 */
struct sb_object *store_put(struct store *s, struct sb_list *l, struct str key, struct str text);

/* Deletes key; text is its last version and contains s->rv + 1. */
void store_delete(struct store *s, struct sb_list *l, struct str key, struct str text);

/* Restores an object unchanged and without an event, for loading. */
void store_restore(struct store *s, struct sb_list *l, struct str key, struct str text,
		   uint64_t rv);

/* Deletes key without an event. */
void store_forget(struct store *s, struct sb_list *l, struct str key, uint64_t rv);

/* The index of the first event after rv; false when some have been compacted. */
bool store_after(const struct store *s, uint64_t rv, size_t *index);
/* The event at index, or NULL after the last one. */
const struct sb_event *store_event(const struct store *s, size_t index);

/*
 * The objects of l at version rv, read-only and valid until the next change; false when rv has been
 * compacted.
 */
bool store_past(struct arena *a, const struct store *s, const struct sb_list *l, uint64_t rv,
		struct sb_list *out);

/* Compacts all events. */
void store_compact(struct store *s);

/* The same, and continues with versions after rv. */
void store_begin(struct store *s, uint64_t rv);

/* Takes a reference to an object, which may be NULL. */
struct sb_object *object_keep(struct sb_object *o);
void object_drop(struct sb_object *o);

void list_free(struct sb_list *l);

#endif
