/*
 * mco-controller start: leads, watches, plans, until it is told to end. Whatever
 * it had begun can be begun anew by the next one: nothing but the cluster is
 * remembered.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/backoff.h"
#include "controller.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/repeat.h"
#include "io/sock.h"
#include "io/version.h"
#include "kube/config.h"
#include "kube/lease.h"
#include "mco_controller.h"
#include "plan/drain.h"

#define GATES_WAIT_MS 60000
#define DISCOVER_MS 1000 /* before the second try; later ones wait longer */
#define DISCOVER_MAX_MS 30000
#define WAITS_MS 2000
#define WAITS_MAX_MS 300000
#define GRACE_MS 1000 /* what is under way can be begun anew */

struct opts {
	struct kube_flags kube;
	struct str templates, release, lock_namespace, metrics, health;
	struct str suites, min_version;
	int64_t gather; /* nanoseconds */
	bool replace_templates, from_cluster;
};

#define TEXT(flag, member, what, text)                                                   \
	{                                                                                \
		.name = flag, .kind = FLAG_STR, .offset = offsetof(struct opts, member), \
		.value = what, .help = text                                              \
	}

static const struct flag flags[] = {
	TEXT("kubeconfig", kube.kubeconfig, "FILE",
	     "cluster and credentials (default $KUBECONFIG, or the pod's)"),
	TEXT("resourcelock-namespace", lock_namespace, "NAME",
	     "namespace of the lease (default kube-system)"),
	TEXT("metrics-listen-address", metrics, "HOST:PORT",
	     "where metrics are served (default 127.0.0.1:8797)"),
	TEXT("health-listen-address", health, "HOST:PORT",
	     "where /healthz is served, leading or not (default nowhere)"),
	TEXT("templates", templates, "DIR",
	     "the templates (default " TEMPLATES_DIR
	     "); builtin: those that are part of this program"),
	{ .name = "replace-templates",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, replace_templates),
	  .help = "let --templates=builtin replace MachineConfigs that other "
		  "templates made" },
	{ .name = "version-from-cluster",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, from_cluster),
	  .help = "stand for the version that made the cluster's objects "
		  "(default true where neither the build nor MCO_RAW or "
		  "MCO_HASH name one)" },
	{ .name = "payload-version",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, release),
	  .value = "VERSION",
	  .help = "version of the release (default " MC_GATES_SNAPSHOT ")",
	  .env = "RELEASE_VERSION" },
	{ .name = "gather-changes",
	  .kind = FLAG_DURATION,
	  .offset = offsetof(struct opts, gather),
	  .value = "TIME",
	  .help = "how long MachineConfigs must be left alone before their "
		  "pools are rendered (default 1s; after five times that it "
		  "is done anyway)" },
	/* taken and not used, as upstream does */
	{ .name = "tls-cipher-suites",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, suites),
	  .value = "LIST",
	  .hidden = true },
	{ .name = "tls-min-version",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, min_version),
	  .value = "VERSION",
	  .hidden = true },
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	o->release = S(MC_GATES_SNAPSHOT);
	o->from_cluster = !version_given();
	o->gather = 1000000000;
	o->lock_namespace = S(NS_KUBE_SYSTEM);
	o->metrics = S("127.0.0.1:8797");
}

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
	struct kube_conf conf;
	struct kube_lease *lease;
	struct kube_call discovery;
	struct source gates_timer, grace, rediscover, waits;
	unsigned waits_logged; /* lines about what is waited for */
	unsigned discoveries; /* that failed */
	struct sock_place metrics;
	struct http_server *health;
	const struct opts *o;
	bool stopping;
	int64_t patience; /* until when jobs under way are waited for */
	int status;
};

/* Not on the stack: what it holds stays reachable to the end. */
static struct process process;

/* ---- ending -------------------------------------------------------------- */

static void released(void *ctx)
{
	struct process *p = ctx;

	loop_stop(p->c.loop);
}

/* The lease goes when nothing of ours is under way any more. */
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
	_exit(0); /* somebody else leads: not one more write */
}

/* ---- beginning ----------------------------------------------------------- */

