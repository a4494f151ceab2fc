/*
 * render: selects and merges the MachineConfigs of a pool.
 *
 * mcoctl, bootstrap and the controller make the same call.
 */
#ifndef PLAN_RENDER_H
#define PLAN_RENDER_H

#include "mc/load.h"

struct render_in {
	struct str raw, hash; /* this build's version */
	/* May be NULL offline: then there are no default images, no release and no check. */
	const struct mc_controller_config *controller_config;
	const struct mcp *pool;
	const struct mc_list *mcs; /* all MachineConfigs, in the order of loading */
	/* Arena for parsed configs, shared by all pools: must live as long as mcs. NULL:
	 * the arena of the call. */
	struct arena *keep;
};

struct rendered {
	struct str name;
	struct json *object; /* the MachineConfig, ready to be written */
	struct mc_merged merged;
	struct mc_list sources; /* in merge order */
	bool os_overridden;
};

/*
 * Renders a pool. ERR_INVALID with upstream's text; *culprit (may be NULL) is then the
 * MachineConfig at fault, or NULL when no single one is.
 */
int plan_render(struct arena *a, const struct render_in *in, struct rendered *out,
		const struct mc **culprit, struct err *err);

/*
 * For a set that was read offline: sets raw and hash to the version of the cluster, where
 * the set has it, and without a ControllerConfig takes the default OS images from the
 * pool's current config.
 */
void plan_render_adopt(struct arena *a, const struct mc_set *set, struct render_in *in);

/* The MachineConfigs that the pool selects, in the order of mcs. */
int plan_render_select(struct arena *a, const struct mcp *pool, const struct mc_list *mcs,
		       struct mc_list *out, struct err *err);

#endif
