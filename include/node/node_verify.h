/*
 * node_verify: compares a node's disk with its config.
 */
#ifndef NODE_VERIFY_H
#define NODE_VERIFY_H

#include "node/node.h"
#include "plan/verify.h"

struct mismatch {
	const char *kind; /* "file", "unit", "OS image", "kernel arguments" */
	struct str path;
	struct str text; /* upstream's text */
	bool contents; /* want and have differ and can be shown */
	struct str want, have;
	int64_t want_mode, have_mode;
};

struct mismatches {
	struct mismatch *v;
	size_t n, cap;
};

struct verify_opts {
	bool files_only; /* without OS and kernel arguments, as the drift monitor does */
	bool first_only; /* stop at the first mismatch, as upstream does */
	/* Also report units that should be enabled and are not, which upstream does not do: all of
	 * them (strict), or those that a drift has seen enabled. */
	bool strict;
	const struct map *enabled;
};

/*
 * All mismatches, in upstream's order. ERR_INVALID for a config that cannot be verified, ERR_SYS
 * when the node cannot be read.
 */
int node_verify(struct node *n, struct arena *a, const struct mc_current *c, struct str image,
		const struct verify_opts *o, struct mismatches *out, struct err *err);

#endif
