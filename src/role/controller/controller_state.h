/*
 * The controller as it runs: what it watches, what is to be planned because of
 * it, and the plans.
 */
#ifndef ROLE_CONTROLLER_STATE_H
#define ROLE_CONTROLLER_STATE_H

#include "kube/exec.h"
#include "kube/queue.h"
#include "mc/gates.h"
#include "mc/load.h"
#include "mc/mcn.h"
#include "mc/mcp.h"
#include "plan/generate.h"

/* What is watched. */
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

/* The queues: what a key is the name of. */
enum sync_kind {
	/* these make MachineConfigs: their keys are those of plan/generate */
	SYNC_TEMPLATE = GENERATE_TEMPLATES,
	SYNC_KUBELET = GENERATE_KUBELET,
	SYNC_FEATURES = GENERATE_FEATURES,
	SYNC_NODE_CONFIG = GENERATE_NODE,
	SYNC_RUNTIME = GENERATE_RUNTIME,
	SYNC_REGISTRIES = GENERATE_REGISTRIES,
	SYNC_CREDENTIALS = GENERATE_CREDENTIALS,
	SYNC_RENDER = GENERATE_RENDER,
	SYNC_PINNED, /* a pool */
	SYNC_POOL,
	SYNC_DRAIN, /* a node */
	SYNC_MASTER, /* a node */
	SYNC_MIGRATE, /* one, once */
	SYNC_SETTINGS, /* one */
	SYNC_KINDS
};

/* Any object but nodes and MachineConfigNodes: the whole of it, decoded. */
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

/* A MachineConfigNode. */
struct kept_mcn {
	struct mcn *mcn;
	/* What a gate that was turned on makes of it, at the start; n 0: nothing. */
	struct str migrated;
};

/* How a kind is watched. */
struct watch_kind {
	char plural[30];
	uint8_t group, gate; /* of the tables in controller_watch.c */
	uint8_t kind; /* enum mc_kind: held as struct mc_object; 0: not so */
	bool first; /* it tells which others are watched */
};

extern const struct watch_kind watch_kinds[];

struct controller;

/*
 * What a plan reads of MachineConfigs that the cache holds brief (mc/brief.h): the plan
 * adds names to wanted, controller_read reads them, and the plan is made again.
 */
struct reading {
	struct controller *c;
	struct mc_list whole;
	struct strs wanted;
	size_t at; /* of wanted: being read */
	struct kube_call call;
	struct arena *a; /* of the results */
	struct str error; /* why it failed, for people */
	void (*done)(struct reading *r); /* error.n 0: all were read */
	void *ctx;
};

struct watch {
	struct controller *c;
	enum watched kind;
	struct str path; /* "/api/v1/nodes" */
	struct kube_cache *cache; /* NULL: its gate is off */
	struct kube_call definition; /* is there a CRD of it? */
	struct arena a;
	int64_t asked_since; /* since when the server has not had it */
	bool lacking; /* it is not there: gone on without */
	bool asking; /* definition is under way, or waits to be */
};

/* A node that is being drained. */
struct drainer {
	struct drainer *next;
	struct controller *c;
	struct drain *drain;
	struct kube_cache *pods;
	struct arena a; /* of what the cache asks for */
	struct str node;
};

/* What is remembered of a pool. */
struct pool_state {
	bool counted; /* it has been planned: its gauges are set */
	int64_t waits_since; /* to be rendered; 0: it does not */
};

/* The operator's lease, as it was last seen. */
struct operator_lease {
	struct kube_call call;
	struct arena a;
	struct str text; /* n 0: there is none */
	int64_t since; /* when it was first seen so; 0: not yet */
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
	bool replace_templates; /* also what another tree has made */
	/* It must not run on this cluster. */
	void (*on_refused)(struct controller *c, struct str why);
	struct str release, raw, hash;
	bool from_cluster; /* raw and hash are the cluster's */
	struct watch watches[W_KINDS];
	bool watching; /* every kind is watched */
	bool running; /* everything is known */
	/* Changes of MachineConfigs are gathered before pools are rendered. */
	int64_t gather_ms, last_change;
	unsigned making; /* plans under way whose MachineConfigs are theirs */
	struct task *turns[SYNC_KINDS]; /* those under way, then who waits */
	struct arena gates_arena;
	struct mc_gates gates;
	bool gates_known;
	void (*on_gates)(struct controller *c); /* they are known */
	void (*on_other_gates)(struct controller *c);
	struct str eviction_api; /* p NULL: not asked yet; "": not offered */
	struct kube_cache *secret; /* the pull secret */
	struct arena secret_arena;
	struct str secret_path;
	struct arena failed_arena;
	struct str template_failed;
	int64_t evict_ms; /* MCO_DRAIN_MS, or 0 */
	struct drainer *drainers;
	size_t n_watched; /* of them, whose pods are watched */
	struct arena kept;
	int64_t pools_rest; /* no pool is planned before this */
	struct map pools; /* by name: struct pool_state; never forgotten */
	struct arena no_build_arena;
	struct str no_build, no_build_pool; /* for its next plan */
	struct kube_tree *node_config; /* the last one that was allowed */
	struct operator_lease operator_lease;
	struct kube_call okd;
	bool on_runc;
	struct reading *reading; /* of the plan that is being made */
	bool waits; /* the plan waits for something, no more */
	bool pools_moved; /* nodes are to be indexed by pool again */
	bool no_scheduler; /* it was deleted: masters are kept free */
};

