/*
 * op_merge: the live object with the desired changes.
 */
#ifndef PLAN_OP_MERGE_H
#define PLAN_OP_MERGE_H

#include "plan/operator.h"

/*
 * Returns live itself when nothing differs, a changed copy, or NULL when the change needs a new
 * object. The rules are in op_apply.h.
 */
const struct json *operator_merge(struct arena *a, enum operator_kind kind, const struct json *live,
				  const struct json *desired);

#endif
