/*
 * lint: what is wrong with MachineConfigs, with the place of each finding; and
 * what upstream accepts and people later regret.
 */
#ifndef MC_LINT_H
#define MC_LINT_H

#include "mc/load.h"

struct mc_finding {
	bool error; /* else a warning */
	struct str file;
	size_t line, col; /* 0 when it is about no place in particular */
	struct str object; /* "MachineConfig 10-a" */
	struct str path; /* "spec.config.storage.files.0.mode", or "" */
	struct str message;
};

struct mc_findings {
	struct mc_finding *v;
	size_t n, cap;
};

/* Every rule on one MachineConfig. */
void mc_lint(struct arena *a, struct mc *mc, struct mc_findings *out);

/* What shows only among all of a set: names that are there twice. */
void mc_lint_set(struct arena *a, const struct mc_set *set,
		 struct mc_findings *out);

/* What shows only among those that one pool merges (in merge order): paths that
 * several set, and how near to etcd's limit the result of size bytes is. */
void mc_lint_pool(struct arena *a, struct str pool, const struct mcs *sources,
		  size_t size, struct mc_findings *out);

#endif
