/*
 * Executes the plans, key by key.
 *
 * A plan reads the caches and returns actions; kube/exec executes them, and the task ends when all
 * are answered. Plans of kinds that are `alone` run one at a time. A failed write is reported once
 * per task in the status of the key's object. ERR_INVALID is not retried, every other failure is.
 */
#include <stdlib.h>

#include "base/backoff.h"
#include "controller_sync.h"
#include "io/clock.h"
#include "io/repeat.h"

#define REST_MAX 5000 /* milliseconds; upstream waits so long before every plan of a pool */
#define SOURCE(name) "machineconfigcontroller-" name

static const struct {
	sync_plan *plan; /* NULL: sync_generate of generates */
	const char *what, *source;
	unsigned retries;
	enum generate_kind generates;
	bool makes; /* it creates MachineConfigs, and rendering waits for it */
	bool alone; /* one at a time: a plan must see the writes of the one before */
} syncs[SYNC_KINDS] = {
	[SYNC_TEMPLATE] = { sync_template, "controllerconfig", SOURCE("templatecontroller"),
			    BACKOFF_RETRIES, .makes = true },
	[SYNC_KUBELET] = { NULL, "kubeletconfig", SOURCE("kubeletconfigcontroller"),
			   BACKOFF_RETRIES_KUBELET, .generates = GENERATE_KUBELET, .makes = true,
			   .alone = true },
	[SYNC_FEATURES] = { NULL, "featuregate", SOURCE("kubeletconfigcontroller"),
			    BACKOFF_RETRIES_KUBELET, .generates = GENERATE_FEATURES,
			    .makes = true },
	[SYNC_NODE_CONFIG] = { NULL, "node config", SOURCE("kubeletconfigcontroller"),
			       BACKOFF_RETRIES_KUBELET, .generates = GENERATE_NODE, .makes = true },
	[SYNC_RUNTIME] = { NULL, "containerruntimeconfig",
			   SOURCE("containerruntimeconfigcontroller"), BACKOFF_RETRIES,
			   .generates = GENERATE_RUNTIME, .makes = true, .alone = true },
	[SYNC_REGISTRIES] = { NULL, "image config", SOURCE("containerruntimeconfigcontroller"),
			      BACKOFF_RETRIES, .generates = GENERATE_REGISTRIES, .makes = true },
	[SYNC_CREDENTIALS] = { NULL, "criocredentialproviderconfig",
			       SOURCE("containerruntimeconfigcontroller"), BACKOFF_RETRIES,
			       .generates = GENERATE_CREDENTIALS, .makes = true },
	[SYNC_RENDER] = { sync_render, "machineconfigpool", SOURCE("rendercontroller"),
			  BACKOFF_RETRIES },
	[SYNC_PINNED] = { sync_pinned, "pinned image sets of machineconfigpool",
			  SOURCE("pinnedimagesetcontroller"), BACKOFF_RETRIES },
	[SYNC_POOL] = { sync_pool, "machineconfigpool", SOURCE("nodecontroller"), BACKOFF_RETRIES },
	[SYNC_DRAIN] = { sync_drain, "node", SOURCE("nodecontroller"), BACKOFF_RETRIES },
	[SYNC_MIGRATE] = { sync_migrate, "machineconfignodes", SOURCE("nodecontroller"),
			   BACKOFF_RETRIES },
	[SYNC_SETTINGS] = { sync_settings, "machineconfiguration", SOURCE("nodecontroller"),
			    BACKOFF_RETRIES },
	[SYNC_MASTER] = { sync_master, "master", SOURCE("nodecontroller"), BACKOFF_RETRIES },
};

const char *controller_source(enum sync_kind kind)
{
	return syncs[kind].source;
}

struct task {
	struct kube_job job;
	struct controller *c;
	const struct kube_key *key;
	struct reading reading;
	int rc;
	bool reported; /* its failure was written to the status */
	struct task *next; /* waits for this one to end */
};

static void begin(struct task *t);

static void replied(struct kube_job *j, const struct action *act, const struct kube_answer *ans)
{
	struct task *t = j->ctx;

	if (t->key->kind != SYNC_POOL)
		drain_answered(t->c, t->key->name, act, ans);
	else if (!pool_answered(t->c, t->key->name, act, ans))
		t->rc = -ERR_AGAIN;
}

/* Keeps the error for the next plan of the template controller, which reports it. */
static void remember_failure(struct controller *c, struct str error)
{
	bool reported = c->template_failed.n;

	arena_free(&c->failed_arena);
	c->template_failed = S("");
	if (!reported && error.n)
		c->template_failed = str_dup(&c->failed_arena, error);
}

/* Whether a failure is reported in the status of the key's object. */
static bool is_reported(const struct task *t)
{
	switch ((enum sync_kind)t->key->kind) {
	case SYNC_KUBELET:
	case SYNC_RUNTIME:
	case SYNC_CREDENTIALS:
	case SYNC_PINNED:
		return true;
	case SYNC_RENDER: /* a failed write of the status is not reported */
		return !t->job.unwrapped;
	default:
		return false;
	}
}

/* Reports the failure in the status. True when the job goes on with that write. */
static bool report_failure(struct task *t)
{
	struct kube_job *j = &t->job;

	if (t->reported || !j->error.n || j->conflict || !is_reported(t))
		return false;
	t->reported = true;
	t->rc = -ERR_AGAIN;
	j->list = (struct actions){ 0 };
	j->at = 0;
	j->failed = j->stopped = false;
	sync_failed(t->c, t->key,
		    j->unwrapped ? str_fmt(&j->a, "Error: %.*s", STRF(j->error)) : j->error, &j->a,
		    &j->list);
	kube_exec(&t->c->exec, j);
	return true;
}

