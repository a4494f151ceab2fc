#include "kube/exec.h"

#include <time.h>

#include "io/log.h"

struct kube_step_call {
	struct kube_call call;
	struct kube_job *job;
	const struct action *act;
};

/* By enum action_kind, up to EVICT. */
static const struct {
	char method[7], type[40];
} verbs[] = {
	[ACTION_GET] = { "GET", "" },
	[ACTION_CREATE] = { "POST", "" },
	[ACTION_REPLACE] = { "PUT", "" },
	[ACTION_MERGE] = { "PATCH", "application/merge-patch+json" },
	[ACTION_STRATEGIC] = { "PATCH",
			       "application/strategic-merge-patch+json" },
	[ACTION_APPLY] = { "PATCH", "application/apply-patch+yaml" },
	[ACTION_DELETE] = { "DELETE", "" },
	[ACTION_EVICT] = { "POST", "" },
};

void kube_exec_local(struct kube_exec *x, const char *source,
		     const struct action *act)
{
	struct timespec t;
	double value;

	switch (act->kind) {
	case ACTION_EVENT:
		log_v(2, "event %.*s on %.*s %.*s: %.*s",
		      STRF(act->event.reason), STRF(act->event.kind),
		      STRF(act->event.name), STRF(act->reason));
		kube_event(x->events, source, &act->event, act->reason);
		break;
	case ACTION_METRIC:
	case ACTION_UNMETRIC:
		(void)clock_gettime(CLOCK_REALTIME, &t);
		value = act->metric.now ? (double)t.tv_sec : act->metric.value;
		kube_metrics_set(x->metrics, &act->metric, value,
				 act->kind == ACTION_UNMETRIC);
		break;
	case ACTION_LOG:
		log_line(act->warning ? LOG_WARNING : LOG_INFO, __FILE__,
			 __LINE__, "%.*s", STRF(act->reason));
		break;
	default:
		break;
	}
}

static void fail(struct kube_job *j, const struct action *act,
		 struct str message)
{
	struct str text = message;

	if (act->wrap.n)
		text = str_fmt(&j->a, "%.*s: %.*s", STRF(act->wrap),
			       STRF(message));
	log_warn("%s %.*s (%.*s): %.*s", verbs[act->kind].method,
		 STRF(act->path), STRF(act->reason), STRF(text));
	if (act->fail == ACTION_SHRUG)
		return;
	if (!j->error.n)
		j->error = str_dup(&j->a, text);
	j->failed = true;
	if (act->fail == ACTION_STOP)
		j->stopped = true;
}

/* Without a query, and the part behind the last slash. */
static struct str object_name(struct str path)
{
	ptrdiff_t mark = str_chr(path, '?'), slash;

	if (mark >= 0)
		path.n = (size_t)mark;
	slash = str_rchr(path, '/');
	return str_from(path, (size_t)(slash + 1));
}

static void remember(struct kube_job *j, const struct action *act,
		     const struct kube_answer *ans)
{
	struct kube_cache *c =
		act->kind == ACTION_GET || act->kind == ACTION_EVICT
			? NULL
			: j->exec->cache(j->exec->ctx, act->path);
	struct err err = ERR_INIT(&j->a);
	struct json *tree = NULL;

	if (!c)
		return;
	if (act->kind != ACTION_DELETE) {
		kube_cache_put(c, ans->body);
		return;
	}
	/* an object in place of a Status has finalizers and is still there */
	if (json_parse(&j->a, ans->body, NULL, &tree, &err) == 0 &&
	    json_at(tree, "metadata.deletionTimestamp"))
		kube_cache_put(c, ans->body);
	else
		kube_cache_remove(c, object_name(act->path));
}

static void go_on(struct kube_job *j);

static void answered(struct kube_call *c, const struct kube_answer *ans)
{
	struct kube_step_call *s = c->ctx;
	struct kube_job *j = s->job;
	const struct action *act = s->act;
	bool gone = act->kind == ACTION_DELETE && ans->rc == -ERR_NOTFOUND;

	if (ans->rc == 0 || gone)
		remember(j, act, ans);
	else if (!act->tag || act->fail == ACTION_SHRUG)
		fail(j, act, ans->message);
	if (act->tag && j->reply)
		j->reply(j, act, ans);
	if (--j->running == 0)
		go_on(j);
}

static void start(struct kube_job *j, struct kube_step_call *s,
		  const struct action *act)
{
	const char *type = verbs[act->kind].type;

	if (act->kind != ACTION_GET)
		log_info("%s %.*s: %.*s", verbs[act->kind].method,
			 STRF(act->path), STRF(act->reason));
	*s = (struct kube_step_call){
		.call = { .method = verbs[act->kind].method,
			  .path = act->path,
			  .type = *type ? type : NULL,
			  .body = act->body,
			  /* 429 of an eviction is an answer */
			  .once = act->kind == ACTION_EVICT,
			  .done = answered },
		.job = j,
		.act = act,
	};
	s->call.ctx = s;
	j->running++;
	kube_start(j->exec->kube, &s->call);
}

/* Begins the next step that has something to ask of the server. */
static void go_on(struct kube_job *j)
{
	while (j->at < j->list.n && !j->running && !j->stopped) {
		unsigned step = j->list.v[j->at].step;
		bool failed = j->failed;

		for (; j->at < j->list.n && j->list.v[j->at].step == step;
		     j->at++) {
			const struct action *act = &j->list.v[j->at];

			if (act->if_ok && failed)
				continue;
			if (act->kind == ACTION_REQUEUE) {
				if (j->requeue < 0 || act->after < j->requeue)
					j->requeue = act->after;
			} else if (act->kind <= ACTION_EVICT) {
				start(j, &j->calls[j->at], act);
			} else {
				kube_exec_local(j->exec, j->source, act);
			}
		}
	}
	if (!j->running)
		j->done(j);
}

void kube_exec(struct kube_exec *x, struct kube_job *j)
{
	j->exec = x;
	j->requeue = -1;
	j->calls = arena_array(&j->a, j->list.n, sizeof(*j->calls));
	go_on(j);
}
