/*
 * daemon_loop: a node's daemon: its Node object followed, the plan's steps taken.
 */
#ifndef APPLETS_DAEMON_LOOP_H
#define APPLETS_DAEMON_LOOP_H

#include "daemon_job.h"
#include "kube/cache.h"
#include "node/verify.h"
#include "plan/daemon.h"

struct telling; /* an event on its way */

struct daemon {
	/* ---- set by whoever starts it ---- */
	struct arena *a; /* lives as long as it does */
	struct loop *loop;
	struct kube *kube, *writer; /* writer: the kubelet's own credentials */
	struct str name; /* the node's */
	struct node node; /* for looking at; changes are made by jobs */
	int64_t retry_ms; /* MCO_RETRY_MS, or 0 */
	/* ---- its own ---- */
	struct daemon_view v; /* what this process knows; the rest is read */
	struct daemon_next next; /* being carried out */
	struct arena turn; /* lives until the next step */
	struct arena held; /* of the update under way, or of the start */
	struct arena names; /* of the disk's config */
	struct mc_current from, to;
	struct str from_image;
	struct update_plan plan;
	struct kube_cache *nodes, *configs;
	struct kube_call call;
	struct telling *tellings;
	bool calling, logged_wait;
	struct job job;
	struct source timer, drift_source;
	struct drift drift;
	bool watching, drifted;
	int64_t not_before, waiting_since;
	unsigned failures, policy_tries, events;
	/* for metrics */
	int64_t state_at, drift_at, update_at;
	uint64_t reboots_failed;
};

void daemon_begin(struct daemon *d);
void daemon_end(struct daemon *d);
/* False while an update must not be cut. */
bool daemon_may_stop(struct daemon *d);
void daemon_metrics(struct daemon *d, struct buf *b);
void daemon_tell(struct daemon *d, struct str reason, struct str text);

/* ---- for its parts: each ends in one of these, or in a call or job under way ---- */

#define DAEMON_MC "/apis/machineconfiguration.openshift.io/v1/"

/* The next step after ms; the same step again after a while, saying why. */
void daemon_wake(struct daemon *d, int64_t ms);
void daemon_later(struct daemon *d, struct str why);
/* Degraded, or Unreconcilable, with this reason. */
void daemon_fail(struct daemon *d, struct str text, bool unreconcilable);
/* Reads the Node into the view again. */
void daemon_look(struct daemon *d);
/* Stops watching for drift. */
void daemon_unwatch(struct daemon *d);
/* Fetches path; got must set calling to false. */
void daemon_get(struct daemon *d, struct str path,
		void (*got)(struct kube_call *c,
			    const struct kube_answer *ans));
/* Fetches both configs into from and to. */
void daemon_load(struct daemon *d);
/* Fetches the policies, then plans the update. */
void daemon_plan(struct daemon *d);

/* Those that are on their way are given up. */
void daemon_tell_no_more(struct daemon *d);
/* The Node as it is known, or NULL; and one of its annotations, or "". */
const struct json *daemon_node(const struct daemon *d);
struct str daemon_note(const struct json *annotations, const char *key);

#endif
