/*
 * pool: the update controller. Which nodes of a pool move now, and what its
 * status says.
 *
 * Pure: the same view gives the same plan, and nothing is remembered between
 * two. Sorting the candidates is the costliest part.
 */
#ifndef PLAN_POOL_H
#define PLAN_POOL_H

#include "base/map.h"
#include "mc/mcn.h"
#include "mc/mcp.h"
#include "plan/action.h"

/* What a pool's controller knows of a MachineConfig, by name. */
struct pool_config {
	struct str owner; /* name in its first ownerReference, or "" */
	struct str os_image;
};

struct pool_view {
	struct instant now;
	const struct mcp *pool;
	const struct mcp_list *pools; /* all */
	/* The nodes whose first pool it is (mcp_of_node), in any order. */
	const struct knode *const *nodes;
	size_t n_nodes;
	const struct map *mcns; /* by name: struct mcn; NULL: none at all */
	const struct map *configs; /* by name: struct pool_config */
	const struct json *controller_config; /* NULL: not there yet */
	/* Every MachineOSConfig and MachineOSBuild. */
	const struct os_config *os_configs;
	size_t n_os_configs;
	const struct os_build *os_builds;
	size_t n_os_builds;
	struct str no_build; /* one that the server says it has not; or "" */
	struct str operator_node; /* runs the only operator pod; or "" */
	const struct json *os_image_stream; /* OSImageStream cluster, or NULL */
	bool image_mode, os_streams; /* gates */
	bool fresh_metrics; /* first plan since the start: set every gauge */
};

/* The GET of a MachineOSBuild that is not known: where there is none the pool is
 * to be planned again with it as no_build. */
#define POOL_TAG_BUILD 1u

/*
 * ERR_AGAIN, ERR_INVALID: what is in out is to be done all the same. An image
 * build that failed and a bad maxUnavailable are such.
 */
int plan_pool(struct arena *a, const struct pool_view *in, struct actions *out, struct err *err);

/* The MachineOSConfig and MachineOSBuild a pool is layered by. */
struct pool_layers {
	const struct os_config *config; /* NULL: none */
	const struct os_build *build;
	bool stale; /* the config's annotation names a build of no use */
	bool unknown; /* or one that nothing is known of */
};
struct pool_layers pool_layers(const struct pool_view *in);

/* Counts and conditions (plan/pool_status.c): adds the write, its events and
 * the gauges when something differs. */
void pool_status(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		 struct actions *out);

/* Whether the node has, or is on its way to, what the pool wants. */
bool pool_node_targeted(const struct pool_view *in, const struct pool_layers *l,
			const struct knode *n);

struct action_event pool_event(const struct mcp *pool, struct str reason);

/* ---- node events (plan/rollout/knode_event.c) ------------------------------------- */

struct knode_event_view {
	const struct mcp_list *pools;
	const struct knode *old, *new; /* NULL: added, deleted */
	/* Scheduler cluster's spec.mastersSchedulable; has_scheduler false when
	 * there is no such object. */
	bool has_scheduler, masters_schedulable;
};

/* Pools to be planned because of it go to *queue, each once; masters' labels
 * and taints, events and gauges to *out. */
void plan_knode_event(struct arena *a, const struct knode_event_view *in, struct mcp_list *queue,
		      struct actions *out);

/* Labels and taints of one master; also for every master when the Scheduler
 * changes (deleted: masters_schedulable false). */
void plan_master(struct arena *a, const struct knode *n, bool has_scheduler,
		 bool masters_schedulable, struct actions *out);

/* mcc_boot_image_skew_enforcement_none, from MachineConfiguration cluster (NULL:
 * deleted) and Infrastructure cluster. */
void plan_skew_metric(struct arena *a, const struct json *configuration,
		      const struct json *infrastructure, struct actions *out);

/* spec.taints of n without (or with) one, as a patch; nothing when it is so
 * already. True when something was added to out. */
struct knode_taint {
	struct str key, effect;
};
bool node_set_taint(struct arena *a, const struct knode *n, struct knode_taint t, bool want,
		    struct str reason, struct actions *out);

#endif