/* ---- what it stands for (controller_origin.c) ---------------------------- */

/* Once everything is known. ERR_INVALID: the tree of templates does not serve
 * this cluster. */
int controller_check_templates(struct controller *c, struct arena *a, struct err *err);

/* Takes the version that made the cluster's objects, or says in the log that it
 * differs. Again when the ControllerConfig has changed. */
void controller_take_version(struct controller *c);

/* ---- feature gates (controller_gates.c) ---------------------------------- */

/* What is known of them may have changed. */
void controller_gates(struct controller *c);
/* The release whose gates count. */
struct str controller_version(const struct controller *c);

/* ---- what is known (controller_watch.c) ---------------------------------- */

/* Starts the watches of the first kinds, or of all others. */
void controller_watch(struct controller *c, bool first);
/* All of its kind are known, or that there are none. */
bool watch_known(const struct watch *w);
/* The nodes whose first pool has that name. */
size_t known_nodes(struct controller *c, struct str pool, struct kube_item *const **out);
/* Once everything is known: plans all of it. */
void controller_ready(struct controller *c);
/* Logs what the controller waits for. */
void controller_log_waits(struct controller *c);

const struct object *known(const struct controller *c, enum watched kind, const char *name);
const struct json *known_tree(const struct controller *c, enum watched kind, const char *name);
size_t known_all(const struct controller *c, enum watched kind, struct kube_item *const **out);
struct kube_cache *cache_of_path(void *ctx, struct str path);
void known_pools(const struct controller *c, struct arena *a, struct mcp_list *out);

/* ---- what is kept (controller_keep.c) ------------------------------------ */

/* What a cache calls, with the watch as ctx. */
void *object_make(const struct json *tree, void *ctx);
void object_drop(void *value);

/* ---- the pull secret (controller_secret.c) ------------------------------- */

/* Watches the Secret that the ControllerConfig names. */
void controller_secret(struct controller *c);
/* *out is NULL where there is none. False: it is not known yet. */
bool known_secret(const struct controller *c, const struct json **out);

/* ---- what is to be planned because of it (controller_trigger.c) ---------- */

/* What a cache calls, with the watch as ctx. */
void controller_changed(void *ctx, struct str key, const void *before, const void *now);
/* Everything is to be planned, and nodes are looked at, for the first time. */
void controller_first_plans(struct controller *c);

/* ---- what is done about it (controller_sync.c) --------------------------- */

void controller_work(void *ctx, const struct kube_key *key);
const char *controller_source(enum sync_kind kind);

/* ---- brief MachineConfigs (controller_read.c) ---------------------------- */

/* Reads what is wanted into r->whole, then calls r->done, never from within. */
void controller_read(struct controller *c, struct reading *r);

/* ---- migrations (controller_migrate.c) ----------------------------------- */

/* Asks whether the cluster is to be moved from runc to crun. */
void controller_okd(struct controller *c);

/* ---- MachineConfiguration (controller_settings.c) ------------------------ */

void controller_settings(struct controller *c);

/* ---- pools (controller_pools.c) ------------------------------------------ */

/* The answer to what a pool's plan has asked for; false: it is to be tried
 * again. */
bool pool_answered(struct controller *c, struct str pool, const struct action *act,
		   const struct kube_answer *ans);

/* ---- drains (controller_drain.c) ----------------------------------------- */

int sync_drain(struct controller *c, struct str name, struct arena *a, struct actions *out,
	       struct err *err);
/* The eviction API is known: what waits for it goes on. */
void drains_again(struct controller *c);
void drain_answered(struct controller *c, struct str node, const struct action *act,
		    const struct kube_answer *ans);

#endif
