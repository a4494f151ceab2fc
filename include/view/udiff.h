/*
 * udiff: unified diffs of texts.
 */
#ifndef VIEW_UDIFF_H
#define VIEW_UDIFF_H

#include "base/buf.h"

struct udiff_opts {
	const char *from, *to; /* names for the --- and +++ lines */
	bool colour;
	const char *indent; /* before each line; "" when NULL */
};

/* Appends the hunks that lead from x to y, three lines around each; nothing
 * when they are equal. */
void udiff(struct buf *b, struct str x, struct str y,
	   const struct udiff_opts *opts);

#endif
