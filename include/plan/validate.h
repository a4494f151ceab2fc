/*
 * validate: every finding about manifests, alone or as a change of a cluster.
 */
#ifndef PLAN_VALIDATE_H
#define PLAN_VALIDATE_H

#include "mc/lint.h"

struct validate_in {
	const struct mc_set *given; /* the manifests, loaded with a review */
	const struct mc_set *base; /* what the cluster has; NULL: unknown */
	struct str raw, hash; /* this build's version */
	bool adopt; /* use the version that made the cluster's objects instead */
	bool adopt_hash; /* use only the hash of that version */
};

struct validate_out {
	struct mc_findings list; /* sorted by place */
	struct strs notes; /* effects that could not be determined */
};

/* Findings are about given only. */
void plan_validate(struct arena *a, const struct validate_in *in, struct validate_out *out);

#endif
