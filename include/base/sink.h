/*
 * sink: bytes delivered in parts, so that nobody has to hold all of them.
 */
#ifndef BASE_SINK_H
#define BASE_SINK_H

#include "base/err.h"

/* The receiver. */
struct sink {
	/* Takes the next part. An error ends the delivery. */
	int (*put)(void *ctx, struct str part, struct err *err);
	/* Discards everything received: the delivery starts again from the beginning.
	 * NULL when the receiver cannot restart. */
	int (*restart)(void *ctx, struct err *err);
	void *ctx;
};

/* The sender: delivers everything each time it is called. */
struct producer {
	int (*pump)(void *ctx, const struct sink *to, struct err *err);
	void *ctx;
};

/* Collects everything in b; ERR_LIMIT beyond max bytes. */
struct sink_buf {
	struct buf b;
	size_t max;
};
struct sink sink_to_buf(struct sink_buf *b);

#endif
