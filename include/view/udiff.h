/*
 * udiff: unified diffs of texts.
 */
#ifndef VIEW_UDIFF_H
#define VIEW_UDIFF_H

#include "base/buf.h"

#define UDIFF_LINES 2000
#define UDIFF_BYTES ((size_t)256 * 1024)

struct udiff_opts {
	const char *from, *to; /* names for the --- and +++ lines */
	bool colour;
	const char *indent; /* before each line; "" when NULL */
	/* What shows a whole diff. With it, one of over UDIFF_LINES lines or
	 * UDIFF_BYTES bytes is cut, and its last line names it. */
	const char *whole;
};

/* Appends the hunks that lead from x to y, three lines around each; nothing
 * when they are equal. */
void udiff(struct buf *b, struct str x, struct str y, const struct udiff_opts *opts);

#endif
