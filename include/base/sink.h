/*
 * sink: bytes that come in parts, so that nobody has to hold them all.
 */
#ifndef BASE_SINK_H
#define BASE_SINK_H

#include "base/err.h"

/* Who takes them. */
struct sink {
	/* The next part. An error ends whoever gives them. */
	int (*put)(void *ctx, struct str part, struct err *err);
	/* Drops what came so far: all of it comes again, from the beginning.
	 * NULL where that cannot be. */
	int (*restart)(void *ctx, struct err *err);
	void *ctx;
};

/* Who gives them: all of them, each time it is asked. */
struct producer {
	int (*pump)(void *ctx, const struct sink *to, struct err *err);
	void *ctx;
};

/* Collects them in b, at most max bytes: else ERR_LIMIT. */
struct sink_buf {
	struct buf b;
	size_t max;
};
struct sink sink_to_buf(struct sink_buf *b);

#endif
