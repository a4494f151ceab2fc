/*
 * sources: the MachineConfigs that an existing rendered config was made from.
 */
#ifndef PLAN_SOURCES_H
#define PLAN_SOURCES_H

#include "mc/load.h"

struct rendered_from {
	const struct mcp *pool; /* the pool that has or had the config; or NULL */
	struct mc_list mcs; /* in merge order */
	struct strs missing; /* names that the set lacks */
};

/*
 * From the list that the pool keeps with its current and its target config; for older
 * configs from what the pool selects now. mc itself when it is not a rendered config. The
 * sources may have been edited since.
 */
void plan_sources(struct arena *a, const struct mc_set *set, struct mc *mc,
		  struct rendered_from *out);

/* The pool's target config (spec.configuration), else the config of its nodes
 * (status.configuration); NULL when the set has neither. */
struct mc *plan_last_good(const struct mc_set *set, const struct mcp *pool);

#endif
