/*
 * op_status: what the files of the ClusterOperator's status share.
 */
#ifndef PLAN_OPERATOR_OP_STATUS_H
#define PLAN_OPERATOR_OP_STATUS_H

#include "plan/operator_status.h"

#define OP_PROGRESSING S("Progressing")
#define OP_DEGRADED S("Degraded")

/* This release's versions. */
struct json *op_versions(struct arena *a, const struct operator_view *in);
/* The list has exactly these, in any order. */
bool op_versions_ours(const struct operator_view *in, const struct json *list);
/* As Go prints the list. */
struct str op_versions_text(struct arena *a, const struct json *list);

/* The status of a new object. */
struct json *op_status_first(struct arena *a, const struct operator_view *in);

#endif
