/*
 * kube/exec: executes the actions of one key.
 *
 * Steps run in order; the actions of one step run in parallel, up to a limit. The
 * response to a write is in the cache before done is called, so the key's next plan
 * sees it.
 */
#ifndef KUBE_EXEC_H
#define KUBE_EXEC_H

#include "kube/cache.h"
#include "kube/event.h"
#include "kube/metrics.h"

struct kube_exec {
	struct kube *kube;
	struct kube_events *events;
	struct kube_metrics *metrics;
	/* The cache of the collection that path belongs to, or NULL. */
	struct kube_cache *(*cache)(void *ctx, struct str path);
	void *ctx;
};

struct kube_job {
	/* ---- set by the caller ---- */
	struct arena a; /* the plan's; the done callback frees it */
	struct actions list;
	const char *source; /* of events */
	/* Called with the response to an action with a tag; may be NULL. */
	void (*reply)(struct kube_job *j, const struct action *act, const struct kube_answer *ans);
	void (*done)(struct kube_job *j);
	void *ctx;
	/* ---- the result ---- */
	bool failed; /* retry the key */
	bool later; /* retry it: only ACTION_LATER actions failed */
	struct str error; /* the first one, or "" */
	bool conflict; /* that error was a conflict (409) */
	bool unwrapped; /* that error is of an action without a wrap text */
	int64_t requeue; /* milliseconds; -1: no requeue */
	/* ---- private ---- */
	struct kube_exec *exec;
	struct kube_step_call *calls; /* free list */
	size_t at, running;
	unsigned step; /* the current one */
	bool failed_before; /* an action of an earlier step failed */
	bool stopped;
};

/* Runs a job. May call done before it returns. */
void kube_exec(struct kube_exec *x, struct kube_job *j);

/* Executes an action that needs no response: an Event, a gauge, a log line. */
void kube_exec_local(struct kube_exec *x, const char *source, const struct action *act);

#endif
