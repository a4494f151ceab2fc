/*
 * The server before it serves: options, files, sockets opened once, and worker processes that
 * share the sockets and the counters.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/log.h"
#include "io/tls.h"
#include "io/workers.h"
#include "server_run.h"

#define WORKERS_MAX 64
#define FILES_KEPT 64 /* descriptors that are not connections */

/* ---- workers ------------------------------------------------------------- */

static int work(void *ctx, size_t index)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int rc = server_serve(ctx, &err);

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
		log_error("worker %d was killed by signal %d; starting another", (int)pid,
			  WTERMSIG(status));
	else
		log_error("worker %d exited with status %d; starting another", (int)pid,
			  WEXITSTATUS(status));
}

/* Closes the listening sockets, so that no client waits for a worker that is ending. */
static void stopping(void *ctx)
{
	struct server *s = ctx;

	(void)close(s->secure);
	if (s->insecure >= 0)
		(void)close(s->insecure);
	if (s->metrics >= 0)
		(void)close(s->metrics);
	log_info("stopping: running requests have %d seconds to finish", SERVER_GRACE_MS / 1000);
}

/* ---- options ------------------------------------------------------------- */

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
	if (o->secure_port < 0 || o->secure_port > 65535)
		return err_set(err, ERR_INVALID, "--secure-port: give a number from 0 to 65535");
	if (o->insecure_port < 0 || o->insecure_port > 65535)
		return err_set(err, ERR_INVALID, "--insecure-port: give a number from 0 to 65535");
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

/* Ignores invalid settings, as upstream does; refuses settings that are stricter than what is
 * supported. A positive result is an exit status. */
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
	/* upstream's text */
	log_line(LOG_FATAL, __FILE__, __LINE__, "failed to load serving cert: %.*s",
		 STRF(err->msg));
	return 1;
}

int server_open_sockets(struct server *s, struct err *err)
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

/* Reduces max_conns so that both ports can use all their slots within the limit of open
 * files. */
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
	/* two ports, each with a sixteenth of spare slots */
	most = ((int64_t)files.rlim_cur - FILES_KEPT) * 8 / 17 * o->workers;
	if (most < 1)
		most = 1;
	if (o->max_conns <= most)
		return;
	log_warn("--max-connections is reduced to %lld by the limit of open files (%lld)",
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
	struct workers w = { .run = work,
			     .died = died,
			     .stopping = stopping,
			     .ctx = &s,
			     .grace_ms = SERVER_GRACE_MS };
	int rc;

	log_never_wait();
	if (!o.workers)
		o.workers = origin->start ? 1 : cores();
	rc = check_opts(&o, err);
	if (rc == 0 && origin->start && o.workers > 1)
		rc = err_set(err, ERR_INVALID, "--workers: start runs in one process");
	if (rc == 0) {
		fit_files(&o);
		rc = open_shared(&s, err);
	}
	if (rc == 0)
		rc = open_audit(&s, a, err);
	if (rc == 0)
		rc = open_tls(&s, min_version, suites, err);
	if (rc == 0 && !origin->start)
		rc = server_open_sockets(&s, err);
	w.n = (size_t)o.workers;
	if (rc == 0)
		rc = origin->start ? server_serve(&s, err) : workers_run(&w, err);
	gate_free(s.gate);
	pair_free(s.pair);
	tls_server_free(s.tls);
	return rc;
}
