/*
 * Runs the passes: one at a time, each followed by its requests.
 *
 * A pass with requests is followed by the next one when they are answered, from the caches that
 * have the answers. A request that fails, or a write that does not last, is reported in the
 * ClusterOperator as the error of its step. A conflict only repeats the pass, unless CONFLICTS_MAX
 * passes in a row end with one: the cache then lacks what the server has. Failures are retried with
 * the back-off of upstream's queue.
 */
#include <stdlib.h>

#include "base/backoff.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "mc/api.h"
#include "operator_state.h"

#define KEY NS_MCO "/" OPERATOR_NAME
#define REST_MS 100
#define REST_MAX_MS 5000
#define AGAIN_MAX_MS 60000
#define TURNS_MAX 64 /* passes with requests, one after the other; an install has about 20 */
#define CONFLICTS_MAX 5
/* The components of upstream's Events: its own, and those of its library. */
#define SOURCE "machineconfigoperator"

struct task {
	struct kube_job job;
	struct op_role *op;
	const struct kube_key *key;
	struct operator_result result;
	int rc;
	bool told; /* the failure of a request was written to the status */
	bool requests;
	unsigned turns; /* passes with requests */
};

static void begin(struct task *t);

void operator_queue(struct op_role *op, int64_t ms)
{
	kube_queue_after(op->queue, 0, S(KEY), ms);
}

static void end(struct task *t, bool failed)
{
	struct op_role *op = t->op;
	const struct kube_key *key = t->key;
	int64_t again = t->result.again_ms / op->scale;

	arena_free(&t->job.a);
	free(t);
	if (again)
		operator_queue(op, again < AGAIN_MAX_MS ? again : AGAIN_MAX_MS);
	kube_queue_done(op->queue, key, failed, BACKOFF_RETRIES);
}

/* The next pass of the task. */
static void renew(struct task *t)
{
	arena_free(&t->job.a);
	t->job = (struct kube_job){ 0 };
	t->job.ctx = t;
	begin(t);
}

/* Writes the error of a step to the ClusterOperator; the task then ends. */
static void report(struct task *t, struct str error)
{
	struct kube_job *j = &t->job;
	struct operator_view in;

	t->told = true;
	log_again(LOG_ERROR, S(KEY), "Error syncing operator " KEY ": %.*s", STRF(error));
	j->list = (struct actions){ 0 };
	j->at = 0;
	j->step = 0;
	j->failed = j->stopped = j->failed_before = false;
	in = operator_look(t->op, &j->a);
	operator_pass_failed(&j->a, &in, t->result.at, error, &j->list);
	kube_exec(&t->op->exec, j);
}

/* Counts the conflicts; true when another pass may solve this one. */
static bool is_passing_conflict(struct task *t)
{
	unsigned *n = &t->op->conflicts;

	*n = t->job.conflict ? *n + 1 : 0;
	return *n && *n < CONFLICTS_MAX;
}

/* True when the job goes on with the report of the failed request. */
static bool tell_failure(struct task *t)
{
	if (t->told || is_passing_conflict(t) || !t->job.error.n || t->result.status)
		return false;
	report(t, t->job.error);
	return true;
}

/* A write that the server or another client undoes is repeated in every pass. */
static void tell_restless(struct task *t)
{
	const struct action *act = actions_request(&t->result.actions);

	t->op->restless = true;
	report(t, str_fmt(&t->job.a, "%.*s is changed back after each write (%.*s)",
			  STRF(act->path), STRF(act->reason)));
}

/* Bring-up ends with the first sync that is complete. */
static bool end_bring_up(struct task *t)
{
	if (!t->op->bring_up || !t->result.done || t->job.failed)
		return false;
	log_info("Initialization complete");
	t->op->bring_up = false;
	return true;
}

static void finished(struct kube_job *j)
{
	struct task *t = j->ctx;
	bool failed = t->told || j->failed || t->rc < 0;

	if (j->later && !t->told)
		operator_pass_later(&t->op->memory, clock_ms() * t->op->scale);
	if (tell_failure(t))
		return;
	if (!failed && !t->op->stopping && (end_bring_up(t) || t->requests)) {
		if (++t->turns < TURNS_MAX || !t->requests)
			renew(t);
		else
			tell_restless(t);
		return;
	}
	if (!failed) {
		t->op->restless = false;
		if (log_over(S(KEY)))
			log_info("Synced operator " KEY " after errors");
	}
	end(t, failed);
}

/* Events on the ClusterOperator name no kind; the others are those of upstream's library. */
static void name_sources(struct actions *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].kind == ACTION_EVENT && !list->v[i].event.kind.n)
			list->v[i].event.source = SOURCE;
}

/* Without a MachineConfiguration the level of the command line stays. */
static void set_verbosity(const struct operator_view *in)
{
	if (in->get(in, OPERATOR_CONFIGURATIONS, S(NAME_CLUSTER)))
		log_init(operator_verbosity(in), log_fd());
}

static void begin(struct task *t)
{
	struct op_role *op = t->op;
	struct kube_job *j = &t->job;
	int64_t began = clock_ms(), took;
	struct operator_view in = operator_look(op, &j->a);
	struct err err = ERR_INIT(&j->a);

	t->rc = operator_pass(&j->a, &in, &op->memory, &t->result, &err);
	set_verbosity(&in);
	if (t->rc < 0)
		log_again(LOG_ERROR, S(KEY), "Error syncing operator " KEY ": %.*s", STRF(err.msg));
	took = clock_ms() - began;
	op->rest = REST_MS + 10 * took < REST_MAX_MS ? REST_MS + 10 * took : REST_MAX_MS;
	log_v(4, "pass %llu: %s, %zu actions, %lld ms", (unsigned long long)op->passes,
	      operator_step_name(t->result.at), t->result.actions.n, (long long)took);
	t->requests = actions_request(&t->result.actions);
	name_sources(&t->result.actions);
	j->list = t->result.actions;
	j->source = NAME_OPERATOR;
	j->done = finished;
	kube_exec(&op->exec, j);
}

void operator_work(void *ctx, const struct kube_key *key)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	t->op = ctx;
	t->key = key;
	t->job.ctx = t;
	t->turns = t->op->restless ? TURNS_MAX - 2 : 0; /* few writes until it comes to rest */
	begin(t);
}
