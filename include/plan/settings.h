/*
 * settings: the status of MachineConfiguration "cluster" while no operator runs.
 *
 * The operator writes the disruption policies in force into that status, and nodes do not
 * update before it has observed the last change. The controller writes them when no operator
 * leads: its lease does not exist or was renewed more than five minutes ago.
 */
#ifndef PLAN_SETTINGS_H
#define PLAN_SETTINGS_H

#include "plan/action.h"

#define SETTINGS_OPERATOR_LEASE "machine-config"
#define SETTINGS_WAIT_MS 300000

struct settings_view {
	const struct json *settings; /* the object, or NULL */
	const struct json *lease; /* the operator's lease; NULL: there is none */
	struct instant now;
	/* How long the lease was seen unchanged: decides when its time cannot, because it has none
	 * or the clocks differ. */
	int64_t idle_ms;
	int64_t wait_ms; /* SETTINGS_WAIT_MS, except in tests */
};

/* A copy of the object whose status has the disruption policies in force and the generation. */
struct json *settings_next(struct arena *a, const struct json *settings);

/* True when the operator has not observed the last change of the object. */
bool settings_stale(const struct json *settings);

/* Writes the status, or requeues while an operator may still do it. */
void plan_settings(struct arena *a, const struct settings_view *in, struct actions *out);

#endif
