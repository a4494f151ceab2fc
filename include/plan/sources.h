/*
 * sources: which MachineConfigs a config that is already rendered came from.
 */
#ifndef PLAN_SOURCES_H
#define PLAN_SOURCES_H

#include "mc/load.h"

struct rendered_from {
	const struct mcp *pool; /* whose config it is or was; or NULL */
	struct mc_list mcs; /* in the order they are merged */
	struct strs missing; /* names that the set does not have */
};

/*
 * By the list that the pool keeps with its current and its target config; of an
 * older one by what the pool selects now. mc alone when it is no rendered config.
 * They may have been edited since.
 */
void plan_sources(struct arena *a, const struct mc_set *set, struct mc *mc,
		  struct rendered_from *out);

/* The config that the pool was given last (spec.configuration), or else the one its
 * nodes have (status.configuration); NULL when the set has neither. */
struct mc *plan_last_good(const struct mc_set *set, const struct mcp *pool);

#endif
