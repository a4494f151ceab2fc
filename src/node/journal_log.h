/*
 * journal_log: the log of a journal on the disk.
 *
 * The log, as JSON:
 *
 *	pre	the directory of second names and markers, "pre.0"
 *	facts	the caller's
 *	paths	[{path, was, ...}], was being one of the words below
 *	dirs	directories that did not exist
 *	links, linkDirs		see journal_links
 *
 * An entry of paths that existed has mode, uid and gid. A file or link that the update may have
 * replaced has kept, the number of its second name, and sha256 of its contents or target.
 */
#ifndef SRC_NODE_JOURNAL_LOG_H
#define SRC_NODE_JOURNAL_LOG_H

#include "data/json.h"
#include "node/journal.h"

#define WAS_ABSENT "absent"
#define WAS_DIR "directory"
#define WAS_FILE "file"
#define WAS_LINK "link"
#define WAS_OTHER "other"

/* ERR_INVALID, with the reason and the remedy, when the log is damaged. */
int journal_read(struct arena *a, struct tree *t, const char *path, struct json **out,
		 struct err *err);
/* The log, and every change before it, is durable when this returns. */
int journal_write(struct arena *a, struct tree *t, const char *path, const struct json *log,
		  struct err *err);

/* A text with its own checksum in front, and back: ERR_INVALID when it does not match. */
struct str journal_seal(struct arena *a, struct str text);
int journal_unseal(struct str sealed, struct str *out, struct err *err);
/* Rewrites err: path is damaged, for the reason that err has, and what to do. */
int journal_damaged(struct err *err, const char *path);

#endif
