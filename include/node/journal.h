/*
 * journal: what was there before an update, so that it can be undone whenever
 * and however it ends.
 *
 * Before the first change everything that may change is kept: files under a
 * second name (nothing is copied, and undoing needs no room on the disk; across
 * devices it is a copy), links by their target, absent ones by their absence,
 * with modes and owners; all links to units; folders that are not there yet.
 * One file names it all, with SHA-256 sums of itself and of what is kept: a
 * journal that does not match them is damaged, and neither used nor removed. Its
 * own name is the state, so every step is a rename:
 *
 *	journal/active	an update runs, or was cut: undo it
 *	journal/undo	it is being undone: go on with that
 *	journal/last	it is done: kept for `rollback` until the next one
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
	struct str damage; /* why "last" cannot be read; "": it can */
	struct json *log; /* members of the caller's own go along: "facts" */
	struct map allowed; /* the paths, for tree.allowed */
};

/*
 * Keeps what is at paths and begins. facts is what undoing needs to know
 * besides: it is an object, and given back as json_member(log, "facts").
 */
int journal_begin(struct arena *a, struct tree *t, const struct strs *paths, struct json *facts,
		  struct journal *out, struct err *err);

/* Reads the journal there is: the one of an unfinished update before "last".
 * ERR_INVALID when that of an unfinished update is damaged; for "last" see
 * damage. */
int journal_load(struct arena *a, struct tree *t, struct journal *out, struct err *err);

/* All is done and durable: the update holds. */
int journal_commit(struct arena *a, struct tree *t, struct journal *j, struct err *err);

/* Whether all that is to be put back is as it was; ERR_INVALID. Before the first
 * step of undoing. */
int journal_check(struct tree *t, const struct journal *j, struct err *err);

/* Says that from now on it is undone; before the first step of undoing. */
int journal_undo(struct tree *t, struct journal *j, struct err *err);

/* Puts back one path. */
int journal_restore(struct arena *a, struct tree *t, struct journal *j, struct str path,
		    struct err *err);
/* Puts back all of them, the links to units and the folders. */
int journal_restore_all(struct arena *a, struct tree *t, struct journal *j, struct err *err);

/* It is undone: forgets it. */
int journal_end(struct arena *a, struct tree *t, struct journal *j, struct err *err);

/* Removes what a power cut before or after all of this left of the journal. */
int journal_tidy(struct arena *a, struct tree *t, struct err *err);

#endif
