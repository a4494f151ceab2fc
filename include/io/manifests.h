/*
 * manifests: reads the objects of files, directories and standard input into one set.
 */
#ifndef IO_MANIFESTS_H
#define IO_MANIFESTS_H

#include "base/err.h"
#include "data/docs.h"
#include "mc/load.h"

/* Far above any real cluster: a bound on memory. */
#define MANIFEST_MAX ((size_t)64 << 20)

/*
 * Reads every path into set: a file, a directory (its files in order of name; with
 * recursive also the directories below it; of a must-gather the directories that
 * matter) or "-", standard input. No path at all is ERR_INVALID; a path without a
 * manifest is ERR_NOTFOUND. Messages: "file:line:column: object: problem".
 * With set->review, unreadable files are recorded there instead.
 */
int manifests_load(struct arena *a, const struct strs *paths, bool recursive, struct mc_set *set,
		   struct err *err);

/*
 * The text of one file, or of "-", and its documents. ERR_INVALID: "file:line:column: problem".
 */
int manifest_docs(struct arena *a, const char *path, struct str *text, struct docs *out,
		  struct err *err);

#endif
