/*
 * api_health: whether a machine's own API server is up, from the results of health checks.
 *
 * The thresholds fit the load balancers of the clouds: a machine must stop routing to itself just
 * after the balancer has removed it, and start before the balancer adds it.
 */
#ifndef PLAN_API_HEALTH_H
#define PLAN_API_HEALTH_H

#include <stdbool.h>

enum api_health_state { API_HEALTH_UNKNOWN, API_HEALTH_DOWN, API_HEALTH_UP };

/* All zero at the start. */
struct api_health {
	enum api_health_state state;
	unsigned failed; /* checks in a row */
};

/* Takes the result of a check. One success is up, eight failures in a row are down. True when the
 * state has changed. */
bool api_health_note(struct api_health *h, bool ok);

#endif
