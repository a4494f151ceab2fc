/*
 * controller_state: the state of the running controller: watches, queue, plans, drains.
 *
 * Shared by the files of role/controller; each section below names the file that implements it.
 */
#ifndef ROLE_CONTROLLER_STATE_H
#define ROLE_CONTROLLER_STATE_H

#include "kube/exec.h"
#include "kube/feature_gates.h"
#include "kube/queue.h"
#include "kube/watch_set.h"
#include "mc/load.h"
#include "mc/mcn.h"
#include "mc/mcp.h"
#include "plan/generate.h"

/* The watched kinds. */
enum watched {
	W_GATES,
	W_VERSION,
	W_NODE,
	W_MCN,
	W_POOL,
	W_MC,
	W_CONTROLLER,
	W_KUBELET,
	W_RUNTIME,
	W_OS_CONFIG,
	W_OS_BUILD,
	W_STREAM,
	W_INFRASTRUCTURE,
	W_IMAGE,
	W_CONTENT_POLICY,
	W_DIGEST,
	W_TAG,
	W_CLUSTER_POLICY,
	W_POLICY,
	W_API_SERVER,
	W_NODE_CONFIG,
	W_SCHEDULER,
	W_SETTINGS,
	W_CREDENTIALS,
	W_RELEASE_IMAGE,
	W_RELEASE_AUTH,
	W_PINNED,
	W_OPERATOR,
	W_KINDS
};

/* The kinds of keys in the queue; a comment says what the key names. */
enum sync_kind {
	/* these create MachineConfigs; sync_of maps enum generate_kind to them, and the
	 * names of their keys are those of plan/generate */
	SYNC_TEMPLATE,
	SYNC_KUBELET,
	SYNC_FEATURES,
	SYNC_NODE_CONFIG,
	SYNC_RUNTIME,
	SYNC_REGISTRIES,
	SYNC_CREDENTIALS,
	SYNC_RENDER,
	SYNC_PINNED, /* a pool */
	SYNC_POOL,
	SYNC_DRAIN, /* a node */
	SYNC_MASTER, /* a node */
	SYNC_MIGRATE, /* "all" or "okd"; once, at the start */
	SYNC_SETTINGS, /* the MachineConfiguration */
	SYNC_KINDS
};

/* A cached object, whole and decoded, of any kind but Nodes and MachineConfigNodes. */
struct object {
	struct arena a;
	struct doc doc;
	union {
		struct mc mc;
		struct mcp pool;
		struct mc_controller_config controller;
		struct mc_object object;
		struct os_config os_config;
		struct os_build os_build;
	};
};

/* A cached MachineConfigNode. */
struct kept_mcn {
	struct mcn *mcn;
	/* At the start: the object after the migration to a new gate; n 0: no migration. */
	struct str migrated;
};

struct controller;

/*
 * The reads of a plan that needs whole MachineConfigs, which the cache holds brief (mc/brief.h):
 * the plan adds names to wanted, controller_read reads them, and the plan runs again.
 */
struct reading {
	struct controller *c;
	struct mc_list whole;
	struct strs wanted;
	size_t at; /* index in wanted of the one being read */
	struct kube_call call;
	struct arena *a; /* of the results */
	struct str error; /* error message, or "" */
	void (*done)(struct reading *r); /* error.n 0: all were read */
	void *ctx;
};

/* A node that is being drained. */
struct drainer {
	struct drainer *next;
	struct controller *c;
	struct drain *drain;
	struct kube_cache *pods;
	struct arena a; /* of the query of pods */
	struct str node;
};

/* The state of a pool between plans. */
struct pool_state {
	bool counted; /* it was planned, so its gauges are set */
	int64_t waits_since; /* when it began to wait for rendering; 0: it does not */
};

/* The operator's lease, as last read. */
struct operator_lease {
	struct kube_call call;
	struct arena a;
	struct str text; /* n 0: the lease does not exist */
	int64_t since; /* when this text was first read; 0: not yet */
	int64_t wait_ms;
	bool asking, known;
};

