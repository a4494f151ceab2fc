/*
 * journal: the write-ahead log of an update, from which the update can be undone at any point.
 *
 * Before the first change it records everything that may change: files by a hard link under a
 * second name (a copy across devices), so that undoing needs no disk space; symlinks by their
 * target; paths that do not exist; modes and owners; all links to units; directories that do not
 * exist yet. One log file lists them, with SHA-256 sums of itself and of each kept file. A journal
 * that does not match its sums is damaged; it is neither used nor removed. The name of the log is
 * the state, so each transition is one rename:
 *
 *	journal/active	an update runs or was cut short: undo it
 *	journal/undo	the update is being undone: continue
 *	journal/last	the update is complete: kept for `rollback` until the next one
 */
#ifndef NODE_JOURNAL_H
#define NODE_JOURNAL_H

#include "data/json.h"
#include "mc/current.h"
#include "node/tree.h"

#define JOURNAL_DIR TREE_JOURNAL

enum journal_state {
	JOURNAL_NONE,
	JOURNAL_ACTIVE,
	JOURNAL_UNDO,
	JOURNAL_LAST,
};

struct journal {
	enum journal_state state;
	struct str damage; /* why "last" cannot be read, or "" */
	struct json *log; /* "facts" is the caller's */
	struct map allowed; /* the recorded paths, for tree.allowed */
};

/*
 * Records what is at paths and begins. facts is an object with what undoing needs besides; it is
 * json_member(log, "facts") later.
 */
int journal_begin(struct arena *a, struct tree *t, const struct strs *paths, struct json *facts,
		  struct journal *out, struct err *err);

/* Reads the journal: that of an unfinished update, else "last". ERR_INVALID when the journal of an
 * unfinished update is damaged; a damaged "last" sets out->damage. */
int journal_load(struct arena *a, struct tree *t, struct journal *out, struct err *err);

/* Makes the update durable and complete. */
int journal_commit(struct arena *a, struct tree *t, struct journal *j, struct err *err);

/* ERR_INVALID when a kept file is missing or does not match its checksum. Call it before the first
 * step of undoing. */
int journal_check(struct tree *t, const struct journal *j, struct err *err);

/* Enters the state "undo"; call it before the first step of undoing. */
int journal_undo(struct tree *t, struct journal *j, struct err *err);

/* Restores one path; idempotent. */
int journal_restore(struct arena *a, struct tree *t, struct journal *j, struct str path,
		    struct err *err);
/* Restores all paths, the links to units and the directories; idempotent. */
int journal_restore_all(struct arena *a, struct tree *t, struct journal *j, struct err *err);

/* The update is undone: removes the journal. */
int journal_end(struct arena *a, struct tree *t, struct journal *j, struct err *err);

/* Removes leftovers of a power cut before the journal began or after it ended. */
int journal_tidy(struct arena *a, struct tree *t, struct err *err);

#endif
