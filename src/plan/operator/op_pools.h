/*
 * op_pools: the pools of the view, decoded, and parts of the step MachineConfigPools.
 */
#ifndef PLAN_OPERATOR_OP_POOLS_H
#define PLAN_OPERATOR_OP_POOLS_H

#include "mc/mcp.h"
#include "plan/operator.h"

/* A pool whose node selector is invalid matches no nodes. */
struct mcp_list op_pools(struct arena *a, const struct operator_view *in);

/* MachineConfigs of pools that were installed with a pre-built image. The writes may fail
 * (ACTION_LATER). */
void op_prebuilt(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		 struct operator_result *out);

/* <pool>-user-data-managed of every pool. */
int op_user_data(struct arena *a, const struct operator_view *in, const struct operator_render *r,
		 const struct mcp_list *pools, struct actions *out, struct err *err);

/* Makes a pool the owner of a new object. */
void op_own(struct arena *a, struct json *object, const struct mcp *pool);

#endif
