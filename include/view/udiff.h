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
	/* A command that shows the whole diff, or NULL: no limit. With it, a diff of more
	 * than UDIFF_LINES lines or UDIFF_BYTES bytes is cut, and its last line names the
	 * command. */
	const char *whole;
};

/* Appends the hunks from x to y, with three lines of context; nothing when the texts
 * are equal. */
void udiff(struct buf *b, struct str x, struct str y, const struct udiff_opts *opts);

#endif
