/*
 * drain: carries out a node's wish to be drained or uncordoned.
 *
 * A node's daemon writes what it wants (drain-<config>, uncordon-<config>) into
 * one annotation; when it is done the same text goes into another. In between a
 * drain is remembered in struct drain, one per node. All of it may be lost at any
 * time: the next plan starts over, and what was evicted stays evicted.
 *
 * The plan is made again whenever the node, its pods or an answer came, and when
 * the time it asked for has passed.
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
	DRAIN_LIST, /* waiting for the node's pods to be known */
	DRAIN_SORT, /* finding out about DaemonSets */
	DRAIN_EVICT,
	DRAIN_END, /* evicted, or not */
};

enum drain_pod_state {
	DRAIN_POD_ASK, /* does its DaemonSet exist? */
	DRAIN_POD_ASKED,
	DRAIN_POD_STAYS,
	DRAIN_POD_TODO, /* to be evicted, when due */
	DRAIN_POD_SENT,
	DRAIN_POD_LEAVING, /* accepted: until it is gone */
	DRAIN_POD_GONE,
	DRAIN_POD_FAILED,
};

struct drain_pod {
	struct mc_pod pod;
	enum drain_pod_state state;
	int64_t due; /* TODO: not before this */
	struct str said; /* the server's last refusal */
	struct str logged; /* the refusal that was logged last */
};

struct drain {
	struct arena a; /* of the attempt under way */
	struct arena kept; /* of wish */
	struct str wish; /* the annotation this is for */
	enum drain_phase phase;
	int64_t cordoned; /* when this drain began, ms; 0: it has not */
	int64_t age; /* how long it had gone on when the attempt began */
	int64_t next; /* no attempt before this, ms, */
	bool held; /* while the node is cordoned, or is not, as then */
	int64_t deadline; /* of the attempt's evictions, ms */
	unsigned attempt; /* tells late answers from new ones */
	int tries; /* of cordoning */
	int64_t try_at; /* the next one */
	bool patching; /* a cordon or uncordon is on its way */
	bool was_unschedulable; /* when the attempt began */
	bool mcn_asked, mcn_known;
	struct arena mcn_arena;
	struct str mcn; /* as read for the next report; "": there is none */
	struct str refusal; /* the server's answer to the last cordon */
	bool refused; /* and it is not logged yet */
	bool succeeded; /* the cordon or uncordon, and it is logged */
	struct drain_pod *pods;
	size_t n_pods;
	struct str failure; /* END: why it did not work; "": it did */
};

#define DRAIN_INIT ((struct drain){ 0 })

void drain_free(struct drain *d);

struct drain_view {
	struct instant now;
	const struct knode *node;
	struct str pool; /* its first pool's name, or MCN_NOT_YET_SET */
	/* The pods on the node; only needed while drain_wants_pods. */
	const struct mc_pod *pods;
	size_t n_pods;
	bool pods_known;
	/* "policy/v1", …; "": not known, and the drain waits for it until the
	 * attempt fails. Pods are never deleted instead, which would pass over
	 * their disruption budgets. */
	struct str eviction_api;
	int64_t evict_ms; /* how long pods are waited for; 0: DRAIN_EVICT_MS */
	bool image_mode;
};

/*
 * The eviction_api that the server's answer to GET /api/v1 offers. ERR_INVALID:
 * the answer is no such list; ERR_NOTFOUND: it has no pods/eviction. Every
 * supported server has it, so the caller asks again.
 */
int drain_eviction_api(struct arena *a, struct str body, struct str *out, struct err *err);

/* The pods of this node are to be watched. */
bool drain_wants_pods(const struct drain *d);

/*
 * What to do now. ERR_INVALID for a wish that is none, ERR_AGAIN when a node
 * cannot be uncordoned.
 */
int plan_drain(struct arena *a, const struct drain_view *in, struct drain *d, struct actions *out,
	       struct err *err);

/* The answer to an action with a tag. */
struct drain_answer {
	int status; /* HTTP; 0: no answer at all */
	struct str message; /* of an error */
	struct str budget; /* 429: which budget, as the server says; or "" */
	bool terminating; /* 403 because the namespace is going away */
	struct str body; /* of a GET that succeeded */
};
void drain_reply(struct drain *d, unsigned tag, struct instant now,
		 const struct drain_answer *answer);

/* As upstream; the waits between attempts are in proportion to it. */
#define DRAIN_EVICT_MS 90000

/* ---- between drain.c and drain_pods.c ------------------------------------ */

#define DRAIN_TAG_MCN 1u
#define DRAIN_TAG_CORDON 2u
#define DRAIN_TAG_POD 3u /* and the pod's number */
#define DRAIN_TAGS (1u << 20) /* of one attempt */

unsigned drain_tag(const struct drain *d, unsigned what);

enum drain_outcome { DRAIN_GOING_ON, DRAIN_DONE, DRAIN_FAILED };

/* Takes the pods of the view into d. */
void drain_take_pods(struct drain *d, const struct drain_view *in);
/* Asks about DaemonSets; GOING_ON until all are answered. */
enum drain_outcome drain_sort_pods(struct arena *a, struct drain *d, struct actions *out,
				   struct str *error);
enum drain_outcome drain_evict_pods(struct arena *a, struct drain *d, const struct drain_view *in,
				    struct actions *out, struct str *error);
void drain_pod_reply(struct drain *d, struct drain_pod *p, struct instant now,
		     const struct drain_answer *answer);

int64_t drain_ms(struct instant t);

#endif
