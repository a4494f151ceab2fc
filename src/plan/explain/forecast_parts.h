/*
 * Private to plan/forecast: the nodes of a pool.
 */
#ifndef PLAN_FORECAST_PARTS_H
#define PLAN_FORECAST_PARTS_H

#include "plan/forecast.h"

/* The nodes of one of the set's pools. */
void forecast_count(struct arena *a, const struct mc_set *set, struct str pool,
		    struct forecast_nodes *out);

/* The pool of there that has the nodes of pool here; "" when they have none, or are in several. */
struct str forecast_partner(struct arena *a, const struct mc_set *here, struct str pool,
			    const struct mc_set *there);

#endif
