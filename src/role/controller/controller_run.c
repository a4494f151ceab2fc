/*
 * The controller as a process: acquires the lease, watches, plans, and stops on a signal.
 *
 * All state is in the cluster: the next leader can repeat every step that was interrupted. The
 * lease is released only when no job is running, or after GRACE_MS; a lost lease ends the process
 * at once.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/backoff.h"
#include "controller_state.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "io/sock.h"
#include "io/version.h"
#include "kube/lease.h"
#include "plan/drain.h"
#include "role/controller.h"

#define DISCOVER_MS 1000 /* before the first retry; later ones back off */
#define DISCOVER_MAX_MS 30000
#define WAITS_MS 2000
#define WAITS_MAX_MS 300000
#define GRACE_MS 1000 /* for running jobs; an interrupted one can be repeated */

static const struct kube_gauge gauges[] = {
	{ "mcc_boot_image_skew_enforcement_none", "",
	  "Set to 1 when boot image skew enforcement mode is None, indicating "
	  "scaling may not be successful as bootimages are out of date",
	  true },
	{ "mcc_drain_err", "node", "logs failed drain", true },
	{ "mcc_pool_alert", "node", "pool status alert", true },
	{ "mcc_sub_controller_state", "subcontroller,state,object",
	  "state of sub-controllers in the MCC", true },
	{ "mco_degraded_machine_count", "pool",
	  "total number of degraded machines in specified pool", false },
	{ "mco_machine_count", "pool", "total number of machines in a specified pool", false },
	{ "mco_state", "node,pool,state,reason", "state of a specified pool", false },
	{ "mco_unavailable_machine_count", "pool",
	  "total number of unavailable machines in specified pool", false },
	{ "mco_updated_machine_count", "pool", "total number of updated machines in specified pool",
	  false },
	{ "os_image_url_override", "pool", "state of OS image override", true },
	{ 0 },
};

struct process {
	struct controller c;
	struct kube_lease *lease;
	struct kube_call discovery;
	struct source gates_timer, grace, rediscover, waits;
	unsigned waits_logged; /* number of lines logged by on_waits */
	unsigned discoveries; /* number of failures */
	struct http_server *health;
	const struct controller_opts *o;
	bool stopping;
	int64_t patience; /* deadline of running jobs when stopping */
	int status;
};

/* Static, so that its memory stays reachable at exit (leak checkers). */
static struct process process;

/* ---- ending -------------------------------------------------------------- */

static void released(void *ctx)
{
	struct process *p = ctx;

	loop_stop(p->c.loop);
}

/* Releases the lease when no job is running, or after the deadline. */
static void on_grace(struct source *s, short events)
{
	struct process *p = s->ctx;

	(void)events;
	if (kube_queue_busy(p->c.queue) && clock_ms() < p->patience) {
		s->due = clock_ms() + 20;
		return;
	}
	kube_lease_release(p->lease);
}

static void stop(struct process *p, int status)
{
	if (p->stopping)
		return;
	p->stopping = true;
	p->status = status;
	kube_queue_halt(p->c.queue);
	p->patience = clock_ms() + GRACE_MS;
	p->grace.due = clock_ms();
	loop_update(p->c.loop, &p->grace);
}

static void on_signal(void *ctx, int signo)
{
	struct process *p = ctx;

	if (p->stopping)
		_exit(1);
	log_info("Received %s, shutting down", signo == SIGTERM ? "SIGTERM" : "SIGINT");
	stop(p, 0);
}

static void lost(void *ctx)
{
	(void)ctx;
	log_info("Stopped leading. Terminating.");
	_exit(0); /* another process leads: no more writes */
}

/* ---- beginning ----------------------------------------------------------- */

/* Only the leader serves metrics. As upstream, a failure to listen is not fatal. */
static void serve_metrics(struct process *p)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (kube_metrics_listen(&p->c.metrics, p->c.loop, &p->o->metrics, &err) < 0)
		log_error("metrics listener exited with error: %.*s", STRF(err.msg));
}

