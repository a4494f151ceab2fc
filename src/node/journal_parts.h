/*
 * The journal's parts: its log, what it keeps, and how that is put back.
 */
#ifndef SRC_NODE_JOURNAL_PARTS_H
#define SRC_NODE_JOURNAL_PARTS_H

#include "node/journal.h"

/*
 * The log, as JSON:
 *
 *	pre	the directory of second names and markers, "pre.0"
 *	facts	the caller's
 *	paths	[{path, was, ...}], was being one of the words below
 *	dirs	directories that were not there
 *	links, linkDirs		see journal_links
 *
 * An entry of paths that was there has mode, uid and gid. A file or link that the
 * update may have replaced has kept, the number of its second name, and sha256 of
 * its contents or target.
 */
#define WAS_ABSENT "absent"
#define WAS_DIR "directory"
#define WAS_FILE "file"
#define WAS_LINK "link"
#define WAS_OTHER "other"

/* ---- the log ------------------------------------------------------------- */

/* ERR_INVALID with where, why and what to do when it is damaged. */
int journal_read(struct arena *a, struct tree *t, const char *path, struct json **out,
		 struct err *err);
/* Durable when it returns; all that was changed before is so before it. */
int journal_write(struct arena *a, struct tree *t, const char *path, const struct json *log,
		  struct err *err);

/* ---- what is kept -------------------------------------------------------- */

/* SHA-256 of a file's contents, in hex. */
int journal_sum(struct arena *a, struct tree *t, const char *path, struct str *out,
		struct err *err);
/* JOURNAL_DIR "/<pre>/<kept>"; "" when nothing is kept. */
struct str journal_kept(struct arena *a, const struct json *log, const struct json *entry);
/* Adds to log: paths, dirs. */
int journal_keep(struct arena *a, struct tree *t, const struct strs *paths, struct json *log,
		 struct err *err);
/* Drops from log what is kept of files that are still the very same. */
void journal_drop_same(struct arena *a, struct tree *t, struct json *log);
/* Removes second names that log has not. */
int journal_sweep(struct arena *a, struct tree *t, const struct json *log, struct err *err);

/* ---- links to units ------------------------------------------------------ */

/* All there are, as {path: target}; and the folders of links. */
int journal_links(struct arena *a, struct tree *t, struct json **links, struct json **dirs,
		  struct err *err);
/* As the journal has them, but for paths that are put back by themselves. */
int journal_restore_links(struct arena *a, struct tree *t, const struct journal *j,
			  struct err *err);
/* A folder goes if it is empty; others may have put something there. */
int journal_remove_empty(struct tree *t, const char *path, struct err *err);

#endif
