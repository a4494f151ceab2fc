/*
 * forecast: what becomes of each pool when objects are applied to a cluster: its
 * new rendered config or why there is none, what its nodes do or why they refuse.
 *
 * Renders, checks and decides by the code of the controllers and of the daemon
 * (plan/render_sync, plan/update, mc/pool).
 */
#ifndef PLAN_FORECAST_H
#define PLAN_FORECAST_H

#include "mc/load.h"
#include "plan/preview.h"
#include "plan/update.h"

/* The cluster before and after, with what its controllers generate. */
struct forecast_in {
	const struct mc_set *before, *after;
	const struct preview_refusals *refused; /* objects of after; or NULL */
	struct str raw, hash; /* the version to render as */
	bool adopt; /* or rather that of the sets, where they tell */
	struct arena *keep; /* as long-lived as the sets: see plan/render.h */
};

/* How many nodes a pool has, and how many of them are updated at a time. */
struct forecast_nodes {
	bool known; /* there are Nodes to count */
	size_t n;
	int64_t max; /* at a time; 0: not known, or max_error says why */
	struct str max_error; /* no node is updated: a bad maxUnavailable */
	bool paused;
	/* Nodes that do not have the config that their pool has now, and the one
	 * that they have; "" where they have several. */
	size_t n_behind;
	struct str behind;
	bool not_arm; /* one of them is no aarch64 machine */
};

struct forecast {
	struct str pool;
	bool is_new, removed; /* only one side has the pool */
	/* Where its nodes come from then, or go to, and the config they have
	 * there; "" where that cannot be told. */
	struct str partner, partner_name;
	/* The MachineOSConfig by which the pool is layered, or "": an image is built
	 * before its nodes are updated, and they reboot into it. */
	struct str layered;
	/* Rendered names. to is what it would be where a check refuses it; "" where
	 * there is none. */
	struct str from_name, to_name;
	const struct mc_merged *from, *to; /* NULL: could not be rendered */
	const struct update_plan *plan; /* of a node from from to to; or NULL */
	/* The pool cannot be rendered: the message of RenderDegraded. */
	struct str render_error;
	struct str culprit; /* "MachineConfig x (file)", or "" */
	bool selects_all; /* the controller leaves it alone, without a condition */
	bool failed_before; /* nor could it be before, for the same reason */
	/* The pool is not rendered before an object that is refused is mended:
	 * which, and why. */
	struct str waits;
	struct str keeps; /* the config its nodes stay with then, or "" */
	/* Running nodes refuse the config: why. */
	struct str refused;
	bool refused_late; /* only after they have been drained */
	bool irreconcilable; /* because no running node can follow */
	struct forecast_nodes nodes;
};

/*
 * The forecast for one pool, which at least one side has. False when nothing
 * changes for it; out is filled in all the same.
 */
bool plan_forecast(struct arena *a, const struct forecast_in *in, struct str pool,
		   struct forecast *out);

#define ASSUMED_POLICIES                                             \
	"no MachineConfiguration: node disruption policies are the " \
	"defaults"

/*
 * What a forecast for the set takes for granted because the set has no object that
 * says it: "no MachineConfiguration: …". Of what configs are generated from only
 * what those of the change need counts.
 */
void forecast_assumptions(struct arena *a, const struct mc_set *set, const struct mc_set *change,
			  struct strs *out);

/* What a node does about it: nothing where it cannot be rendered or is refused. */
bool forecast_drains(const struct forecast *f);
bool forecast_reboots(const struct forecast *f);

#endif
