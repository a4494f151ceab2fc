/*
 * undo: undoes an update by its journal: what is staged, the OS, passwords, then all files. It is
 * idempotent: after a failure or a power cut it runs again.
 */
#ifndef NODE_UNDO_H
#define NODE_UNDO_H

#include "node/journal.h"
#include "node/node_update.h"

#define UNDO_TUNING_MAX ((size_t)1 << 20)

/* The path of the marker file that says that a step has begun. The marker "tuning" has the
 * contents of KERNEL_TUNING. */
struct str undo_marker(struct arena *a, const struct journal *j, const char *name);

/* ERR_INVALID when the journal or a file that it keeps is damaged. Nothing is restored unless
 * everything can be. */
int undo_check(struct node *n, struct arena *a, const struct journal *j, struct err *err);

/* Loads the journal to undo. ERR_NOTFOUND when there is none, ERR_INVALID when it is damaged. */
int undo_load(struct node *n, struct arena *a, struct journal *out, struct err *err);

/* cause: the failure that made it necessary, for the error text of a second failure; "" for a
 * rollback that a user requested. */
int undo_update(struct node *n, struct arena *a, struct journal *j, struct str cause,
		struct err *err);

#endif
