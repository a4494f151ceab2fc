/*
 * render: which MachineConfigs make up a pool's config, and what comes of them.
 *
 * The same call serves mcoctl, the bootstrap run and the controller.
 */
#ifndef PLAN_RENDER_H
#define PLAN_RENDER_H

#include "mc/load.h"

struct render_in {
	struct str raw, hash; /* the version this program stands for */
	/* May be NULL offline: no images and no release then, and no check. */
	const struct mc_controller_config *controller_config;
	const struct mcp *pool;
	const struct mc_list *mcs; /* all there are, in the order they were loaded */
	/* Where configs are parsed into, once for all pools: as long-lived as
	 * mcs. NULL: the arena of the call. */
	struct arena *keep;
};

struct rendered {
	struct str name;
	struct json *object; /* the MachineConfig, ready to be written */
	struct mc_merged merged;
	struct mc_list sources; /* in the order they were merged */
	bool os_overridden;
};

/*
 * Renders a pool. ERR_INVALID with upstream's text; *culprit (may be NULL) is
 * then the MachineConfig that is to blame, or NULL when it is none alone.
 */
int plan_render(struct arena *a, const struct render_in *in, struct rendered *out,
		const struct mc **culprit, struct err *err);

/*
 * For a set read offline: which version the cluster it came from runs (raw and
 * hash are replaced where the set tells), and which OS images are its defaults
 * when it has no ControllerConfig but the pool's current config.
 */
void plan_render_adopt(struct arena *a, const struct mc_set *set, struct render_in *in);

/* Those of mcs that the pool selects, in their order. */
int plan_render_select(struct arena *a, const struct mcp *pool, const struct mc_list *mcs,
		       struct mc_list *out, struct err *err);

#endif
