/*
 * render_sync: the render controller. Keeps a pool's rendered config, and reports
 * failures in the pool's status.
 *
 * Rendered configs are created and never deleted: a node may be on its way to any of
 * them. A paused pool is rendered like any other.
 */
#ifndef PLAN_RENDER_SYNC_H
#define PLAN_RENDER_SYNC_H

#include "plan/action.h"
#include "plan/render.h"

struct json_list {
	const struct json **v;
	size_t n, cap;
};

struct render_view {
	struct instant now;
	struct str raw, hash; /* this build's version */
	const struct mcp *pool;
	const struct mc_list *mcs; /* every MachineConfig */
	const struct mc_controller_config *controller_config; /* or NULL */
	struct json_list kubelet_configs, runtime_configs; /* every one */
	/* MachineConfiguration cluster, with gate IrreconcilableMachineConfig;
	 * else NULL. */
	const struct json *configuration;
	bool os_streams; /* gate OSStreams */
	const struct json *os_image_stream; /* OSImageStream cluster, or NULL */
	struct str worker_stream; /* the worker pool's osImageStream.name */
	/*
	 * Of mcs that are brief (mc/brief.h): those that were read whole for this plan,
	 * and the names of those the plan lacks. When it adds to wanted, it returns
	 * ERR_AGAIN and out is to be discarded. NULL where no config is brief.
	 */
	const struct mc_list *whole;
	struct strs *wanted;
	/* As in struct render_in: NULL in a controller, whose MachineConfigs are a
	 * cache's. */
	struct arena *keep;
};

/*
 * ERR_AGAIN: waits for another controller, or the pool cannot be rendered (its condition
 * then says why). The actions in out are valid in any case.
 */
int plan_render_sync(struct arena *a, const struct render_view *in, struct actions *out,
		     struct err *err);

/*
 * Renders the pool with all checks of the controller, without waiting for other
 * controllers. On ERR_* out has name and parts only if rendering succeeded and a check
 * failed; *culprit (may be NULL) is as in plan_render.
 */
int render_target(struct arena *a, const struct render_view *in, struct rendered *out,
		  const struct mc **culprit, struct err *err);

/*
 * The view of a set's objects that rendering the pool needs. Objects of features that are
 * off are ignored.
 */
void render_view_of(struct arena *a, const struct mc_set *set, const struct render_in *version,
		    struct render_view *out);

/* Replaces the images of c by those of the pool's stream, where streams are on. ERR_AGAIN
 * in upstream's words. */
int render_use_stream(const struct render_view *in, struct mc_controller_config *c,
		      struct err *err);

/* The message of RenderDegraded: "Failed to render configuration for pool …". */
struct str render_degraded(struct arena *a, const struct render_view *in, struct str why);

/* Writes into the pool's condition that a write of the plan failed: why is the error of
 * the action, with its prefix. */
void render_failed(struct arena *a, const struct mcp *pool, struct instant now, struct str why,
		   struct actions *out);

/* Adds the members of a pool's spec that upstream's type writes even when they are zero.
 * Otherwise upstream's next write would change the spec. */
void pool_add_zeros(struct arena *a, struct json *spec);

/* Sets a condition of a pool to False, or to True when failed has a reason. */
void pool_condition(struct arena *a, const struct json *pool, const char *type, struct instant now,
		    struct str failed, const char *why, struct actions *out);

/* ERR_AGAIN, in upstream's words, until the template controller has completed this
 * ControllerConfig (NULL: there is none). */
int controller_config_completed(struct arena *a, const struct json *tree, struct err *err);

#endif
