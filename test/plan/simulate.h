/*
 * simulate: a virtual cluster with a virtual clock, run by the same plan_*
 * functions that the controllers use.
 *
 * Nodes have agents that do what the daemon does: drain, apply, reboot,
 * uncordon. A pool is planned when a change concerns it (plan_knode_event,
 * trigger_mcn), like the controller's queue does. The same seed gives the same
 * run.
 */
#ifndef TEST_PLAN_SIMULATE_H
#define TEST_PLAN_SIMULATE_H

#include "plan/rollout/drain_parts.h"
#include "plan/pool.h"

enum sim_agent { SIM_IDLE, SIM_DRAINING, SIM_REBOOTING, SIM_UNCORDONING };

struct sim_pod {
	struct mc_pod pod;
	int64_t blocked_until; /* a disruption budget refuses eviction until then, ms */
	int64_t leaves_at; /* 0: it does not leave */
};

struct sim_node {
	struct arena a; /* of tree and view; replaced at every change */
	struct json *tree;
	struct knode view;
	struct arena mcn_a;
	struct json *mcn_tree; /* NULL: none */
	struct mcn mcn;
	struct drain drain;
	int64_t drain_due;
	enum sim_agent agent;
	int64_t due; /* when the agent acts, ms; 0: it waits for others */
	int failures; /* how often it fails before it succeeds */
	struct sim_pod *pods;
	size_t n_pods, cap_pods;
};

struct sim {
	struct arena a;
	struct instant now;
	uint64_t seed;
	int64_t apply_ms, reboot_ms, pod_ms; /* durations */
	unsigned crash; /* one in this many actions crashes the controller; 0: never */
	unsigned long crashes_left;
	struct sim_node *nodes;
	size_t n_nodes;
	struct json **pool_trees;
	struct arena *pool_arenas;
	struct mcp_list pools;
	bool *queued; /* pools to plan, as the queue has them */
	struct map mcns, configs;
	struct json *controller_config;
	unsigned long version, actions, crashes;
	/* Called before every action; may be NULL. by is the pool whose plan the
	 * action is from, or NULL for drains. */
	void (*watch)(void *ctx, struct sim *s, const struct mcp *by, const struct action *act);
	void *ctx;
	struct str fault; /* an impossible state, for tests */
};

void sim_init(struct sim *s, uint64_t seed, struct instant now);
void sim_free(struct sim *s);

/* These copy their arguments. Nodes are added n at once. */
void sim_nodes(struct sim *s, const struct json *const *trees, size_t n);
void sim_pool(struct sim *s, const struct json *tree);
void sim_config(struct sim *s, struct str name);
void sim_pod(struct sim *s, size_t node, struct str name, int64_t blocked_until);

/* Changes an object by a merge patch, like a user. */
void sim_patch_pool(struct sim *s, struct str name, const char *patch);
void sim_patch_node(struct sim *s, size_t node, const char *patch);

/* Advances to the next due event, at most to ms; false when nothing is due before that. */
bool sim_step(struct sim *s, int64_t ms);

/* Every pool is Updated, and no plan is queued. */
bool sim_settled(struct sim *s);

#endif