/* Of who leads: the others have nothing to show. As upstream, it goes on without. */
static void serve_metrics(struct process *p)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (kube_metrics_listen(&p->c.metrics, p->c.loop, &p->metrics, &err) < 0)
		log_error("metrics listener exited with error: %.*s", STRF(err.msg));
}

static void answer_probe(struct http_exchange *x, void *ctx)
{
	bool known = str_is(x->head->target, "/healthz");

	(void)ctx;
	http_reply(x, known ? 200 : 404, S("Content-Type: text/plain; charset=utf-8\r\n"),
		   known ? S("ok") : S(""), NULL, NULL);
}

/* The loop that answers is the one that does everything else. */
static int serve_probes(struct process *p, struct err *err)
{
	struct http_server_opts o = { .handle = answer_probe, .max_conns = 16 };
	struct sock_place at;
	int fd = -1, rc;

	if (!p->o->health.n)
		return 0;
	rc = sock_place_parse(p->o->health, &at, err);
	if (rc == 0)
		rc = sock_listen(at.host, at.port, &fd, err);
	if (rc < 0)
		return err_wrap(err, "--health-listen-address");
	log_info("health on :%u", sock_port(fd));
	p->health = http_server_new(p->c.loop, &o);
	http_server_listen(p->health, fd, NULL);
	return 0;
}

static void gates_known(struct controller *c)
{
	serve_metrics(&process);
	process.gates_timer.due = 0;
	loop_update(c->loop, &process.gates_timer);
	controller_watch(c, W_NODE, W_KINDS);
}

static void gates_differ(struct controller *c)
{
	(void)c;
	stop(&process, 0);
}

/* What it refuses, nobody has to look for in a log that goes on. */
static void refused(struct controller *c, struct str why)
{
	(void)c;
	if (process.stopping)
		return;
	log_to_pod(why);
	log_line(LOG_FATAL, __FILE__, __LINE__, "%.*s", STRF(why));
	stop(&process, 255);
}

static void gates_late(struct source *s, short events)
{
	(void)events;
	log_error("timed out waiting for FeatureGate cluster to have an entry "
		  "for version %.*s",
		  STRF(controller_version(&process.c)));
	stop(s->ctx, 1);
}

static void discovered(struct kube_call *call, const struct kube_answer *ans);

static void discover(struct process *p)
{
	p->discovery = (struct kube_call){
		.method = "GET", .path = S(PATH_CORE_ROOT), .done = discovered, .ctx = p
	};
	log_v(4, "GET " PATH_CORE_ROOT ": which version of the API evicts pods");
	kube_start(p->c.kube, &p->discovery);
}

static void on_rediscover(struct source *s, short events)
{
	(void)events;
	discover(s->ctx);
}

/* A server that is not well is not pressed: each wait is longer than the last,
 * by a part that no two controllers share. */
static void discover_later(struct process *p)
{
	int64_t ms = backoff_ms(DISCOVER_MS, DISCOVER_MAX_MS, p->discoveries++);

	p->rediscover.due = clock_ms() + backoff_jitter(ms, 100, (uint64_t)clock_us());
	loop_update(p->c.loop, &p->rediscover);
}

/* Which version of the API evicts pods. Until it is known only drains wait. */
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
			  "GET " PATH_CORE_ROOT ": %.*s: drains wait for it", STRF(err.msg));
		discover_later(p);
	} else if (log_over(S("discovery"))) {
		log_info("GET " PATH_CORE_ROOT ": %.*s: drains go on", STRF(p->c.eviction_api));
	}
	if (!p->c.eviction_api.p)
		p->c.eviction_api = S("");
	controller_ready(&p->c);
	drains_again(&p->c);
}

/* What takes longer than a start normally does is said, ever less often. */
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
	p->gates_timer.due = clock_ms() + GATES_WAIT_MS;
	loop_update(p->c.loop, &p->gates_timer);
	controller_watch(&p->c, W_GATES, W_NODE);
}

/* client-go's: the host's name and a random UUID. */
static struct str identity(struct arena *a)
{
	char host[256] = "";
	unsigned char r[16];
	struct buf b;

