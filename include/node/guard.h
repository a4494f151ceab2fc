/*
 * guard: refuses what is probably a mistake. ERR_INVALID says what was found and
 * which flag overrides it; with force nothing is refused.
 */
#ifndef NODE_GUARD_H
#define NODE_GUARD_H

#include "node/node.h"

/* Refuses the root of the running machine unless that machine is a node. */
int guard_root(struct node *n, bool force, struct err *err);

/* Refuses the root of the running machine: dir is for a system that does not run yet. */
int guard_new_root(struct arena *a, struct str dir, bool force, struct err *err);

/* Refuses a MachineConfig that is not a rendered one, or not as it was rendered. */
int guard_config(struct node *n, struct arena *a, const struct mc_current *to, bool force,
		 struct err *err);

#endif
