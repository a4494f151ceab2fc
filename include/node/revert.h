/*
 * revert: the way back from an OS image that was built in the cluster.
 *
 * After the reboot into the other image a unit completes the machine as a first boot does.
 */
#ifndef NODE_REVERT_H
#define NODE_REVERT_H

#include "data/json.h"
#include "node/node.h"

/* Writes and enables that unit and its config. */
int revert_prepare(struct node *n, struct arena *a, const struct json *controller,
		   const struct mc_current *to, struct err *err);
/* Disables and removes them, if they are there. */
int revert_drop(struct node *n, struct arena *a, struct err *err);

#endif
