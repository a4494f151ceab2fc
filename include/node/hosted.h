/*
 * hosted: one step of a node of a hosted cluster, whose config comes in a directory with two files:
 * "config", an Ignition config that contains the MachineConfig, and "hash", its name.
 */
#ifndef NODE_HOSTED_H
#define NODE_HOSTED_H

#include "node/node.h"

enum hosted_state {
	HOSTED_DRAIN, /* waits until the node is drained */
	HOSTED_REBOOT, /* the reboot has been requested */
	HOSTED_DONE, /* the node has the config */
};

/* asked: the last drain request that the controller has completed, "drain-<hash>". *hash: the
 * name of the config in dir. */
int hosted_step(struct node *n, struct arena *a, const char *dir, struct str asked,
		struct str *hash, enum hosted_state *out, struct err *err);

#endif
