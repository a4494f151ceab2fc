/*
 * os_local: an OS image that is in the node's storage already.
 */
#ifndef SRC_NODE_OS_LOCAL_H
#define SRC_NODE_OS_LOCAL_H

#include "node/node.h"

/* Stages it from there. */
int os_local_rebase(struct node *n, struct arena *a, const struct os_image *image, struct err *err);
/* Removes the temporary policy of a rebase that was cut short. */
int os_local_drop_policy(struct node *n, struct arena *a, struct err *err);

#endif
