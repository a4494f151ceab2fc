/*
 * accounts: users and groups of an Ignition config, on a root without a running system.
 */
#ifndef SRC_NODE_ACCOUNTS_H
#define SRC_NODE_ACCOUNTS_H

#include "node/node.h"

/* Creates, changes and removes them; idempotent. */
int accounts_apply(struct node *n, struct arena *a, const struct ign_obj *config, struct err *err);

#endif
