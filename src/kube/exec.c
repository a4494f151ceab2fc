/*
 * exec: executes the actions of a job step by step.
 *
 * A step starts when all requests of the step before have been answered. At most AT_ONCE requests
 * of a job run at the same time. Every response to a write goes to the cache before the job
 * continues. A conflict that fails the job is routine: it is logged at verbosity 4, and the key is
 * planned again.
 */
#include "kube/exec.h"

#include "io/clock.h"
#include "io/repeat.h"
#include "mc/object.h"

/* Requests per job at the same time: bounds the memory of a step with thousands. */
#define AT_ONCE 32

struct kube_step_call {
	struct kube_call call;
	struct kube_job *job;
	const struct action *act;
	uint64_t version; /* cached version of the object to delete */
	struct kube_step_call *next; /* in the free list */
};

/* By enum action_kind, up to EVICT. */
static const struct {
	char method[7], type[40];
} verbs[] = {
	[ACTION_GET] = { "GET", "" },
	[ACTION_CREATE] = { "POST", "" },
	[ACTION_REPLACE] = { "PUT", "" },
	[ACTION_MERGE] = { "PATCH", "application/merge-patch+json" },
	[ACTION_STRATEGIC] = { "PATCH", "application/strategic-merge-patch+json" },
	[ACTION_APPLY] = { "PATCH", "application/apply-patch+yaml" },
	[ACTION_DELETE] = { "DELETE", "" },
	[ACTION_EVICT] = { "POST", "" },
};

static void log_action(const struct action *act)
{
	enum log_level level = act->error ? LOG_ERROR : act->warning ? LOG_WARNING : LOG_INFO;

	if (act->state)
		log_again(level, act->reason, "%.*s", STRF(act->reason));
	else
		log_line(level, __FILE__, __LINE__, "%.*s", STRF(act->reason));
}

void kube_exec_local(struct kube_exec *x, const char *source, const struct action *act)
{
	double value;

	switch (act->kind) {
	case ACTION_EVENT:
		kube_event(x->events, act->event.source ? act->event.source : source, &act->event,
			   act->reason);
		break;
	case ACTION_METRIC:
	case ACTION_UNMETRIC:
		value = act->metric.now ? (double)clock_wall_s() : act->metric.value;
		kube_metrics_set(x->metrics, &act->metric, value, act->kind == ACTION_UNMETRIC);
		break;
	case ACTION_LOG:
		log_action(act);
		break;
	default:
		break;
	}
}

/* The name of the object that an ACTION_CREATE makes. */
static struct str made_name(struct kube_job *j, const struct action *act)
{
	const struct json *object = act->object;
	struct json *tree = NULL;
	struct err ignored = ERR_INIT(&j->a);

	if (!object && json_parse(&j->a, act->body, NULL, &tree, &ignored) == 0)
		object = tree;
	return json_str(object, "metadata.name");
}

/* Objects of one collection are created by the same path: add the name. */
static struct str log_key(struct kube_job *j, const struct action *act)
{
	return act->kind == ACTION_CREATE ? str_fmt(&j->a, "%.*s %.*s %.*s", STRF(act->path),
						    STRF(made_name(j, act)), STRF(act->reason))
					  : act->path;
}

static void fail(struct kube_job *j, const struct action *act, const struct kube_answer *ans)
{
	struct str text = ans->message;
	/* another writer was first: the key is planned again */
	bool routine = ans->rc == -ERR_CONFLICT && act->fail != ACTION_SHRUG;

	if (act->wrap.n)
		text = str_fmt(&j->a, "%.*s: %.*s", STRF(act->wrap), STRF(text));
	if (routine)
		log_v(4, "%s %.*s (%.*s): %.*s", verbs[act->kind].method, STRF(act->path),
		      STRF(act->reason), STRF(text));
	else
		log_again(LOG_WARNING, log_key(j, act), "%s %.*s (%.*s): %.*s",
			  verbs[act->kind].method, STRF(act->path), STRF(act->reason), STRF(text));
	j->later |= act->fail == ACTION_LATER;
	if (act->fail == ACTION_SHRUG || act->fail == ACTION_LATER)
		return;
	if (!j->error.n) {
		j->error = str_dup(&j->a, text);
		j->conflict = ans->rc == -ERR_CONFLICT;
		j->unwrapped = !act->wrap.n;
	}
	j->failed = true;
	if (act->fail == ACTION_STOP)
		j->stopped = true;
}

/* The cache key of the object of a path: "name", or "namespace/name". */
static struct str object_key(struct arena *a, struct str path)
{
	const struct str mark = S("/namespaces/");
	ptrdiff_t query = str_chr(path, '?'), at;
	struct str name, ns, kind;

	if (query >= 0)
		path.n = (size_t)query;
	name = str_from(path, (size_t)(str_rchr(path, '/') + 1));
	at = str_find(path, mark);
	if (at < 0 || !str_cut(str_from(path, (size_t)at + mark.n), '/', &ns, &kind))
		return name;
	return str_fmt(a, "%.*s/%.*s", STRF(ns), STRF(name));
}

