/*
 * contents_diff: the difference of one file's contents, as text.
 *
 * Secrets are masked (see mc/secret.h) unless requested. Text is shown as a unified
 * diff, binary contents by size and SHA-256.
 */
#ifndef VIEW_CONTENTS_DIFF_H
#define VIEW_CONTENTS_DIFF_H

#include "base/buf.h"

struct contents_side {
	bool there; /* the file exists */
	int64_t mode; /* 0644 where none is set */
	struct str bytes;
	const char *prefix; /* of the path in the diff's head: "a", "want" */
};

struct contents_opts {
	bool colour;
	bool secrets; /* do not mask */
	const char *indent; /* before each line; "" when NULL */
	const char *whole; /* see udiff_opts */
};

/* Appends the difference; nothing when both have the same bytes. */
void contents_diff(struct buf *b, struct str path, const struct contents_side *from,
		   const struct contents_side *to, const struct contents_opts *o);

#endif
