/*
 * drain: drains or uncordons a node that asks for it.
 *
 * A node's daemon writes its request (drain-<config>, uncordon-<config>) into one
 * annotation; when it is done, the controller copies the text into another. struct drain
 * holds the state of a drain, one per node. It may be lost at any time: the next plan
 * starts over, and evicted pods stay evicted.
 *
 * The node is planned again after every change of the node or its pods, after every
 * answer, and when the time passed that the plan asked for.
 */
#ifndef PLAN_DRAIN_H
#define PLAN_DRAIN_H

#include "mc/mcn.h"
#include "mc/pod.h"
#include "plan/action.h"

enum drain_phase {
	DRAIN_IDLE, /* between two attempts */
	DRAIN_CORDON,
	DRAIN_BEGIN, /* cordoned */
	DRAIN_LIST, /* waiting for the node's pods */
	DRAIN_SORT, /* looking up DaemonSets */
	DRAIN_EVICT,
	DRAIN_END, /* the attempt is over: see failure */
};

enum drain_pod_state {
	DRAIN_POD_ASK, /* does its DaemonSet exist? */
	DRAIN_POD_ASKED,
	DRAIN_POD_STAYS,
	DRAIN_POD_TODO, /* evict it when due */
	DRAIN_POD_SENT,
	DRAIN_POD_LEAVING, /* eviction accepted: wait until it is deleted */
	DRAIN_POD_GONE,
	DRAIN_POD_FAILED,
};

struct drain_pod {
	struct mc_pod pod;
	enum drain_pod_state state;
	int64_t due; /* TODO: not earlier */
	struct str said; /* the server's last refusal */
	struct str logged; /* the refusal that was logged last */
};

struct drain {
	struct arena a; /* for the current attempt */
	struct arena kept; /* for wish */
	struct str wish; /* the request annotation that this drain serves */
	enum drain_phase phase;
	int64_t cordoned; /* when the drain began, ms; 0: not yet */
	int64_t age; /* how long the drain had taken when the attempt began */
	int64_t next; /* no attempt before this time, ms, */
	bool held; /* as long as the node stays cordoned, or uncordoned */
	int64_t deadline; /* of the attempt's evictions, ms */
	unsigned attempt; /* distinguishes late answers from new ones */
	int tries; /* attempts to cordon */
	int64_t try_at; /* time of the next one */
	bool patching; /* a cordon or uncordon request is in flight */
	bool was_unschedulable; /* when the attempt began */
	bool mcn_asked, mcn_known;
	struct arena mcn_arena;
	struct str mcn; /* MachineConfigNode as read for the next report; "": there is none */
	struct str refusal; /* the API server's error for the last cordon */
	bool refused; /* refusal is not logged yet */
	bool succeeded; /* the cordon or uncordon succeeded and was logged */
	struct drain_pod *pods;
	size_t n_pods;
	struct str failure; /* END: why the attempt failed; "": it succeeded */
};

#define DRAIN_INIT ((struct drain){ 0 })

void drain_free(struct drain *d);

struct drain_view {
	struct instant now;
	const struct knode *node;
	struct str pool; /* its first pool's name, or MCN_NOT_YET_SET */
	/* The pods on the node; needed only while drain_wants_pods is true. */
	const struct mc_pod *pods;
	size_t n_pods;
	bool pods_known;
	/* "policy/v1", …; "": unknown, and the attempt waits for it until it fails. Pods
	 * are never deleted instead: that would bypass their disruption budgets. */
	struct str eviction_api;
	int64_t evict_ms; /* timeout for evictions; 0: DRAIN_EVICT_MS */
	bool image_mode;
};

/*
 * The eviction_api that the answer to GET /api/v1 offers. ERR_INVALID: the answer is no
 * resource list; ERR_NOTFOUND: it has no pods/eviction. Every supported server has it, so
 * the caller retries.
 */
int drain_eviction_api(struct arena *a, struct str body, struct str *out, struct err *err);

/* True when the caller has to watch the pods of this node. */
bool drain_wants_pods(const struct drain *d);

/*
 * Plans the next step. ERR_INVALID for a request that cannot be parsed, ERR_AGAIN when a
 * node cannot be uncordoned.
 */
int plan_drain(struct arena *a, const struct drain_view *in, struct drain *d, struct actions *out,
	       struct err *err);

/* The answer to an action with a tag. */
struct drain_answer {
	int status; /* HTTP status; 0: no answer */
	struct str message; /* message of an error */
	struct str budget; /* 429: the disruption budget that the server names, or "" */
	bool terminating; /* 403 because the namespace is being deleted */
	struct str body; /* of a GET that succeeded */
};
void drain_reply(struct drain *d, unsigned tag, struct instant now,
		 const struct drain_answer *answer);

/* Upstream's value; the waits between attempts scale with it. */
#define DRAIN_EVICT_MS 90000

#endif
