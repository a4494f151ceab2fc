/*
 * watch: one client's watch of a kind.
 */
#ifndef SANDBOX_WATCH_H
#define SANDBOX_WATCH_H

#include "sandbox/sandbox.h"

struct sb_watch {
	struct sandbox *sb;
	struct sb_watch *next; /* in the sandbox's list */
	struct arena arena;
	struct sb_call call; /* a copy of the request, for its version and form */
	struct sb_request request;
	struct sb_reply reply;
	struct sb_filter filter;
	struct str version; /* of the kind, by name */
	struct str prefix; /* "namespace/" or "" */
	uint64_t rv; /* events up to this version have been sent */
	VEC(struct sb_object *) initial; /* sent as ADDED at first */
	size_t told; /* the number of them that have been sent */
	bool bookmarks;
	bool over; /* no more events */
	int64_t timeout_s; /* of the request, or 0 */
};

/* Appends pending events, about max bytes at most; false when there are none. */
bool watch_next(struct sb_watch *w, struct buf *out, size_t max);

/* Appends a bookmark if the client has requested bookmarks. */
void watch_bookmark(struct sb_watch *w, struct buf *out);

/* Whether the watch has ended: its events were compacted, or its kind was removed. */
static inline bool watch_over(const struct sb_watch *w)
{
	return w->over;
}

void watch_free(struct sb_watch *w);

/* The definition of a kind has changed: its watches continue, or end with their version. */
void watch_redefine(struct sandbox *s, const struct sb_kind *k);

#endif
