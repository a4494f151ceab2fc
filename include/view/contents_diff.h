/*
 * contents_diff: how the contents of one file differ, for people.
 *
 * Secrets are masked (see mc/secret.h) unless asked for; texts are shown as a
 * unified diff, what is no text by its size and sum.
 */
#ifndef VIEW_CONTENTS_DIFF_H
#define VIEW_CONTENTS_DIFF_H

#include "base/buf.h"

struct contents_side {
	bool there; /* there is such a file */
	int64_t mode; /* 0644 where none is set */
	struct str bytes;
	const char *prefix; /* of the path in the diff's head: "a", "want" */
};

struct contents_opts {
	bool colour;
	bool secrets; /* show them */
	const char *indent; /* before each line; "" when NULL */
	const char *whole; /* see udiff_opts */
};

/* Appends it; nothing when both have the same bytes. */
void contents_diff(struct buf *b, struct str path, const struct contents_side *from,
		   const struct contents_side *to, const struct contents_opts *o);

#endif