static void answer_probe(struct http_exchange *x, void *ctx)
{
	bool known = str_is(x->head->target, "/healthz");

	(void)ctx;
	http_reply(x, known ? 200 : 404, S("Content-Type: text/plain; charset=utf-8\r\n"),
		   known ? S("ok") : S(""), NULL, NULL);
}

/* Served by the main loop, so a probe also shows that the loop is not blocked. */
static int serve_probes(struct process *p, struct err *err)
{
	struct http_server_opts o = { .handle = answer_probe, .max_conns = 16 };
	const struct sock_place *at = p->o->health;
	int fd = -1;

	if (!at)
		return 0;
	if (sock_listen(at->host, at->port, &fd, err) < 0)
		return err_wrap(err, "--health-listen-address");
	log_info("health on :%u", sock_port(fd));
	p->health = http_server_new(p->c.loop, &o);
	http_server_listen(p->health, fd, NULL);
	return 0;
}

/* As upstream: writes the error to the pod's status and the log; exit status 255. */
static int give_up(struct str why)
{
	log_to_pod(why);
	log_line(LOG_FATAL, __FILE__, __LINE__, "%.*s", STRF(why));
	return 255;
}

static void gates_known(struct controller *c)
{
	serve_metrics(&process);
	process.gates_timer.due = 0;
	loop_update(c->loop, &process.gates_timer);
	controller_watch(c, false);
}

static void gates_differ(struct controller *c)
{
	(void)c;
	stop(&process, 0);
}

/* Ends the process, so that the reason is its last message and in the pod's status. */
static void refused(struct controller *c, struct str why)
{
	(void)c;
	if (process.stopping)
		return;
	stop(&process, give_up(why));
}

static void gates_late(struct controller *c)
{
	if (process.stopping)
		return;
	log_error("timed out waiting for FeatureGate cluster to have an entry "
		  "for version %.*s",
		  STRF(controller_version(c)));
	stop(&process, 1);
}

static void on_gates_timer(struct source *s, short events)
{
	struct process *p = s->ctx;

	(void)events;
	controller_gates(&p->c);
}

static void discovered(struct kube_call *call, const struct kube_answer *ans);

static void discover(struct process *p)
{
	p->discovery = (struct kube_call){
		.method = "GET", .path = S(PATH_CORE_ROOT), .done = discovered, .ctx = p
	};
	log_v(4, "GET " PATH_CORE_ROOT ": find the API version for evictions");
	kube_start(p->c.kube, &p->discovery);
}

static void on_rediscover(struct source *s, short events)
{
	(void)events;
	discover(s->ctx);
}

/* Retries with exponential back-off and jitter. */
static void discover_later(struct process *p)
{
	int64_t ms = backoff_ms(DISCOVER_MS, DISCOVER_MAX_MS, p->discoveries++);

	p->rediscover.due = clock_ms() + backoff_jitter(ms, 100, (uint64_t)clock_us());
	loop_update(p->c.loop, &p->rediscover);
}

/* Stores the version of the eviction API. Until it is known only drains wait. */
static void discovered(struct kube_call *call, const struct kube_answer *ans)
{
	struct process *p = call->ctx;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str offered;

	if (ans->rc < 0)
		(void)err_set(&err, ERR_AGAIN, "%.*s", STRF(ans->message));
	else if (drain_eviction_api(&a, ans->body, &offered, &err) == 0)
		p->c.eviction_api = str_dup(&p->c.kept, offered);
	if (err.code) {
		log_again(LOG_WARNING, S("discovery"),
			  "GET " PATH_CORE_ROOT ": %.*s: drains wait until it succeeds",
			  STRF(err.msg));
		discover_later(p);
	} else if (log_over(S("discovery"))) {
		log_info("GET " PATH_CORE_ROOT ": %.*s: drains continue", STRF(p->c.eviction_api));
	}
	if (!p->c.eviction_api.p)
		p->c.eviction_api = S("");
	controller_ready(&p->c);
	drains_again(&p->c);
}

