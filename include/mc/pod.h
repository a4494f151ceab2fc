/*
 * pod: the fields of a pod that a drain needs.
 */
#ifndef MC_POD_H
#define MC_POD_H

#include "data/json.h"

struct mc_pod {
	struct str ns, name, uid;
	struct str daemonset; /* the controlling DaemonSet's name, or "" */
	bool mirror; /* of a static pod */
	bool finished; /* Succeeded or Failed */
	bool deleting;
};

/* The strings of *out are views of tree. */
void pod_decode(const struct json *tree, struct mc_pod *out);

/* A copy with its strings in a. */
struct mc_pod pod_copy(struct arena *a, const struct mc_pod *p);

#endif
