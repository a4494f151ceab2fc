/*
 * sandbox/watch: one client's view of the changes of a kind.
 */
#ifndef SANDBOX_WATCH_H
#define SANDBOX_WATCH_H

#include "sandbox/sandbox.h"

struct sb_watch {
	struct sandbox *sb;
	struct sb_watch *next; /* of the sandbox's */
	struct arena arena;
	struct sb_call call; /* the request, kept for its version and form */
	struct sb_request request;
	struct sb_reply reply;
	struct sb_filter filter;
	struct str version; /* of the kind, by name */
	struct str prefix; /* "namespace/" or "" */
	uint64_t rv; /* told up to here */
	VEC(struct sb_object *) initial; /* told as added at first */
	size_t told; /* of them */
	bool bookmarks;
	bool over; /* nothing will follow */
	int64_t timeout_s; /* as asked, or 0 */
};

/* Appends what happened, about max bytes at most; false when nothing did. */
bool watch_next(struct sb_watch *w, struct buf *out, size_t max);

/* Appends a bookmark, when the client wants them. */
void watch_bookmark(struct sb_watch *w, struct buf *out);

/* The watch fell behind more than is remembered, or its kind is gone. */
static inline bool watch_over(const struct sb_watch *w)
{
	return w->over;
}

void watch_free(struct sb_watch *w);

/* A kind is described anew: its watches go on, or end with their version. */
void watch_redefine(struct sandbox *s, const struct sb_kind *k);

#endif
