/*
 * op_sync: a pass over a table of steps, so that tests can bring their own.
 */
#ifndef PLAN_OP_SYNC_H
#define PLAN_OP_SYNC_H

#include "plan/operator.h"

typedef int operator_step_run(struct arena *a, const struct operator_view *in,
			      struct operator_memory *m, struct operator_render *r,
			      struct operator_result *out, struct err *err);

/* operator_pass with other steps; a step that is NULL is left out. */
int operator_pass_over(operator_step_run *const steps[OPERATOR_STEPS], struct arena *a,
		       const struct operator_view *in, struct operator_memory *m,
		       struct operator_result *out, struct err *err);

#endif