/* True when the task can begin now; else it waits in the list of its kind. */
static bool take_turn(struct task *t)
{
	struct task **p = &t->c->turns[t->key->kind];

	if (!syncs[t->key->kind].alone)
		return true;
	while (*p)
		p = &(*p)->next;
	*p = t;
	return p == &t->c->turns[t->key->kind];
}

static void end_turn(const struct task *t)
{
	if (!syncs[t->key->kind].alone)
		return;
	t->c->turns[t->key->kind] = t->next;
	if (t->next)
		begin(t->next);
}

/* Repeated messages are limited per kind and name. */
static struct str log_key(struct task *t)
{
	return str_fmt(&t->job.a, "%u %.*s", t->key->kind, STRF(t->key->name));
}

static void log_failure(struct task *t, struct str why)
{
	const char *what = syncs[t->key->kind].what;

	if (t->c->waits)
		log_again(LOG_INFO, log_key(t), "Waiting to sync %s %.*s: %.*s", what,
			  STRF(t->key->name), STRF(why));
	else
		log_again(LOG_ERROR, log_key(t), "Error syncing %s %.*s: %.*s", what,
			  STRF(t->key->name), STRF(why));
}

/* A plan that only requeues itself does not end the failure before it. */
static void log_success(struct task *t)
{
	if (t->rc == 0 && t->job.requeue < 0 && log_over(log_key(t)))
		log_info("Synced %s %.*s after errors", syncs[t->key->kind].what,
			 STRF(t->key->name));
}

static void finished(struct kube_job *j)
{
	struct task *t = j->ctx;
	struct controller *c = t->c;
	const struct kube_key *key = t->key;
	bool failed = j->failed || j->later || (t->rc < 0 && t->rc != -ERR_INVALID);

	if (report_failure(t))
		return;
	c->making -= syncs[key->kind].makes;
	if (!failed)
		log_success(t);
	if (key->kind == SYNC_TEMPLATE)
		remember_failure(c, j->error);
	if (j->requeue >= 0)
		kube_queue_after(c->queue, key->kind, key->name, j->requeue);
	end_turn(t);
	kube_queue_done(c->queue, key, failed, syncs[key->kind].retries);
	arena_free(&j->a);
	free(t);
}

static void execute(struct task *t)
{
	t->job.source = syncs[t->key->kind].source;
	t->job.reply = replied;
	t->job.done = finished;
	t->job.ctx = t;
	kube_exec(&t->c->exec, &t->job);
}

/* Copies the strings that may be views of the caches, which can change during the execution.
 * Paths and bodies are always allocated by the plan. */
static void own_strings(struct arena *a, struct actions *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct action *act = &list->v[i];
		struct action_event *e = &act->event;
		struct str *s[8] = { &act->reason, &act->wrap };
		size_t n = 2;

		if (act->kind == ACTION_EVENT) {
			s[n++] = &e->api;
			s[n++] = &e->kind;
			s[n++] = &e->name;
			s[n++] = &e->uid;
			s[n++] = &e->version;
			s[n++] = &e->reason;
		} else if (act->kind == ACTION_METRIC || act->kind == ACTION_UNMETRIC) {
			for (size_t k = 0; k < ACTION_LABELS; k++)
				s[n++] = &act->metric.labels[k];
		}
		while (n-- > 0)
			if (s[n]->n)
				*s[n] = str_dup(a, *s[n]);
	}
}

static void has_read(struct reading *r)
{
	struct task *t = r->ctx;

	if (r->error.n) {
		t->c->waits = false;
		t->rc = -ERR_AGAIN;
		log_failure(t, r->error);
		execute(t);
	} else {
		begin(t);
	}
}

/* True when reads have started; the plan runs again when they end. */
static bool read_wanted(struct task *t)
{
	struct reading *r = &t->reading;

	if (r->at == r->wanted.n)
		return false;
	t->job.list = (struct actions){ 0 };
	r->a = &t->job.a;
	r->done = has_read;
	r->ctx = t;
	controller_read(t->c, r);
	return true;
}

static void begin(struct task *t)
{
	const struct kube_key *key = t->key;
	struct controller *c = t->c;
	int64_t began = clock_ms();
	struct err err = ERR_INIT(&t->job.a);

	c->waits = false;
	c->reading = &t->reading;
	if (syncs[key->kind].plan)
		t->rc = syncs[key->kind].plan(c, key->name, &t->job.a, &t->job.list, &err);
	else
		t->rc = sync_generate(c, syncs[key->kind].generates, key->name, &t->job.a,
				      &t->job.list, &err);
	c->reading = NULL;
	if (read_wanted(t))
		return;
	if (key->kind == SYNC_POOL) {
		int64_t now = clock_ms(), rest = 50 + 10 * (now - began);

		/* the limit is for a machine that was suspended during the plan */
		c->pools_rest = now + (rest < REST_MAX ? rest : REST_MAX);
	}
	if (t->rc < 0)
		log_failure(t, err.msg);
	own_strings(&t->job.a, &t->job.list);
	execute(t);
}

void controller_work(void *ctx, const struct kube_key *key)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	t->c = ctx;
	t->key = key;
	t->c->making += syncs[key->kind].makes;
	if (take_turn(t))
		begin(t);
}
