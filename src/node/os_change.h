/*
 * os_change: OS image, kernel arguments, kernel and extensions of an update, staged together.
 */
#ifndef SRC_NODE_OS_CHANGE_H
#define SRC_NODE_OS_CHANGE_H

#include "node/node.h"
#include "plan/update.h"

/* c: what differs between the two configs; an image that is booted already is not staged again.
 * ocl: the image was built in the cluster and contains kernel and extensions. */
int os_change(struct node *n, struct arena *a, struct update_changes c,
	      const struct mc_current *from, const struct mc_current *to, bool ocl,
	      struct err *err);

#endif
