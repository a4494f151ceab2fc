/*
 * rollback_command: what `mco-daemon rollback` and `recover` do on a node. Both add
 * what happened to out.
 */
#ifndef NODE_ROLLBACK_COMMAND_H
#define NODE_ROLLBACK_COMMAND_H

#include "node/node.h"

/* Goes back to the config before the last update, and does what follows from it. */
int rollback_command(struct node *n, struct arena *a, struct buf *out, struct err *err);

/* Undoes an update that was interrupted, or completes one that is in place. */
int recover_command(struct node *n, struct arena *a, struct buf *out, struct err *err);

#endif
