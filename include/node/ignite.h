/*
 * ignite: an Ignition config applied to a root without a running system, as Ignition's files stage
 * does.
 *
 * It writes files, directories, links, users, groups, units and kernel arguments. Before it writes
 * anything it refuses sections that it does not support (disks, raid, filesystems, luks) and paths
 * that exist and may not be overwritten. A run that was cut short can be repeated: a marker file
 * tells, and what the first run has written is then not a conflict.
 */
#ifndef NODE_IGNITE_H
#define NODE_IGNITE_H

#include "node/node.h"

/* Fetches what a config refers to; called before anything is written. */
struct ignite_source {
	int (*get)(void *ctx, const struct ign_obj *resource, const struct sink *to,
		   struct err *err);
	/* Trusts a certificate authority (PEM) from now on. */
	int (*trust)(void *ctx, struct str pem, struct err *err);
	void *ctx;
};

int ignite_apply(struct node *n, struct arena *a, struct str text, const struct ignite_source *from,
		 struct err *err);

#endif