	(void)gethostname(host, sizeof(host) - 1);
	if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		abort();
	r[6] = (unsigned char)((r[6] & 15) | 64);
	r[8] = (unsigned char)((r[8] & 63) | 128);
	buf_init(&b, a);
	buf_addf(&b, "%s_", host);
	for (int i = 0; i < 16; i++)
		buf_addf(&b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r[i]);
	return buf_str(&b);
}

static void add_timer(struct process *p, struct source *s,
		      void (*ready)(struct source *s, short events))
{
	*s = (struct source){ .fd = -1, .ready = ready, .ctx = p };
	loop_add(p->c.loop, s);
}

static int connect_api(struct run *r, struct process *p)
{
	struct kube_opts o = { .loop = p->c.loop, .conf = &p->conf, .agent = NAME_CONTROLLER };
	int rc = kube_config_load(r->a, &p->o->kube, true, &p->conf, &r->err);

	if (rc == 0)
		rc = kube_new(&o, &p->c.kube, &r->err);
	return rc;
}

/* As upstream tells it: to the pod's status, to the log, exit status 255. */
static _Noreturn void give_up(struct run *r)
{
	log_to_pod(r->err.msg);
	log_fatal("%.*s", STRF(r->err.msg));
}

static void set_up(struct process *p)
{
	struct controller *c = &p->c;
	const char *drain = getenv("MCO_DRAIN_MS");

	if (drain)
		(void)str_to_i64(str_of(drain), &c->evict_ms);
	c->release = p->o->release;
	c->gather_ms = p->o->gather / 1000000;
	c->from_cluster = p->o->from_cluster;
	c->raw = str_of(version_raw());
	c->hash = str_of(version_hash());
	c->on_gates = gates_known;
	c->on_other_gates = gates_differ;
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
	add_timer(p, &p->gates_timer, gates_late);
	add_timer(p, &p->grace, on_grace);
	add_timer(p, &p->rediscover, on_rediscover);
	add_timer(p, &p->waits, on_waits);
}

static int run_start(struct run *r, const void *opts)
{
	struct process *p = &process;
	struct kube_lease_opts lease = { .name = S(NAME_CONTROLLER),
					 .lasts_s = 137,
					 .renew_ms = 107000,
					 .retry_ms = 26000,
					 .leads = leads,
					 .lost = lost,
					 .released = released,
					 .ctx = p };
	int rc;

	log_never_wait();
	p->o = opts;
	p->c.loop = loop_new(&r->err);
	if (!p->c.loop)
		return -(int)r->err.code;
	if (connect_api(r, p) < 0) {
		(void)err_wrap(&r->err, "creating clients");
		give_up(r);
	}
	set_up(p);
	if (controller_templates(r, p->o->templates, &p->c.templates) < 0)
		give_up(r);
	kube_metrics_init(&p->c.metrics, gauges);
	rc = sock_place_parse(p->o->metrics.n ? p->o->metrics : S(":8797"), &p->metrics, &r->err);
	if (rc < 0)
		return err_wrap(&r->err, "--metrics-listen-address");
	rc = serve_probes(p, &r->err);
	if (rc == 0)
		rc = loop_signal(p->c.loop, SIGTERM, on_signal, p, &r->err);
	if (rc == 0)
		rc = loop_signal(p->c.loop, SIGINT, on_signal, p, &r->err);
	if (rc < 0)
		return rc;
	log_info("MachineConfigController %s-%s", version_raw(), version_hash());
	lease.kube = p->c.kube;
	lease.namespace = p->o->lock_namespace;
	lease.identity = identity(r->a);
	p->lease = kube_lease_start(&lease);
	rc = loop_run(p->c.loop, &r->err);
	return rc < 0 ? rc : p->status;
}

const struct command start_command = {
	.name = "start",
	.args = "[--kubeconfig FILE]",
	.summary = "run the controllers of a cluster",
	.details = "Leads by a lease, watches the cluster and brings it to "
		   "what its objects say, until SIGTERM.",
	.examples = "# In the cluster, with the account of the pod\n"
		    "@ start \\\n"
		    "    --resourcelock-namespace " NS_MCO "\n"
		    "# Outside, with the templates that are part of this program\n"
		    "@ start --kubeconfig admin.kubeconfig --templates builtin",
	.exits = "0 after SIGTERM or when somebody else leads, 1 an error",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.from_manifest = true,
	.run = run_start,
};
