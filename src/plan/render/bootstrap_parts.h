/* Private to plan/bootstrap. */
#ifndef PLAN_BOOTSTRAP_PARTS_H
#define PLAN_BOOTSTRAP_PARTS_H

#include "mc/load.h"
#include "plan/bootstrap.h"

/* A loaded object as Go writes one of type (MC_T_…). */
struct json *bootstrap_marshal(struct arena *a, uint16_t type, const struct json *object);

/* The .dockerconfigjson of a Secret's manifest. */
int bootstrap_pull_secret(struct arena *a, struct str text, struct str *out, struct err *err);

/* One pool of each name, sorted by name: a user's takes precedence over the operator's
 * own manifest. */
void bootstrap_pools(struct arena *a, const struct mcp_list *all, struct mcp_list *out);

/* Appends the MachineConfigs for MachineOSConfigs with an image that is already built. */
int bootstrap_prebuilt(struct arena *a, const struct mc_object_list *objects,
		       const struct mcp_list *pools, struct mc_list *out, struct err *err);

#endif
