/*
 * The controller as it runs: what it watches, what is to be planned because of
 * it, and the plans.
 */
#ifndef APPLETS_CONTROLLER_H
#define APPLETS_CONTROLLER_H

#include "kube/exec.h"
#include "kube/queue.h"
#include "mc/gates.h"
#include "mc/load.h"
#include "mc/mcn.h"
#include "mc/pool.h"
#include "plan/template.h"

#define CONTROLLER_NS "openshift-machine-config-operator"

/* What is watched. The first two are needed to know what else is. */
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
	W_OPERATOR,
	W_KINDS
};

/* The queues: what a key is the name of. */
enum sync_kind {
	SYNC_TEMPLATE, /* the ControllerConfig */
	SYNC_KUBELET,
	SYNC_FEATURES, /* one */
	SYNC_NODE_CONFIG, /* one */
	SYNC_RUNTIME,
	SYNC_REGISTRIES, /* one */
	SYNC_RENDER, /* a pool */
	SYNC_POOL,
	SYNC_DRAIN, /* a node */
	SYNC_MASTER, /* a node */
	SYNC_KINDS
};

/* Any object but nodes and MachineConfigNodes: the whole of it, decoded. */
struct object {
	struct arena a;
	struct doc doc;
	union {
		struct mc mc;
		struct {
			struct mc_pool pool;
			struct mcp mcp;
		};
		struct mc_controller_config controller;
		struct mc_object object;
		struct os_config os_config;
		struct os_build os_build;
	};
};

struct controller;

struct watch {
	struct controller *c;
	enum watched kind;
	struct kube_cache *cache; /* NULL: its gate is off */
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

struct controller {
	struct loop *loop;
	struct kube *kube;
	struct kube_queue *queue;
	struct kube_exec exec;
	struct kube_events events;
	struct kube_metrics metrics;
	struct template_tree templates;
	struct str release, raw, hash;
	struct watch watches[W_KINDS];
	bool running; /* everything is known */
	struct arena gates_arena;
	struct mc_gates gates;
	bool gates_known;
	void (*gates_changed)(struct controller *c);
	struct str eviction_api; /* p NULL: not known yet */
	struct kube_cache *secret; /* the pull secret */
	struct arena secret_arena;
	struct str secret_path;
	struct arena failed_arena;
	struct str template_failed;
	struct drainer *drainers;
	struct arena kept;
	struct map counted; /* pools planned since the start */
};

/* ---- what is known (controller_watch.c) ---- */

void controller_watch(struct controller *c, enum watched from,
		      enum watched before);
/* Once every cache is full: plans everything. */
void controller_ready(struct controller *c);
/* Everything is to be planned. */
void controller_plan_all(struct controller *c);

const struct object *known(const struct controller *c, enum watched kind,
			   const char *name);
const struct json *known_tree(const struct controller *c, enum watched kind,
			      const char *name);
size_t known_all(const struct controller *c, enum watched kind,
		 struct kube_item *const **out);
struct kube_cache *cache_of_path(void *ctx, struct str path);
void known_pools(const struct controller *c, struct arena *a, struct mcps *mcps,
		 struct mc_pools *pools);

/* ---- what is done about it (controller_sync.c) ---- */

void controller_work(void *ctx, const struct kube_key *key);
const char *controller_source(enum sync_kind kind);
struct instant controller_now(void);

/* ---- drains (controller_drain.c) ---- */

int sync_drain(struct controller *c, struct str name, struct arena *a,
	       struct actions *out, struct err *err);
void drain_answered(struct controller *c, struct str node,
		    const struct action *act, const struct kube_answer *ans);

#endif
