/* What the parts of plan/bootstrap know of each other. */
#ifndef PLAN_BOOTSTRAP_PARTS_H
#define PLAN_BOOTSTRAP_PARTS_H

#include "mc/load.h"
#include "plan/bootstrap.h"

/* An object that has been loaded, as Go writes one of type (MC_T_…). */
struct json *bootstrap_marshal(struct arena *a, uint16_t type, const struct json *object);

/* The .dockerconfigjson of a Secret's manifest. */
int bootstrap_pull_secret(struct arena *a, struct str text, struct str *out, struct err *err);

/* One pool of each name, by name: of several a user's rather than one as it is
 * built into the operator. */
void bootstrap_pools(struct arena *a, const struct mcp_list *all, struct mcp_list *out);

/* Appends what MachineOSConfigs with an image that is built already ask for. */
int bootstrap_prebuilt(struct arena *a, const struct mc_object_list *objects,
		       const struct mcp_list *pools, struct mc_list *out, struct err *err);

#endif
