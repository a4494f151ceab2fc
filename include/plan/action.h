/*
 * action: a request or effect that a plan_* function asks for, with its reason.
 *
 * A plan is a list of actions in the order upstream sends them, each in a step. Actions
 * of one step are independent and may run in parallel; a step begins when every action of
 * the steps before it has been answered. A plan function that fails leaves valid actions
 * behind: run them, then handle its error (ERR_INVALID is reported and not retried,
 * others back off).
 *
 * Bodies are exact JSON. The answer to every write updates the cache before the key is
 * planned again.
 */
#ifndef PLAN_ACTION_H
#define PLAN_ACTION_H

#include "base/rfc3339.h"
#include "base/vec.h"
#include "data/json.h"

enum action_kind {
	ACTION_GET, /* pass the answer to the plan's *_reply function */
	ACTION_CREATE, /* POST body to path */
	ACTION_REPLACE, /* PUT; after a 409 the key is planned again */
	ACTION_MERGE, /* PATCH application/merge-patch+json */
	ACTION_STRATEGIC, /* PATCH application/strategic-merge-patch+json */
	ACTION_APPLY, /* PATCH application/apply-patch+yaml */
	ACTION_DELETE, /* 404 counts as done */
	ACTION_EVICT, /* POST to path; the answer as for GET */
	ACTION_EVENT, /* path is the object's; see struct action_event */
	ACTION_METRIC, /* set a gauge */
	ACTION_UNMETRIC, /* drop a gauge's series */
	ACTION_LOG, /* write a log line */
	ACTION_REQUEUE, /* plan this key again after some time */
};

/* Whether the action is a request to the API server. */
bool action_is_request(enum action_kind kind);

enum action_fail {
	ACTION_STOP, /* later actions are dropped, the key is retried */
	ACTION_GO_ON, /* later actions still run, then the key is retried */
	ACTION_LATER, /* the same, and actions with if_ok still run */
	ACTION_SHRUG, /* log the error and go on */
};

/* The object that an Event is about. kube/exec adds the namespace. */
struct action_event {
	struct str api, kind, name, uid; /* of that object; api and kind may be "" */
	struct str version; /* its resourceVersion, or "" */
	struct str reason; /* "SetDesiredConfig" */
	const char *source; /* its component; NULL: that of the job */
	bool warning;
	/* Written in any case: not combined with others, and not limited in number. */
	bool each;
};

#define ACTION_LABELS 4

struct action_metric {
	const char *name;
	struct str labels[ACTION_LABELS]; /* values, in the metric's order */
	bool now; /* the value is the time at which it is set */
	double value;
};

struct mc;

struct action {
	enum action_kind kind;
	enum action_fail fail;
	unsigned step;
	bool if_ok; /* not run when an earlier action of this plan failed */
	bool warning, error; /* ACTION_LOG: the severity */
	bool state; /* ACTION_LOG: log repeats of this text with back-off */
	unsigned tag; /* not 0: pass the answer to the plan's *_reply */
	struct str path; /* "/api/v1/nodes/a", query included */
	struct str body; /* empty when actions.objects is set */
	/* Of apply_mc and apply_replace: the object that body encodes; of a new
	 * MachineConfig also the decoded struct. NULL otherwise. */
	const struct json *object;
	const struct mc *mc;
	struct str reason; /* the reason; for events and log lines the message */
	struct str wrap; /* prefix of the error message: "<wrap>: <error>"; or "" */
	int64_t after; /* ACTION_REQUEUE: milliseconds */
	union {
		struct action_event event;
		struct action_metric metric;
	};
};

struct actions {
	struct action *v;
	size_t n, cap;
	unsigned step; /* of the action that is added next */
	/* The actions are applied in this process (plan/settle): apply_mc and
	 * apply_replace set object and leave body empty. */
	bool objects;
};

/* The first request of a list, or NULL. */
const struct action *actions_request(const struct actions *list);

/* Begins a new step: later actions wait for all earlier ones. */
void actions_step(struct actions *out);

/* Appends an action; the pointer is valid until the next call. */
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
struct str action_knode_path(struct arena *a, struct str name);

#endif
