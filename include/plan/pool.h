/*
 * pool: the update controller: which nodes of a pool are updated now, and the pool's
 * status.
 *
 * Pure: the same view gives the same plan, and no state is kept between plans. Sorting
 * the candidates is the most expensive part.
 */
#ifndef PLAN_POOL_H
#define PLAN_POOL_H

#include "base/map.h"
#include "mc/mcn.h"
#include "mc/mcp.h"
#include "plan/action.h"

/* What the pool controller keeps of a MachineConfig. */
struct pool_config {
	struct str owner; /* name in the first ownerReference, or "" */
	struct str os_image;
};

struct pool_view {
	struct instant now;
	const struct mcp *pool;
	const struct mcp_list *pools; /* all */
	/* The nodes whose primary pool it is (mcp_of_node), in any order. */
	const struct knode *const *nodes;
	size_t n_nodes;
	const struct map *mcns; /* struct mcn by name; NULL: none exist */
	const struct map *configs; /* struct pool_config by name */
	const struct json *controller_config; /* NULL: does not exist yet */
	/* Every MachineOSConfig and MachineOSBuild. */
	const struct os_config *os_configs;
	size_t n_os_configs;
	const struct os_build *os_builds;
	size_t n_os_builds;
	struct str no_build; /* a build that the API server does not have; or "" */
	struct str operator_node; /* the node that runs the only operator pod; or "" */
	const struct json *os_image_stream; /* OSImageStream cluster, or NULL */
	bool image_mode, os_streams; /* feature gates */
	bool fresh_metrics; /* first plan after the start: set every gauge */
};

/* Tag of the GET for an unknown MachineOSBuild: after a 404 plan the pool again with the
 * name as no_build. */
#define POOL_TAG_BUILD 1u

/*
 * ERR_AGAIN, ERR_INVALID: the actions in out are valid in any case. A failed image build
 * and an invalid maxUnavailable are such errors.
 */
int plan_pool(struct arena *a, const struct pool_view *in, struct actions *out, struct err *err);

/* The MachineOSConfig and MachineOSBuild of a layered pool. */
struct pool_layers {
	const struct os_config *config; /* NULL: none */
	const struct os_build *build;
	bool stale; /* the config's annotation names an obsolete build */
	bool unknown; /* or an unknown one */
};
struct pool_layers pool_layers(const struct pool_view *in);

/* Counts and conditions (pool_status.c): adds the write, its events and the gauges when
 * they differ. */
void pool_status(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		 struct actions *out);

/* True when the node has the pool's config, or is being updated to it. */
bool pool_node_targeted(const struct pool_view *in, const struct pool_layers *l,
			const struct knode *n);

struct action_event pool_event(const struct mcp *pool, struct str reason);

/* ---- node events (plan/rollout/knode_event.c) ---------------------------- */

struct knode_event_view {
	const struct mcp_list *pools;
	const struct knode *old, *new; /* NULL: added, deleted */
	/* spec.mastersSchedulable of Scheduler cluster; has_scheduler is false when that
	 * does not exist. */
	bool has_scheduler, masters_schedulable;
};

/* Appends the pools to plan to *queue, each once; labels and taints of masters, events
 * and gauges to *out. */
void plan_knode_event(struct arena *a, const struct knode_event_view *in, struct mcp_list *queue,
		      struct actions *out);

/* Plans labels and taints of one master; call it for every master when the Scheduler
 * changes (deleted: masters_schedulable false). */
void plan_master(struct arena *a, const struct knode *n, bool has_scheduler,
		 bool masters_schedulable, struct actions *out);

/* Sets mcc_boot_image_skew_enforcement_none, from MachineConfiguration cluster (NULL:
 * deleted) and Infrastructure cluster. */
void plan_skew_metric(struct arena *a, const struct json *configuration,
		      const struct json *infrastructure, struct actions *out);

/* Patches spec.taints of n to lack (or have) one; nothing when it is so already. True
 * when it added to out. */
struct knode_taint {
	struct str key, effect;
};
bool knode_set_taint(struct arena *a, const struct knode *n, struct knode_taint t, bool want,
		     struct str reason, struct actions *out);

#endif
