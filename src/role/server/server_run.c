/*
 * The server itself: sockets made once, worker processes that share them and
 * the counters, and in each of them HTTP in a loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file.h"
#include "io/log.h"
#include "io/tls.h"
#include "io/workers.h"
#include "server_run.h"

#define GRACE_MS 15000
#define BODY_MAX 65536 /* read over: nothing here takes one */
#define WORKERS_MAX 64
#define LOOK_MS 1000 /* between looks at certificate and tokens */
#define WARN_MS 60000 /* between lines about connections that are lost */
#define FILES_KEPT 64 /* for all else than connections */
#define READY_MS 20 /* between looks whether the origin is ready */

static int launch(struct server *s);

/* Also when nobody comes: by then what replaces them may be broken. */
static void on_timer(struct source *src, short events)
{
	struct server *s = src->ctx;

	(void)events;
	if (!s->launched && !s->origin->ready(s->origin)) {
		src->due = loop_now(s->loop) + READY_MS;
		return;
	}
	if (!s->launched)
		s->launch_rc = launch(s);
	if (s->launch_rc < 0) {
		loop_stop(s->loop);
		return;
	}
	pair_refresh(s->pair, loop_now(s->loop));
	gate_refresh(s->gate);
	src->due = loop_now(s->loop) + LOOK_MS;
}

/* Before a byte is said; the certificate that is shown then is a fresh one. */
static bool admit(const struct sock_addr *peer, void *ctx)
{
	struct server *s = ctx;

	if (!gate_admits(s->gate, peer)) {
		atomic_fetch_add(&s->shared->denied, 1);
		return false;
	}
	pair_refresh(s->pair, loop_now(s->loop));
	return true;
}

static size_t body_max(const struct http_head *head, void *ctx)
{
	(void)head;
	(void)ctx;
	return BODY_MAX;
}

/* Load balancers and the kubelet ask for it: it is answered whoever else asks. */
static bool vital(const struct http_head *head, void *ctx)
{
	(void)ctx;
	return str_is(head->target, "/healthz");
}

static void lost(const struct sock_addr *peer, enum http_lost why, void *ctx)
{
	struct server *s = ctx;
	int64_t now = loop_now(s->loop);
	char text[SOCK_TEXT];

	atomic_fetch_add(&s->shared->lost[why], 1);
	if (s->warned && now - s->warned < WARN_MS)
		return;
	s->warned = now;
	sock_text(peer, text);
	log_warn("connections are short: %s %s; more are only counted for a "
		 "minute",
		 why == HTTP_LOST_EVICTED ? "evicted the slow connection of" : "refused", text);
}

/* ---- a worker ------------------------------------------------------------ */

static void stopped(void *ctx)
{
	struct server *s = ctx;

	loop_stop(s->loop);
}

static void on_term(void *ctx, int signo)
{
	struct server *s = ctx;

	(void)signo;
	http_server_stop(s->http, GRACE_MS - 1000, stopped, s);
}

/* A worker's part, and at least one. */
static size_t slots(int64_t all, int64_t workers)
{
	return all > workers ? (size_t)(all / workers) : 1;
}

static struct http_server_opts http_opts(struct server *s)
{
	size_t n = slots(s->o->max_conns, s->o->workers);

	return (struct http_server_opts){ .handle = server_handle,
					  .body_max = body_max,
					  .vital = vital,
					  .admit = admit,
					  .over = server_over,
					  .lost = lost,
					  .ctx = s,
					  .max_conns = n,
					  .per_address = slots(s->o->per_address
								       ? s->o->per_address
								       : (s->o->max_conns + 1) / 2,
							       s->o->workers) };
}

static int open_sockets(struct server *s, struct err *err);

/* A worker's sockets are its parent's. */
static int launch(struct server *s)
{
	int rc = s->origin->start ? open_sockets(s, s->err) : 0;

	if (rc < 0)
		return rc;
	http_server_listen(s->http, s->secure, s->tls);
	if (s->insecure >= 0)
		http_server_listen(s->http, s->insecure, NULL);
	if (s->metrics >= 0)
		http_server_listen(s->metrics_http, s->metrics, NULL);
	s->launched = true;
	return 0;
}