/* The cache that stores the response to an action, or NULL. */
static struct kube_cache *cache_for(struct kube_job *j, const struct action *act)
{
	return act->kind == ACTION_GET || act->kind == ACTION_EVICT
		       ? NULL
		       : j->exec->cache(j->exec->ctx, act->path);
}

static void remember(struct kube_job *j, const struct kube_step_call *s,
		     const struct kube_answer *ans)
{
	const struct action *act = s->act;
	struct kube_cache *c = cache_for(j, act);
	struct err err = ERR_INIT(&j->a);
	struct json *tree = NULL;

	if (!c)
		return;
	if (act->kind != ACTION_DELETE) {
		kube_cache_put(c, ans->body);
		return;
	}
	/* the response is the object, not a Status: finalizers keep it for now */
	if (json_parse(&j->a, ans->body, NULL, &tree, &err) == 0 &&
	    json_at(tree, "metadata.deletionTimestamp"))
		kube_cache_put(c, ans->body);
	else
		kube_cache_remove(c, object_key(&j->a, act->path), s->version);
}

/* Writes of MachineConfigs cause rollouts: log each one with its reason. */
static void log_written(struct kube_job *j, const struct action *act)
{
	const struct str mcs = S(PATH_MC "machineconfigs");
	struct str name;

	if (!str_starts(act->path, mcs) || act->kind == ACTION_GET)
		return;
	name = act->kind == ACTION_CREATE ? made_name(j, act) : str_from(act->path, mcs.n + 1);
	log_info("%s MachineConfig %.*s: %.*s",
		 act->kind == ACTION_CREATE   ? "Created"
		 : act->kind == ACTION_DELETE ? "Deleted"
					      : "Updated",
		 STRF(name), STRF(act->reason));
}

static void go_on(struct kube_job *j);

static void answered(struct kube_call *c, const struct kube_answer *ans)
{
	struct kube_step_call *s = c->ctx;
	struct kube_job *j = s->job;
	const struct action *act = s->act;
	bool gone = act->kind == ACTION_DELETE && ans->rc == -ERR_NOTFOUND;

	if (ans->rc == 0 || gone) {
		remember(j, s, ans);
		log_written(j, act);
		if (log_over(log_key(j, act)))
			log_info("%s %.*s (%.*s): succeeded after failures",
				 verbs[act->kind].method, STRF(act->path), STRF(act->reason));
	} else if (!act->tag) {
		fail(j, act, ans);
	}
	if (act->tag && j->reply)
		j->reply(j, act, ans);
	s->next = j->calls;
	j->calls = s;
	j->running--;
	go_on(j);
}

static void start(struct kube_job *j, const struct action *act)
{
	const char *type = verbs[act->kind].type;
	struct kube_step_call *s = j->calls;

	j->calls = s->next;

	log_v(4, "%s %.*s: %.*s", verbs[act->kind].method, STRF(act->path), STRF(act->reason));
	*s = (struct kube_step_call){
		.call = { .method = verbs[act->kind].method,
			  .path = act->path,
			  .type = *type ? type : NULL,
			  .body = act->body,
			  /* 429 is the response of a PodDisruptionBudget: no retry here */
			  .once = act->kind == ACTION_EVICT,
			  .done = answered },
		.job = j,
		.act = act,
	};
	s->call.ctx = s;
	if (act->kind == ACTION_DELETE && cache_for(j, act))
		s->version = kube_cache_version(cache_for(j, act), object_key(&j->a, act->path));
	j->running++;
	kube_start(j->exec->kube, &s->call);
}

/* Starts the next actions of the step; begins the next step when all are answered. */
static void go_on(struct kube_job *j)
{
	for (; j->at < j->list.n && !j->stopped; j->at++) {
		const struct action *act = &j->list.v[j->at];

		if (act->step != j->step) {
			if (j->running)
				break;
			j->step = act->step;
			j->failed_before = j->failed;
		}
		if (act->if_ok && j->failed_before)
			continue;
		if (act->kind == ACTION_REQUEUE) {
			if (j->requeue < 0 || act->after < j->requeue)
				j->requeue = act->after;
		} else if (action_is_request(act->kind)) {
			if (!j->calls)
				break;
			start(j, act);
		} else {
			kube_exec_local(j->exec, j->source, act);
		}
	}
	if (!j->running)
		j->done(j);
}

void kube_exec(struct kube_exec *x, struct kube_job *j)
{
	size_t n = j->list.n < AT_ONCE ? j->list.n : AT_ONCE;
	struct kube_step_call *v = arena_array(&j->a, n, sizeof(*v));

	j->exec = x;
	j->requeue = -1;
	j->calls = NULL;
	while (n-- > 0) {
		v[n].next = j->calls;
		j->calls = &v[n];
	}
	go_on(j);
}
