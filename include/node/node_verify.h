/*
 * verify: a node's disk beside the config it should have.
 */
#ifndef NODE_VERIFY_H
#define NODE_VERIFY_H

#include "node/node.h"
#include "plan/verify.h"

struct mismatch {
	const char *kind; /* "file", "unit", "OS image", "kernel arguments" */
	struct str path;
	struct str text; /* upstream's words */
	bool contents; /* want and have differ, and may be shown */
	struct str want, have;
	int64_t want_mode, have_mode;
};

struct mismatches {
	struct mismatch *v;
	size_t n, cap;
};

struct verify_opts {
	bool files_only; /* as the drift monitor looks: no OS, no kargs */
	bool first_only; /* stop at the first, as upstream does */
	/* A unit that should be enabled and is not, which upstream never sees:
	 * any; or those alone that a drift has seen enabled. */
	bool strict;
	const struct map *enabled;
};

/*
 * Everything that is not as it should be, in upstream's order. ERR_INVALID for
 * a config that cannot be verified, ERR_SYS when the node cannot be asked.
 */
int node_verify(struct node *n, struct arena *a, const struct mc_current *c, struct str image,
		const struct verify_opts *o, struct mismatches *out, struct err *err);

#endif
