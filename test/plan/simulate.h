/*
 * simulate: a virtual cluster with a virtual clock, run by the very plan_*
 * functions the controllers use.
 *
 * Nodes have agents that do what the daemon does: drain, apply, reboot,
 * uncordon. A pool is planned when a change concerns it (plan_knode_event,
 * trigger_mcn), as the controller's queue has it. The same seed gives the same
 * run.
 */
#ifndef TEST_PLAN_SIMULATE_H
#define TEST_PLAN_SIMULATE_H

#include "plan/drain.h"
#include "plan/pool.h"

enum sim_agent { SIM_IDLE, SIM_DRAINING, SIM_REBOOTING, SIM_UNCORDONING };

struct sim_pod {
	struct mc_pod pod;
	int64_t blocked_until; /* a disruption budget lets it go then, ms */
	int64_t leaves_at; /* 0: it stays */
};

struct sim_node {
	struct arena a; /* of tree and view; a new one at every change */
	struct json *tree;
	struct knode view;
	struct arena mcn_a;
	struct json *mcn_tree; /* NULL: none */
	struct mcn mcn;
	struct drain drain;
	int64_t drain_due;
	enum sim_agent agent;
	int64_t due; /* the agent acts then, ms; 0: it waits for others */
	int failures; /* how often it will fail before it succeeds */
	struct sim_pod *pods;
	size_t n_pods, cap_pods;
};

struct sim {
	struct arena a;
	struct instant now;
	uint64_t seed;
	int64_t apply_ms, reboot_ms, pod_ms; /* how long things take */
	unsigned crash; /* 1 in so many actions ends the controller; 0: none */
	unsigned long crashes_left;
	struct sim_node *nodes;
	size_t n_nodes;
	struct json **pool_trees;
	struct arena *pool_arenas;
	struct mcp_list pools;
	bool *queued; /* pools to be planned, by what was told to the queue */
	struct map mcns, configs;
	struct json *controller_config;
	unsigned long version, actions, crashes;
	/* Told of every action before it is done; may be NULL. by is the pool
	 * whose plan it is of, or NULL for drains. */
	void (*watch)(void *ctx, struct sim *s, const struct mcp *by, const struct action *act);
	void *ctx;
	struct str fault; /* something that cannot be, for tests */
};

void sim_init(struct sim *s, uint64_t seed, struct instant now);
void sim_free(struct sim *s);

/* These copy what they are given. Nodes are n at once. */
void sim_nodes(struct sim *s, const struct json *const *trees, size_t n);
void sim_pool(struct sim *s, const struct json *tree);
void sim_config(struct sim *s, struct str name);
void sim_pod(struct sim *s, size_t node, struct str name, int64_t blocked_until);

/* Changes an object by a merge patch, as a user would. */
void sim_patch_pool(struct sim *s, struct str name, const char *patch);
void sim_patch_node(struct sim *s, size_t node, const char *patch);

/* Goes on to the next thing that is due, at most to ms; false when nothing is
 * left to do before. */
bool sim_step(struct sim *s, int64_t ms);

/* Every pool says Updated, and nothing is planned any more. */
bool sim_settled(struct sim *s);

#endif
