/*
 * standalone: updates without a cluster.
 */
#ifndef NODE_STANDALONE_H
#define NODE_STANDALONE_H

#include "node/node.h"
#include "plan/update.h"

/* A whole update: checks, files, OS, state, actions. from is NULL for a machine without a
 * config. */
int standalone_update(struct node *n, struct arena *a, const struct mc_current *from,
		      const struct mc_current *to, struct err *err);

/* The checks and the actions of that update; read-only. */
int standalone_plan(struct node *n, struct arena *a, const struct mc_current *from,
		    const struct mc_current *to, struct update_plan *out, struct err *err);

/* Applies an Ignition config or a MachineConfig once, and reboots. remote: the text was downloaded;
 * ERR_INVALID for a MachineConfig. */
int standalone_once_from(struct node *n, struct arena *a, struct str text, bool remote,
			 struct err *err);

#endif
