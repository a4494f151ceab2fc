/*
 * made_by: the version of upstream that wrote the objects of a cluster.
 */
#ifndef MC_MADE_BY_H
#define MC_MADE_BY_H

#include "mc/load.h"

struct made_by {
	struct str raw; /* of the ControllerConfig; n 0: unknown */
	struct str hash; /* of the MachineConfigs; n 0: unknown */
};

/*
 * cc and pools may be NULL. The hash is that of the MachineConfigs generated from templates, which
 * a new version writes first; else that of the current config of a pool; else that of any other
 * MachineConfig: rendered configs of older versions stay in a cluster, so they come last.
 */
struct made_by made_by(const struct mc_controller_config *cc, const struct mc_list *mcs,
		       const struct mcp_list *pools);

#endif