/* Logs what a slow start waits for, with back-off. */
static void on_waits(struct source *s, short events)
{
	struct process *p = s->ctx;

	(void)events;
	if (p->c.running)
		return;
	controller_log_waits(&p->c);
	s->due = clock_ms() + backoff_ms(WAITS_MS, WAITS_MAX_MS, ++p->waits_logged);
}

static void leads(void *ctx)
{
	struct process *p = ctx;

	if (p->stopping)
		return;
	discover(p);
	p->waits_logged = 0;
	p->waits.due = clock_ms() + WAITS_MS;
	loop_update(p->c.loop, &p->waits);
	p->gates_timer.due = p->c.gates.due = clock_ms() + KUBE_GATES_MS;
	loop_update(p->c.loop, &p->gates_timer);
	controller_watch(&p->c, true);
}

static void add_timer(struct process *p, struct source *s,
		      void (*ready)(struct source *s, short events))
{
	*s = (struct source){ .fd = -1, .ready = ready, .ctx = p };
	loop_add(p->c.loop, s);
}

static int connect_api(struct process *p, struct err *err)
{
	struct kube_opts o = { .loop = p->c.loop, .conf = p->o->conf, .agent = NAME_CONTROLLER };

	return kube_new(&o, &p->c.kube, err);
}

static void set_up(struct process *p)
{
	struct controller *c = &p->c;
	const char *drain = getenv("MCO_DRAIN_MS");

	if (drain)
		(void)str_to_i64(str_of(drain), &c->evict_ms);
	c->templates = p->o->templates;
	c->gates.a = &c->kept;
	c->gates.release = p->o->release;
	c->gates.off_without = p->o->standalone;
	c->gather_ms = p->o->gather_ms;
	c->from_cluster = p->o->version_from_cluster;
	c->raw = str_of(version_raw());
	c->hash = str_of(version_hash());
	c->on_gates = gates_known;
	c->on_other_gates = gates_differ;
	c->on_late_gates = gates_late;
	c->on_refused = refused;
	c->replace_templates = p->o->replace_templates;
	c->events.kube = c->kube;
	c->events.namespace = NS_MCO;
	c->events.logged = true;
	map_init(&c->pools, &c->kept);
	c->exec = (struct kube_exec){ .kube = c->kube,
				      .events = &c->events,
				      .metrics = &c->metrics,
				      .cache = cache_of_path,
				      .ctx = c };
	c->queue = kube_queue_new(c->loop, controller_work, c);
	add_timer(p, &p->gates_timer, on_gates_timer);
	add_timer(p, &p->grace, on_grace);
	add_timer(p, &p->rediscover, on_rediscover);
	add_timer(p, &p->waits, on_waits);
}

int controller_run(const struct controller_opts *o, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct process *p = &process;
	struct kube_lease_opts lease = { .name = S(NAME_CONTROLLER),
					 .namespace = o->lock_namespace,
					 .identity = kube_lease_identity(&a),
					 .lasts_s = 137,
					 .renew_ms = 107000,
					 .retry_ms = 26000,
					 .leads = leads,
					 .lost = lost,
					 .released = released,
					 .ctx = p };
	int rc;

	p->o = o;
	p->c.loop = o->loop;
	if (connect_api(p, err) < 0) {
		(void)err_wrap(err, "creating clients");
		return give_up(err->msg);
	}
	set_up(p);
	kube_metrics_init(&p->c.metrics, gauges);
	rc = serve_probes(p, err);
	if (rc == 0)
		rc = loop_signal(p->c.loop, SIGTERM, on_signal, p, err);
	if (rc == 0)
		rc = loop_signal(p->c.loop, SIGINT, on_signal, p, err);
	if (rc < 0)
		return rc;
	log_info("MachineConfigController %s-%s", version_raw(), version_hash());
	lease.kube = p->c.kube;
	p->lease = kube_lease_start(&lease);
	rc = loop_run(p->c.loop, err);
	return rc < 0 ? rc : p->status;
}
