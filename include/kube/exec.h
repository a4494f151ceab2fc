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
	/* The cache that holds what path is of, or NULL. */
	struct kube_cache *(*cache)(void *ctx, struct str path);
	void *ctx;
};

struct kube_job {
	/* ---- the caller's ---- */
	struct arena a; /* the plan's; the done callback frees it */
	struct actions list;
	const char *source; /* of events */
	/* The answer to an action with a tag; may be NULL. */
	void (*reply)(struct kube_job *j, const struct action *act, const struct kube_answer *ans);
	void (*done)(struct kube_job *j);
	void *ctx;
	/* ---- what came of it ---- */
	bool failed; /* retry the key */
	bool later; /* retry it: only ACTION_LATER actions failed */
	struct str error; /* the first one, or "" */
	bool conflict; /* that error was a conflict (409) */
	bool unwrapped; /* or of an action without a text of its own */
	int64_t requeue; /* milliseconds; -1: not asked for */
	/* ---- its own ---- */
	struct kube_exec *exec;
	struct kube_step_call *calls; /* free ones */
	size_t at, running;
	unsigned step; /* under way */
	bool failed_before; /* something, before it */
	bool stopped;
};

/* done may be called from within. */
void kube_exec(struct kube_exec *x, struct kube_job *j);

/* An action that asks nothing of the server: an event, a gauge, a line. */
void kube_exec_local(struct kube_exec *x, const char *source, const struct action *act);

#endif
