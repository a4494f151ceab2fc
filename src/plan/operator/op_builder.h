/*
 * op_builder: parts of the step MachineOSBuilder.
 */
#ifndef PLAN_OPERATOR_OP_BUILDER_H
#define PLAN_OPERATOR_OP_BUILDER_H

#include "op_pools.h"

/* ERR_AGAIN when a layered pool has a Node that does not run a CoreOS. */
int op_builder_check_nodes(struct arena *a, const struct operator_view *in,
			   const struct mcp_list *pools, const struct mcp_list *layered,
			   struct err *err);

/* ERR_AGAIN when a layered pool has no MachineOSConfig, or that is not fit for builds. */
int op_builder_check_configs(struct arena *a, const struct operator_view *in,
			     const struct mcp_list *layered, struct err *err);

/* Copies of the cluster's entitlement and pull secret for the builds; none without layered pools.
 * ERR_AGAIN when there is no pull secret. */
int op_builder_secrets(struct arena *a, const struct operator_view *in,
		       const struct mcp_list *pools, const struct mcp_list *layered,
		       struct actions *out, struct err *err);

#endif
