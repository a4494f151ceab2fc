/*
 * The supervisor of worker processes. Signals are blocked and taken with sigtimedwait, so that
 * nothing runs in a signal handler.
 */
#include "io/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/backoff.h"
#include "io/clock.h"

/* A worker that dies within YOUNG_MS is restarted with back-off. */
#define YOUNG_MS 1000
#define WAIT_MIN_MS 50
#define WAIT_MAX_MS 5000

struct worker {
	pid_t pid; /* 0: not running */
	int64_t started, due; /* due: when to start it again */
	unsigned deaths; /* within YOUNG_MS, in a row */
};

struct crew {
	const struct workers *w;
	struct worker *v;
	sigset_t mask, before;
	int64_t deadline; /* of stopping; 0: running */
};

_Noreturn static void be_worker(struct crew *c, const struct worker *k, pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)sigprocmask(SIG_SETMASK, &c->before, NULL);
	/* the parent may have died before prctl */
	if (getppid() != parent)
		_exit(0);
	exit(c->w->run(c->w->ctx, (size_t)(k - c->v)));
}

static int start(struct crew *c, struct worker *k, struct err *err)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		be_worker(c, k, parent);
	k->started = clock_ms();
	if (pid < 0) {
		k->due = k->started + WAIT_MAX_MS;
		return err_sys(err, "fork");
	}
	k->pid = pid;
	k->due = 0;
	return 0;
}

static void ended(struct crew *c, struct worker *k, int status)
{
	int64_t now = clock_ms();
	pid_t pid = k->pid;

	k->pid = 0;
	if (c->deadline)
		return;
	if (now - k->started >= YOUNG_MS)
		k->deaths = 0;
	k->due = now;
	if (k->deaths)
		k->due += backoff_ms(WAIT_MIN_MS, WAIT_MAX_MS, k->deaths - 1);
	k->deaths++;
	c->w->died(c->w->ctx, pid, status);
}

static void reap(struct crew *c)
{
	for (size_t i = 0; i < c->w->n; i++) {
		int status;

		if (c->v[i].pid && waitpid(c->v[i].pid, &status, WNOHANG) == c->v[i].pid)
			ended(c, &c->v[i], status);
	}
}

static void signal_all(struct crew *c, int signo)
{
	for (size_t i = 0; i < c->w->n; i++)
		if (c->v[i].pid)
			(void)kill(c->v[i].pid, signo);
}

static void stop(struct crew *c)
{
	c->deadline = clock_ms() + c->w->grace_ms;
	c->w->stopping(c->w->ctx);
	signal_all(c, SIGTERM);
}

static bool any_left(const struct crew *c)
{
	for (size_t i = 0; i < c->w->n; i++)
		if (c->v[i].pid)
			return true;
	return false;
}

/* Starts the workers that are due. Returns when the next one is, or -1. */
static int64_t start_due(struct crew *c, struct err *err)
{
	int64_t now = clock_ms(), next = -1;

	for (size_t i = 0; i < c->w->n; i++) {
		struct worker *k = &c->v[i];

		if (!k->pid && k->due <= now)
			(void)start(c, k, err);
		if (!k->pid && (next < 0 || k->due < next))
			next = k->due;
	}
	return next;
}

static void wait_signal(struct crew *c, int64_t until)
{
	int64_t ms = until < 0 ? 60000 : until - clock_ms();
	struct timespec t;
	int signo;

	if (ms < 0)
		ms = 0;
	t = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	signo = sigtimedwait(&c->mask, NULL, &t);
	if ((signo != SIGTERM && signo != SIGINT) || c->deadline)
		return;
	stop(c);
}

int workers_run(const struct workers *w, struct err *err)
{
	struct crew c = { .w = w };
	int rc = 0;

	c.v = calloc(w->n, sizeof(*c.v));
	if (!c.v)
		abort();
	(void)sigemptyset(&c.mask);
	(void)sigaddset(&c.mask, SIGCHLD);
	(void)sigaddset(&c.mask, SIGTERM);
	(void)sigaddset(&c.mask, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &c.mask, &c.before);
	for (size_t i = 0; i < w->n && rc == 0; i++)
		rc = start(&c, &c.v[i], err);
	if (rc < 0) /* all workers or none */
		stop(&c);
	while (!c.deadline || any_left(&c)) {
		int64_t until = c.deadline ? c.deadline : start_due(&c, err);

		wait_signal(&c, until);
		reap(&c);
		if (c.deadline && clock_ms() >= c.deadline) {
			signal_all(&c, SIGKILL);
			c.deadline += 1000;
		}
	}
	(void)sigprocmask(SIG_SETMASK, &c.before, NULL);
	free(c.v);
	return rc;
}
