/*
 * op_rollout: applies a component's objects and waits until its workload runs.
 */
#ifndef PLAN_OP_ROLLOUT_H
#define PLAN_OP_ROLLOUT_H

#include "plan/operator.h"
#include "plan/operator_manifests.h"

/* The component's objects with the values of this sync. */
void operator_component_objects(struct arena *a, const struct operator_view *in,
				const struct operator_render *r, enum operator_component c,
				struct operator_objects *out);

/*
 * Applies objects[0..n), whose last one is the DaemonSet or Deployment. wrap precedes errors of the
 * others. Sets out->wait when nothing differs and the rollout is not complete. ERR_AGAIN when the
 * workload is being deleted.
 */
int operator_roll_out(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		      enum operator_step step, const char *wrap,
		      const struct operator_objects *objects, struct operator_result *out,
		      struct err *err);

/* Begins a wait of a step for a change. The time since when it waits starts again when the change
 * is another one. */
void operator_wait_for(struct operator_memory *m, enum operator_step step, int64_t change);

#endif
