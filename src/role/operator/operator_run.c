/*
 * The operator as a process: acquires the lease, watches, passes, and stops on a signal.
 *
 * The lease is released only when no request of a pass is running, or after GRACE_MS; a lost lease
 * ends the process at once. A pass that was interrupted can be repeated by the next leader.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/backoff.h"
#include "io/clock.h"
#include "io/follow.h"
#include "io/log.h"
#include "kube/lease.h"
#include "mc/api.h"
#include "operator_state.h"

#define RETRY_MS 1000
#define RETRY_MAX_MS 30000
#define WAITS_MS 2000
#define WAITS_MAX_MS 300000
#define GRACE_MS 1000
#define PATH_CRD_CONFIGS PATH_CRD "customresourcedefinitions/controllerconfigs." GROUP_MC

struct process {
	struct op_role op;
	struct kube_lease *lease;
	struct kube_call call; /* GET of the infrastructure, then of the CRD */
	struct source gates_timer, grace, retry, waits;
	unsigned waits_logged, retries;
	struct str identity;
	int64_t patience; /* deadline of running requests when stopping */
	bool leading;
	int status;
};

/* Static, so that its memory stays reachable at exit (leak checkers). */
static struct process process;

/* ---- ending -------------------------------------------------------------- */

static struct loop *loop_of(const struct process *p)
{
	return p->op.o->loop;
}

static void released(void *ctx)
{
	struct process *p = ctx;

	if (p->leading)
		log_info("Stopped leading. Terminating.");
	loop_stop(loop_of(p));
}

static void on_grace(struct source *s, short events)
{
	struct process *p = s->ctx;

	(void)events;
	if (kube_queue_busy(p->op.queue) && clock_ms() < p->patience) {
		s->due = clock_ms() + 20;
		return;
	}
	if (p->lease)
		kube_lease_release(p->lease);
	else
		loop_stop(loop_of(p));
}

static void stop(struct op_role *op, int status)
{
	struct process *p = &process;

	if (op->stopping)
		return;
	op->stopping = true;
	p->status = status;
	kube_queue_halt(op->queue);
	p->patience = clock_ms() + GRACE_MS;
	p->grace.due = clock_ms();
	loop_update(loop_of(p), &p->grace);
}

static void on_signal(void *ctx, int signo)
{
	struct process *p = ctx;

	if (p->op.stopping)
		_exit(1);
	log_info("Shutting down due to: %s", signo == SIGTERM ? "terminated" : "interrupt");
	log_info("Context cancelled");
	if (p->op.running)
		log_info("Shutting down MachineConfigOperator");
	stop(&p->op, 0);
}

static void lost(void *ctx)
{
	(void)ctx;
	log_info("Stopped leading. Terminating.");
	_exit(0); /* another process leads: no more writes */
}

/* ---- beginning ----------------------------------------------------------- */

static void on_images(void *ctx)
{
	struct op_role *op = ctx;

	if (op->running)
		operator_queue(op, 0);
}

static void gates_known(struct op_role *op)
{
	process.gates_timer.due = 0;
	loop_update(op->o->loop, &process.gates_timer);
	operator_watch(op, false);
}

static void on_gates_timer(struct source *s, short events)
{
	struct process *p = s->ctx;

	(void)events;
	operator_gates(&p->op);
}

/* Logs what a slow start waits for, with back-off. */
static void on_waits(struct source *s, short events)
{
	struct process *p = s->ctx;

	(void)events;
	if (p->op.running)
		return;
	operator_log_waits(&p->op);
	s->due = clock_ms() + backoff_ms(WAITS_MS, WAITS_MAX_MS, ++p->waits_logged);
}

static void get(struct process *p, struct str path,
		void (*done)(struct kube_call *c, const struct kube_answer *ans))
{
	p->call = (struct kube_call){ .method = "GET", .path = path, .done = done, .ctx = p };
	kube_start(p->op.kube, &p->call);
}

/* Without the definition of ControllerConfigs the cluster is being installed. */
static void got_crd(struct kube_call *c, const struct kube_answer *ans)
{
	struct process *p = c->ctx;

	if (ans->rc < 0 && ans->rc != -ERR_NOTFOUND) {
		log_warn("GET " PATH_CRD_CONFIGS ": %.*s", STRF(ans->message));
		p->retry.due = clock_ms() + backoff_ms(RETRY_MS, RETRY_MAX_MS, p->retries++);
		loop_update(loop_of(p), &p->retry);
		return;
	}
	p->op.bring_up = ans->rc < 0;
	if (p->op.bring_up)
		log_info("Couldn't find controllerconfig CRD, in cluster bringup mode");
	p->op.crd_known = true;
	operator_ready(&p->op);
}

