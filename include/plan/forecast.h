/*
 * forecast: the effect on each pool when objects are applied to a cluster: the new
 * rendered config or the error, and what its nodes do or why they refuse.
 *
 * Uses the code of the controllers and of the daemon (plan/render_sync, plan/update,
 * mc/mcp).
 */
#ifndef PLAN_FORECAST_H
#define PLAN_FORECAST_H

#include "mc/load.h"
#include "plan/preview.h"
#include "plan/update.h"

/* The cluster before and after, including generated MachineConfigs. */
struct forecast_in {
	const struct mc_set *before, *after;
	const struct preview_refusals *refused; /* objects of after; or NULL */
	struct str raw, hash; /* the version to render as */
	bool adopt; /* use the version of the sets instead, where they have one */
	struct arena *keep; /* must live as long as the sets: see plan/render.h */
};

/* How many nodes a pool has, and how many of them are updated at a time. */
struct forecast_nodes {
	bool known; /* the set has Nodes to count */
	size_t n;
	int64_t max; /* at a time; 0: unknown, or max_error says why */
	struct str max_error; /* no node is updated: maxUnavailable is invalid */
	bool paused;
	/* Nodes whose config is not the pool's current one, and the config they have; ""
	 * when they have different ones. */
	size_t n_behind;
	struct str behind;
	bool not_arm; /* one of them is not an aarch64 machine */
};

struct forecast {
	struct str pool;
	bool is_new, removed; /* only one side has the pool */
	/* The pool that its nodes come from or move to, and the config they have there;
	 * "" when unknown. */
	struct str partner, partner_name;
	/* The MachineOSConfig of a layered pool, or "". Its nodes are updated, and
	 * reboot, only after an image was built. */
	struct str layered;
	/* Rendered names. to is also set when a check refuses the config; "" when there is none. */
	struct str from_name, to_name;
	const struct mc_merged *from, *to; /* NULL: rendering failed */
	const struct update_plan *plan; /* update of a node between the two; or NULL */
	/* Why the pool cannot be rendered: the message of RenderDegraded. */
	struct str render_error;
	struct str culprit; /* "MachineConfig x (file)", or "" */
	bool selects_all; /* the controller ignores it, without a condition */
	bool failed_before; /* rendering failed before the change with the same error */
	/* The pool is not rendered until a refused object is fixed: which, and why. */
	struct str waits;
	struct str keeps; /* the config its nodes keep meanwhile, or "" */
	/* Why running nodes refuse the config. */
	struct str refused;
	bool refused_late; /* only after the drain */
	bool irreconcilable; /* because no running node can apply it */
	struct forecast_nodes nodes;
};

/*
 * The forecast for a pool that at least one side has. False when nothing changes for it;
 * out is filled in regardless.
 */
bool plan_forecast(struct arena *a, const struct forecast_in *in, struct str pool,
		   struct forecast *out);

struct forecasts {
	const struct forecast **v;
	size_t n, cap;
};

struct forecast_pools {
	struct forecasts list; /* of pools that change, cannot be rendered, or wait */
	size_t differ; /* pools that change */
};

/*
 * The forecasts of the pools in names, or of all pools of either set if names is empty. caused: the
 * change makes controllers refuse objects; then list has pools that wait for these.
 *
 * ERR_NOTFOUND: neither set has the pool, which may be a typo. ERR_INVALID: no pool can be
 * rendered, and the change causes neither that nor a refusal.
 */
int plan_forecast_pools(struct arena *a, const struct forecast_in *in, const struct strs *names,
			bool caused, struct forecast_pools *out, struct err *err);

#define ASSUMED_POLICIES                                             \
	"no MachineConfiguration: node disruption policies are the " \
	"defaults"

/*
 * Assumptions that a forecast makes because the set lacks an object: "no
 * MachineConfiguration: …". Of the objects that configs are generated from, only those
 * that the change needs count.
 */
void forecast_assumptions(struct arena *a, const struct mc_set *set, const struct mc_set *change,
			  struct strs *out);

/* What a node does; nothing when the config cannot be rendered or is refused. */
bool forecast_drains(const struct forecast *f);
bool forecast_reboots(const struct forecast *f);

#endif