static int run_loop(struct server *s, struct err *err)
{
	int rc = s->origin->start ? s->origin->start(s->origin, s->loop, err) : launch(s);

	s->timer = (struct source){
		.fd = -1, .due = loop_now(s->loop) + READY_MS, .ready = on_timer, .ctx = s
	};
	loop_add(s->loop, &s->timer);
	if (rc == 0)
		rc = loop_signal(s->loop, SIGTERM, on_term, s, err);
	if (rc == 0)
		rc = loop_signal(s->loop, SIGINT, on_term, s, err);
	if (rc == 0)
		rc = loop_run(s->loop, err);
	return rc < 0 ? rc : s->launch_rc;
}

static int serve(struct server *s, struct err *err)
{
	struct http_server_opts opts = http_opts(s);
	struct http_server_opts metrics = { .handle = server_handle_metrics,
					    .ctx = s,
					    .max_conns = 16 };
	int rc;

	s->err = err;
	s->loop = loop_new(err);
	if (!s->loop)
		return -(int)err->code;
	s->answers = answers_new(s->origin);
	s->http = http_server_new(s->loop, &opts);
	s->metrics_http = http_server_new(s->loop, &metrics);
	rc = run_loop(s, err);
	http_server_free(s->http);
	http_server_free(s->metrics_http);
	answers_free(s->answers);
	if (s->origin->stop)
		s->origin->stop(s->origin);
	loop_remove(s->loop, &s->timer);
	loop_free(s->loop);
	return rc;
}

static int work(void *ctx, size_t index)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int rc = serve(ctx, &err);

	(void)index;
	if (rc < 0)
		log_error("worker: %.*s", STRF(err.msg));
	return rc < 0;
}

static void died(void *ctx, pid_t pid, int status)
{
	struct server *s = ctx;

	atomic_fetch_add(&s->shared->restarts, 1);
	if (WIFSIGNALED(status))
		log_error("worker %d was ended by signal %d; starting another", (int)pid,
			  WTERMSIG(status));
	else
		log_error("worker %d ended with status %d; starting another", (int)pid,
			  WEXITSTATUS(status));
}

/* Nobody new is let wait for workers that are ending. */
static void stopping(void *ctx)
{
	struct server *s = ctx;

	(void)close(s->secure);
	if (s->insecure >= 0)
		(void)close(s->insecure);
	if (s->metrics >= 0)
		(void)close(s->metrics);
	log_info("stopping: requests under way have %d seconds to end", GRACE_MS / 1000);
}

/* ---- all of them --------------------------------------------------------- */

void server_defaults(struct server_opts *o)
{
	*o = (struct server_opts){
		.secure_port = 22623,
		.insecure_port = 22624,
		.cert = S("/etc/ssl/mcs/tls.crt"),
		.key = S("/etc/ssl/mcs/tls.key"),
		.min_version = S("VersionTLS12"),
		.max_conns = 4096,
	};
}

static int64_t cores(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : n;
}

static int check_opts(const struct server_opts *o, struct err *err)
{
	if (o->secure_port < 0 || o->secure_port > 65535 || o->insecure_port < 0 ||
	    o->insecure_port > 65535)
		return err_set(err, ERR_INVALID, "a port is a number from 0 to 65535");
	if (o->workers < 1 || o->workers > WORKERS_MAX)
		return err_set(err, ERR_INVALID, "--workers: give a number from 1 to %d",
			       WORKERS_MAX);
	if (o->max_conns < 1 || o->max_conns > 1000000)
		return err_set(err, ERR_INVALID,
			       "--max-connections: give a number from 1 to "
			       "1000000");
	if (o->per_address < 0 || o->per_address > o->max_conns)
		return err_set(err, ERR_INVALID,
			       "--max-connections-per-address: give a number "
			       "from 1 to %lld, that of --max-connections",
			       (long long)o->max_conns);
	return 0;
}

static int open_metrics(struct server *s, struct err *err)
{
	struct sock_place at;
	int rc;

	if (!s->o->metrics.n)
		return 0;
	rc = sock_place_parse(s->o->metrics, &at, err);
	if (rc < 0)
		return err_wrap(err, "--metrics-address");
	return sock_listen(at.host, at.port, &s->metrics, err);
}

static int open_audit(struct server *s, struct arena *a, struct err *err)
{
	const char *path = str_z(a, s->o->audit);

	if (!s->o->audit.n)
		return 0;
	if (str_is(s->o->audit, "-")) {
		s->audit = log_fd();
		return 0;
	}
	s->audit = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
	return s->audit < 0 ? err_sys(err, "--audit-log: open %s", path) : 0;
}

