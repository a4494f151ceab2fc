/*
 * render_set: configs of a loaded set of objects, for commands.
 */
#ifndef PLAN_RENDER_SET_H
#define PLAN_RENDER_SET_H

#include "plan/render.h"

struct render_version {
	struct str raw, hash; /* this build's */
	bool adopt; /* use the version that made the set's objects instead */
};

/*
 * Renders one pool. The result is in a; what other pools parse as well stays in
 * keep. Errors name the pool and the MachineConfig at fault.
 */
int plan_render_set(struct arena *a, const struct render_version *v, const struct mc_set *set,
		    const struct mcp *pool, struct arena *keep, struct rendered *out,
		    struct err *err);

struct named_config {
	struct str name;
	struct ign_obj *ignition;
	struct mc_merged spec;
	struct mc_list sources; /* what it was rendered from; none otherwise */
};

/* The config of one MachineConfig; sources stays empty. */
int named_config_mc(struct arena *a, struct mc *mc, struct named_config *out, struct err *err);

#endif
