/*
 * operator_state: the state of the running operator: watches, queue, passes.
 *
 * Shared by the files of role/operator; each section below names the file that implements it.
 */
#ifndef ROLE_OPERATOR_STATE_H
#define ROLE_OPERATOR_STATE_H

#include "kube/exec.h"
#include "kube/feature_gates.h"
#include "kube/queue.h"
#include "kube/watch_set.h"
#include "plan/operator.h"
#include "role/operator.h"

#define OPERATOR_NAME "machine-config" /* of the lease, the key and the ClusterOperator */

struct op_role {
	const struct operator_opts *o;
	struct kube *kube;
	struct arena kept; /* lives as long as the process */
	struct kube_gates gates;
	struct kube_watch_set set;
	struct kube_watch watches[OPERATOR_KINDS];
	struct kube_queue *queue;
	struct kube_exec exec;
	struct kube_events events;
	struct operator_memory memory;
	uint64_t passes; /* number of the current pass; the first is 1 */
	struct arena *a; /* of the current pass: the view's objects */
	int64_t scale; /* of clock_ms for plans: deadlines end sooner in tests */
	int64_t rest; /* milliseconds between a change and its pass */
	bool watching, running, stopping, bring_up, crd_known;
	unsigned conflicts; /* of the last passes, in a row */
	bool restless; /* the last passes did not come to rest */
	/* of the process */
	void (*on_gates)(struct op_role *op); /* they are known */
	void (*on_end)(struct op_role *op, int status);
};

/* ---- operator_keep.c: what the caches keep ------------------------------- */

/* One object: its fields that a step reads, as JSON without resourceVersion. */
struct kept_object {
	uint64_t version, pass;
	struct json *tree; /* valid while pass is the operator's current pass */
	struct str text;
};

/* The fields that are kept of an object, in a; NULL: the object is ignored. */
struct json *operator_keep(struct arena *a, enum operator_kind kind, const struct json *tree);

/* make and drop of the caches. */
void *operator_make(const struct json *tree, void *ctx);

/* ---- operator_watch.c: the caches and the view of them ------------------- */

void operator_watch(struct op_role *op, bool early);
struct kube_cache *operator_cache(void *ctx, struct str path);
/* Whole object of a cluster-scoped list, parsed in a; or NULL. */
const struct json *operator_known(const struct op_role *op, enum operator_kind kind,
				  const char *name, struct arena *a);
/* A view of the caches for one pass, in a. */
struct operator_view operator_look(struct op_role *op, struct arena *a);
/* Starts the passes when all caches are in sync. */
void operator_ready(struct op_role *op);
void operator_log_waits(struct op_role *op);

/* ---- operator_work.c: passes and their requests -------------------------- */

void operator_work(void *ctx, const struct kube_key *key);
void operator_queue(struct op_role *op, int64_t ms);

/* ---- operator_gates.c ---------------------------------------------------- */

void operator_gates(struct op_role *op);

#endif
