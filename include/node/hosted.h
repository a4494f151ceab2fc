/*
 * hosted: one step of a node whose configs come as files: a folder with "config",
 * the Ignition config that holds the MachineConfig, and "hash", its name here.
 */
#ifndef NODE_HOSTED_H
#define NODE_HOSTED_H

#include "node/node.h"

enum hosted_state {
	HOSTED_DRAIN, /* the node must be drained before it goes on */
	HOSTED_REBOOT, /* it has been asked for */
	HOSTED_DONE, /* the node has it */
};

/* asked: what the controller was asked for last, and has done. */
int hosted_step(struct node *n, struct arena *a, const char *dir, struct str asked,
		struct str *hash, enum hosted_state *out, struct err *err);

#endif
