/*
 * gates: the feature gates of one release, from FeatureGate "cluster".
 */
#ifndef MC_GATES_H
#define MC_GATES_H

#include "data/json.h"
#include "base/vec.h"

struct mc_gates {
	struct strs enabled, disabled;
};

/*
 * The gates that status.featureGates has for version. ERR_INVALID with upstream's text when it has
 * no entry for it.
 */
int mc_gates_read(struct arena *a, const struct json *feature_gate, struct str version,
		  struct mc_gates *out, struct err *err);

/* A build without a release version uses the cluster's gates. */
#define MC_GATES_SNAPSHOT "0.0.1-snapshot"
struct str mc_gates_release(struct str release, const struct json *cluster_version);

/* A gate that is in neither list is off. */
bool mc_gate(const struct mc_gates *g, const char *name);

#endif