static void on_retry(struct source *s, short events)
{
	(void)events;
	get(s->ctx, S(PATH_CRD_CONFIGS), got_crd);
}

static void leads(void *ctx)
{
	struct process *p = ctx;

	if (p->op.stopping)
		return;
	p->leading = true;
	get(p, S(PATH_CRD_CONFIGS), got_crd);
	p->waits.due = clock_ms() + WAITS_MS;
	loop_update(loop_of(p), &p->waits);
	p->gates_timer.due = p->op.gates.due = clock_ms() + KUBE_GATES_MS;
	loop_update(loop_of(p), &p->gates_timer);
	operator_watch(&p->op, true);
}

/* A control plane of one node has longer terms: its API server restarts with every update. */
static void got_infrastructure(struct kube_call *c, const struct kube_answer *ans)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct process *p = c->ctx;
	struct err err = ERR_INIT(&a);
	struct json *tree = NULL;
	struct kube_lease_opts o = { .kube = p->op.kube,
				     .name = S(OPERATOR_NAME),
				     .namespace = S(NS_MCO),
				     .identity = p->identity,
				     .lasts_s = 137,
				     .renew_ms = 107000,
				     .retry_ms = 26000,
				     .leads = leads,
				     .lost = lost,
				     .released = released,
				     .ctx = p };

	if (p->op.stopping)
		return;
	if (ans->rc == 0 && json_parse(&a, ans->body, NULL, &tree, &err) == 0 &&
	    str_is(json_str(tree, "status.controlPlaneTopology"), "SingleReplica")) {
		o.lasts_s = 270;
		o.renew_ms = 240000;
		o.retry_ms = 60000;
	}
	o.lasts_s = o.lasts_s > p->op.scale ? o.lasts_s / p->op.scale : 1;
	o.renew_ms /= p->op.scale;
	o.retry_ms /= p->op.scale;
	p->lease = kube_lease_start(&o);
}

static void add_timer(struct process *p, struct source *s,
		      void (*ready)(struct source *s, short events))
{
	*s = (struct source){ .fd = -1, .ready = ready, .ctx = p };
	loop_add(loop_of(p), s);
}

static void set_up(struct process *p)
{
	struct op_role *op = &p->op;
	const char *scale = getenv("MCO_CLOCK_SCALE");

	op->scale = 1;
	if (scale && (!str_to_i64(str_of(scale), &op->scale) || op->scale < 1))
		op->scale = 1;
	p->identity = kube_lease_identity(&op->kept);
	op->memory.a = op->gates.a = &op->kept;
	op->gates.release = op->o->release;
	op->gates.off_without = op->o->standalone;
	op->on_gates = gates_known;
	op->on_end = stop;
	op->events.kube = op->kube;
	op->events.namespace = NS_MCO;
	op->events.logged = true;
	op->exec = (struct kube_exec){
		.kube = op->kube, .events = &op->events, .cache = operator_cache, .ctx = op
	};
	op->queue = kube_queue_new(op->o->loop, operator_work, op);
	if (op->o->images)
		(void)follow_start(op->o->loop, &op->o->images, 1, 0, on_images, op);
	add_timer(p, &p->gates_timer, on_gates_timer);
	add_timer(p, &p->grace, on_grace);
	add_timer(p, &p->retry, on_retry);
	add_timer(p, &p->waits, on_waits);
}

int operator_run(const struct operator_opts *o, struct err *err)
{
	struct process *p = &process;
	struct kube_opts k = { .loop = o->loop, .conf = o->conf, .agent = NAME_OPERATOR };
	int rc;

	p->op.o = o;
	rc = kube_new(&k, &p->op.kube, err);
	if (rc < 0)
		return err_wrap(err, "error creating clients");
	set_up(p);
	rc = loop_signal(o->loop, SIGTERM, on_signal, p, err);
	if (rc == 0)
		rc = loop_signal(o->loop, SIGINT, on_signal, p, err);
	if (rc < 0)
		return rc;
	get(p, S(PATH_CONFIG "infrastructures/" NAME_CLUSTER), got_infrastructure);
	rc = loop_run(o->loop, err);
	return rc < 0 ? rc : p->status;
}
