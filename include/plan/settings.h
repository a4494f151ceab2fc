/*
 * settings: the status of MachineConfiguration "cluster" while no operator runs.
 *
 * The operator writes which disruption policies count into that status, and nodes
 * do not update before it has seen the last change. Where no operator has held its
 * lease for some minutes, the controller writes what the operator would.
 */
#ifndef PLAN_SETTINGS_H
#define PLAN_SETTINGS_H

#include "plan/action.h"

#define SETTINGS_OPERATOR_LEASE "machine-config"
#define SETTINGS_WAIT_MS 300000

struct settings_view {
	const struct json *settings; /* the object, or NULL */
	const struct json *lease; /* the operator's, or NULL: there is none */
	int64_t idle_ms; /* for so long the lease has been seen unchanged */
	int64_t wait_ms; /* SETTINGS_WAIT_MS, but for tests */
};

/* Whether an operator has not yet seen the last change of the object. */
bool settings_stale(const struct json *settings);

/* Writes the status, or asks to be planned again while an operator may do it. */
void plan_settings(struct arena *a, const struct settings_view *in, struct actions *out);

#endif
