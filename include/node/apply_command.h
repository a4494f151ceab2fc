/*
 * apply_command: what `mco-daemon apply` does on a node.
 */
#ifndef NODE_APPLY_COMMAND_H
#define NODE_APPLY_COMMAND_H

#include "node/node.h"

struct apply_opts {
	bool force; /* override every refusal, also a disk that differs */
	bool dry_run; /* read-only: print what would happen */
	bool secrets; /* with dry_run: show secret values */
};

/* Applies to, and adds what happened to out. All or nothing. */
int apply_command(struct node *n, struct arena *a, const struct mc_current *to,
		  const struct apply_opts *o, struct buf *out, struct err *err);

#endif
