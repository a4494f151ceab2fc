/*
 * action: what a plan_* function wants done, each with the reason for it.
 *
 * A plan is a list of actions in the order upstream sends them, each in a step.
 * Those of one step are independent and may run in parallel; a step begins when
 * every action of the steps before it has been answered. A plan function that
 * fails leaves valid actions behind: they are run all the same, then its error
 * is handled (ERR_INVALID is reported and not retried, others back off).
 *
 * Bodies are exact JSON. The answer to every write goes back to the cache before
 * the key is planned again.
 */
#ifndef PLAN_ACTION_H
#define PLAN_ACTION_H

#include "base/rfc3339.h"
#include "base/vec.h"
#include "data/json.h"

enum action_kind {
	ACTION_GET, /* the answer is given to the plan's *_reply function */
	ACTION_CREATE, /* POST body to path */
	ACTION_REPLACE, /* PUT; a 409 plans again */
	ACTION_MERGE, /* PATCH application/merge-patch+json */
	ACTION_STRATEGIC, /* PATCH application/strategic-merge-patch+json */
	ACTION_APPLY, /* PATCH application/apply-patch+yaml */
	ACTION_DELETE, /* 404 counts as done */
	ACTION_EVICT, /* POST to path, the answer as for GET */
	ACTION_EVENT, /* path is the object's; see struct action_event */
	ACTION_METRIC, /* set a gauge */
	ACTION_UNMETRIC, /* drop a gauge's series */
	ACTION_LOG, /* a line and nothing else */
	ACTION_REQUEUE, /* plan this key again after some time */
};

enum action_fail {
	ACTION_STOP, /* later actions are dropped, the key is retried */
	ACTION_GO_ON, /* later actions still run, then the key is retried */
	ACTION_LATER, /* the same, and what is to run if_ok runs, too */
	ACTION_SHRUG, /* logged, nothing more */
};

/* An Event's involved object: namespace is set by whoever sends it. */
struct action_event {
	struct str api, kind, name, uid; /* of the object it is about */
	struct str version; /* and its resourceVersion, or "" */
	struct str reason; /* "SetDesiredConfig" */
	bool warning;
};

#define ACTION_LABELS 4

struct action_metric {
	const char *name;
	struct str labels[ACTION_LABELS]; /* values, in the metric's order */
	bool now; /* the value is the time it is set at */
	double value;
};

struct mc;

struct action {
	enum action_kind kind;
	enum action_fail fail;
	unsigned step;
	bool if_ok; /* not run when an earlier action of this plan failed */
	bool warning, error; /* ACTION_LOG: as such */
	bool state; /* ACTION_LOG: repeats of the text are logged with back-off */
	unsigned tag; /* not 0: give the answer to the plan's *_reply */
	struct str path; /* "/api/v1/nodes/a", query included */
	struct str body; /* n 0 where actions.objects is set */
	/* Of apply_mc and apply_replace: what body says; and of a MachineConfig
	 * that was just made, itself. Or NULL. */
	const struct json *object;
	const struct mc *mc;
	struct str reason; /* why; of events and log lines the message */
	struct str wrap; /* goes before ": <error>" when it fails; or "" */
	int64_t after; /* ACTION_REQUEUE: milliseconds */
	union {
		struct action_event event;
		struct action_metric metric;
	};
};

struct actions {
	struct action *v;
	size_t n, cap;
	unsigned step; /* of what is added next */
	/* To be carried out in this process: apply_mc and apply_replace leave
	 * the body out where the object says it. */
	bool objects;
};

/* What is added from now on waits for all that was added before. */
void actions_step(struct actions *out);

/* Adds one; the pointer is good until the next. */
struct action *action_add(struct arena *a, struct actions *out, enum action_kind kind,
			  struct str path, struct str body, struct str reason);

struct action *action_log(struct arena *a, struct actions *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct action *action_event(struct arena *a, struct actions *out, struct action_event about,
			    struct str message);

struct action *action_requeue(struct arena *a, struct actions *out, int64_t ms, struct str reason);

/* One gauge with up to four label values (n of them). */
struct action *action_metric(struct arena *a, struct actions *out, const char *name,
			     const struct str *labels, size_t n, double value);

/* mcc_sub_controller_state{subcontroller, state, object} = now. */
void action_state_metric(struct arena *a, struct actions *out, const char *sub, struct str state,
			 struct str object);

/* The path of a cluster-scoped object of the machineconfiguration group. */
struct str action_path(struct arena *a, const char *plural, struct str name);
struct str action_node_path(struct arena *a, struct str name);

#endif
