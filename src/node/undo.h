/*
 * Going back from an update by its journal: what was staged, the OS, passwords,
 * then all files. It may be cut short or fail anywhere, and is then done again.
 */
#ifndef NODE_UNDO_H
#define NODE_UNDO_H

#include "node/journal.h"
#include "node/node_update.h"

#define UNDO_TUNING_MAX ((size_t)1 << 20)

/* The file beside the journal by which a step tells that it has begun. That of
 * "tuning" holds the text of KERNEL_TUNING. */
struct str undo_marker(struct arena *a, const struct journal *j, const char *name);

/* Whether the journal and all that it keeps are as they were written:
 * ERR_INVALID. Nothing is put back where something cannot be. */
int undo_check(struct node *n, struct arena *a, const struct journal *j, struct err *err);

/* The journal of the update to go back from. ERR_NOTFOUND when there is none,
 * ERR_INVALID when it is damaged. */
int undo_load(struct node *n, struct arena *a, struct journal *out, struct err *err);

/* cause: why, for the message when that fails, too; "" when it was asked for. */
int undo_update(struct node *n, struct arena *a, struct journal *j, struct str cause,
		struct err *err);

#endif
