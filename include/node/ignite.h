/*
 * ignite: an Ignition config applied to a root that nothing runs on yet, as
 * Ignition's own files stage does it.
 *
 * Files, directories, links, users, groups, units and kernel arguments. What it
 * does not do is refused by name before anything is written (disks, raid,
 * filesystems, luks), and so is what stands in the way. A run that was cut short
 * is simply repeated: a file of its own tells, and what is as it should be is
 * then nothing that stands in the way.
 */
#ifndef NODE_IGNITE_H
#define NODE_IGNITE_H

#include "node/node.h"

/* Where what a config only points at comes from: asked before anything is
 * written. */
struct ignite_source {
	int (*get)(void *ctx, const struct ign_obj *resource, const struct sink *to,
		   struct err *err);
	/* An authority to believe from now on, as PEM. */
	int (*trust)(void *ctx, struct str pem, struct err *err);
	void *ctx;
};

int ignite_apply(struct node *n, struct arena *a, struct str text, const struct ignite_source *from,
		 struct err *err);

#endif