/* Settings that make no sense are not followed, as upstream does not; those that
 * ask for more than there is end the start. A positive answer is an exit status. */
static int open_tls(struct server *s, struct str min_version, const struct strs *suites,
		    struct err *err)
{
	struct tls_settings p;
	int rc = tls_settings_parse(min_version, suites, &p, err);

	if (rc == -ERR_LIMIT)
		return rc;
	if (rc < 0) {
		log_error("Error using provided tls arguments: %.*s", STRF(err->msg));
		tls_settings_default(&p);
	}
	s->tls = tls_server_new(&p);
	s->pair = pair_new(s->tls, s->o->cert, s->o->key, err);
	if (s->pair)
		return 0;
	/* upstream's words for it */
	log_line(LOG_FATAL, __FILE__, __LINE__, "failed to load serving cert: %.*s",
		 STRF(err->msg));
	return 1;
}

static int open_sockets(struct server *s, struct err *err)
{
	int rc = sock_listen(s->o->bind, (uint16_t)s->o->secure_port, &s->secure, err);

	if (rc == 0 && s->o->insecure_port)
		rc = sock_listen(s->o->bind, (uint16_t)s->o->insecure_port, &s->insecure, err);
	if (rc == 0)
		rc = open_metrics(s, err);
	if (rc < 0)
		return rc;
	log_info("Launching server on :%u", sock_port(s->secure));
	if (s->insecure >= 0)
		log_info("Launching server on :%u", sock_port(s->insecure));
	if (s->metrics >= 0)
		log_info("metrics on :%u", sock_port(s->metrics));
	return 0;
}

static int open_shared(struct server *s, struct err *err)
{
	struct gate_opts gate = { .allow = &s->o->allow,
				  .token_file = s->o->token_file,
				  .per_minute = s->o->rate };

	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->shared == MAP_FAILED)
		return err_sys(err, "mmap");
	gate.slots = s->shared->slots;
	s->gate = gate_new(&gate, err);
	if (!s->gate)
		return -(int)err->code;
	return 0;
}

/* The ports must not take descriptors from one another: both have as many slots
 * as the system gives. */
static void fit_files(struct server_opts *o)
{
	struct rlimit files;
	int64_t most;

	if (prlimit(0, RLIMIT_NOFILE, NULL, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	(void)prlimit(0, RLIMIT_NOFILE, &files, NULL);
	if (files.rlim_cur > INT32_MAX)
		return;
	/* a sixteenth more are spare, and two ports have them */
	most = ((int64_t)files.rlim_cur - FILES_KEPT) * 8 / 17 * o->workers;
	if (most < 1)
		most = 1;
	if (o->max_conns <= most)
		return;
	log_warn("--max-connections is %lld: the limit of open files (%lld) "
		 "allows no more",
		 (long long)most, (long long)files.rlim_cur);
	o->max_conns = most;
	if (o->per_address > most)
		o->per_address = most;
}

int server_run(struct arena *a, const struct server_opts *opts, struct origin *origin,
	       struct str min_version, const struct strs *suites, struct err *err)
{
	struct server_opts o = *opts;
	struct server s = {
		.o = &o, .origin = origin, .secure = -1, .insecure = -1, .metrics = -1, .audit = -1
	};
	struct workers w = {
		.run = work, .died = died, .stopping = stopping, .ctx = &s, .grace_ms = GRACE_MS
	};
	int rc;

	log_never_wait();
	if (!o.workers)
		o.workers = origin->start ? 1 : cores();
	rc = check_opts(&o, err);
	if (rc == 0 && origin->start && o.workers > 1)
		rc = err_set(err, ERR_INVALID, "--workers: start is one process");
	if (rc == 0) {
		fit_files(&o);
		rc = open_shared(&s, err);
	}
	if (rc == 0)
		rc = open_audit(&s, a, err);
	if (rc == 0)
		rc = open_tls(&s, min_version, suites, err);
	if (rc == 0 && !origin->start)
		rc = open_sockets(&s, err);
	w.n = (size_t)o.workers;
	if (rc == 0)
		rc = origin->start ? serve(&s, err) : workers_run(&w, err);
	gate_free(s.gate);
	pair_free(s.pair);
	tls_server_free(s.tls);
	return rc;
}
