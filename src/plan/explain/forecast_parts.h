/*
 * The parts of forecast: which nodes a pool has.
 */
#ifndef PLAN_FORECAST_PARTS_H
#define PLAN_FORECAST_PARTS_H

#include "plan/forecast.h"

/* The nodes of one of the set's pools. */
void forecast_count(struct arena *a, const struct mc_set *set, struct str pool,
		    struct forecast_nodes *out);

/* The pool of there that has the nodes which pool has here; "" when it has none, or
 * they are in several. */
struct str forecast_partner(struct arena *a, const struct mc_set *here, struct str pool,
			    const struct mc_set *there);

#endif
