/*
 * journal_keep: what was at a path before an update, kept under a second name.
 */
#ifndef SRC_NODE_JOURNAL_KEEP_H
#define SRC_NODE_JOURNAL_KEEP_H

#include "node/journal.h"

/* SHA-256 of a file's contents, in hex. */
int journal_sum(struct arena *a, struct tree *t, const char *path, struct str *out,
		struct err *err);
/* JOURNAL_DIR "/<pre>/<kept>"; "" when nothing is kept. */
struct str journal_kept(struct arena *a, const struct json *log, const struct json *entry);
/* Keeps what is at paths; adds paths and dirs to log. */
int journal_keep(struct arena *a, struct tree *t, const struct strs *paths, struct json *log,
		 struct err *err);
/* Drops from log the second names of files that the update did not replace. */
void journal_drop_same(struct arena *a, struct tree *t, struct json *log);
/* Removes second names that log does not list. */
int journal_sweep(struct arena *a, struct tree *t, const struct json *log, struct err *err);

#endif