struct controller {
	struct loop *loop;
	struct kube *kube;
	struct kube_queue *queue;
	struct kube_exec exec;
	struct kube_events events;
	struct kube_metrics metrics;
	struct template_tree templates;
	bool replace_templates; /* also replace MachineConfigs of another tree */
	/* Called when this build must not run on this cluster. */
	void (*on_refused)(struct controller *c, struct str why);
	struct str raw, hash;
	bool from_cluster; /* take raw and hash from the cluster's objects */
	struct kube_watch_set set;
	struct kube_watch watches[W_KINDS]; /* the set's, by enum watched */
	bool watching; /* all watches are started */
	bool running; /* all caches are complete: plans run */
	/* Pools are rendered when MachineConfigs have not changed for gather_ms. */
	int64_t gather_ms, last_change;
	unsigned making; /* running plans that create MachineConfigs */
	struct task *turns[SYNC_KINDS]; /* the running one, then those that wait */
	struct kube_gates gates;
	void (*on_gates)(struct controller *c); /* once, when they are known */
	void (*on_other_gates)(struct controller *c);
	void (*on_late_gates)(struct controller *c); /* not known at the deadline */
	struct str eviction_api; /* p NULL: unknown; "": not offered */
	struct kube_cache *secret; /* the pull secret */
	struct arena secret_arena;
	struct str secret_path;
	struct arena failed_arena;
	struct str template_failed;
	int64_t evict_ms; /* MCO_DRAIN_MS, or 0 */
	struct drainer *drainers;
	size_t n_watched; /* drainers whose pods are watched */
	struct arena kept;
	int64_t pools_rest; /* no pool is planned before this */
	struct map pools; /* struct pool_state by name; entries are never removed */
	struct arena no_build_arena;
	struct str no_build, no_build_pool; /* a build that does not exist: for the next plan */
	struct kube_tree *node_config; /* the last accepted Node config, or NULL */
	struct operator_lease operator_lease;
	struct kube_call okd;
	bool on_runc;
	struct reading *reading; /* of the plan that is running */
	bool waits; /* the plan failed because it waits: not an error */
	bool pools_moved; /* the index of nodes by pool is stale */
	bool no_scheduler; /* Scheduler was deleted: masters are not schedulable */
};

/* ---- templates and version (controller_origin.c) ------------------------- */

/* Call when all caches are complete. ERR_INVALID: the templates do not fit this cluster. */
int controller_check_templates(struct controller *c, struct arena *a, struct err *err);

/* Adopts the version that wrote the cluster's objects (from_cluster), or logs a warning if it
 * differs. Call it again when the version of the ControllerConfig changes. */
void controller_take_version(struct controller *c);

/* ---- feature gates (controller_gates.c) ---------------------------------- */

/* Call when FeatureGate or ClusterVersion have changed, and at the deadline. */
void controller_gates(struct controller *c);
/* The release whose gates apply. */
struct str controller_version(const struct controller *c);

/* ---- watches (controller_watch.c) ---------------------------------------- */

/* Starts the watches of the early kinds, or of all others. */
void controller_watch(struct controller *c, bool early);
/* The early kinds hold the feature gates, which decide which others are watched. */
bool watched_early(enum watched kind);
/* The nodes whose first pool has that name. */
size_t known_nodes(struct controller *c, struct str pool, struct kube_item *const **out);
/* Starts all plans once all caches are complete; call it after each step to that. */
void controller_ready(struct controller *c);
/* Logs what the controller waits for at the start. */
void controller_log_waits(struct controller *c);

/* Lookups in the caches; NULL or 0 when there is none. */
const struct object *known(const struct controller *c, enum watched kind, const char *name);
const struct json *known_tree(const struct controller *c, enum watched kind, const char *name);
size_t known_all(const struct controller *c, enum watched kind, struct kube_item *const **out);
struct kube_cache *cache_of_path(void *ctx, struct str path);
void known_pools(const struct controller *c, struct arena *a, struct mcp_list *out);

/* ---- decoders of the caches (controller_keep.c) -------------------------- */

/* make and drop of the caches; ctx is the struct kube_watch. */
void *node_make(const struct json *tree, void *ctx);
void *mcn_make(const struct json *tree, void *ctx);
void *object_make(const struct json *tree, void *ctx);
void object_free(void *value);

/* ---- the pull secret (controller_secret.c) ------------------------------- */

/* Watches the Secret that the ControllerConfig names. */
void controller_secret(struct controller *c);
/* *out is NULL if there is none. False: it has not been read yet. */
bool known_secret(const struct controller *c, const struct json **out);

/* ---- triggers (controller_trigger.c) ------------------------------------- */

/* changed of the caches; ctx is the struct kube_watch. */
void controller_changed(void *ctx, struct str key, const void *before, const void *now);
/* Queues all keys, and handles every node as new. */
void controller_first_plans(struct controller *c);

/* ---- execution of plans (controller_sync.c) ------------------------------ */

void controller_work(void *ctx, const struct kube_key *key);
const char *controller_source(enum sync_kind kind);

/* ---- brief MachineConfigs (controller_read.c) ---------------------------- */

/* Reads r->wanted into r->whole, then calls r->done from the loop. */
void controller_read(struct controller *c, struct reading *r);

/* ---- migrations (controller_migrate.c) ----------------------------------- */

/* Reads whether the cluster must move from runc to crun. */
void controller_okd(struct controller *c);

/* ---- MachineConfiguration (controller_settings.c) ------------------------ */

void controller_settings(struct controller *c);

/* ---- pools (controller_pools.c) ------------------------------------------ */

/* The response to a GET of a pool's plan; false: retry the plan. */
bool pool_answered(struct controller *c, struct str pool, const struct action *act,
		   const struct kube_answer *ans);

/* ---- drains (controller_drain.c) ----------------------------------------- */

int sync_drain(struct controller *c, struct str name, struct arena *a, struct actions *out,
	       struct err *err);
/* The eviction API is known: plans all drains again. */
void drains_again(struct controller *c);
void drain_answered(struct controller *c, struct str node, const struct action *act,
		    const struct kube_answer *ans);

#endif
