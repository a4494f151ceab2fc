/*
 * Sources stand in an array of slots. Removing one empties its slot, so that a
 * turn under way skips it; the next turn closes the gaps before it polls.
 * Signals come through a signalfd, which is slot 0.
 */
#include "io/loop.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIGNALS 65

struct loop {
	struct source **slots;
	struct pollfd *fds;
	size_t n, cap;
	bool gaps, stop;
	int64_t now;
	struct source signals;
	sigset_t mask, before;
	struct {
		void (*on)(void *ctx, int signo);
		void *ctx;
	} handlers[SIGNALS];
	struct child *children;
};

int64_t loop_clock(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t loop_now(const struct loop *l)
{
	return l->now;
}

static void reap(struct loop *l)
{
	struct child **at = &l->children;

	while (*at) {
		struct child *c = *at;
		int status;

		if (waitpid(c->pid, &status, WNOHANG) != c->pid) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		c->done(c, status);
		at = &l->children; /* done may have changed the list */
	}
}

static void on_signals(struct source *s, short events)
{
	struct loop *l = s->ctx;
	struct signalfd_siginfo info;

	(void)events;
	while (read(s->fd, &info, sizeof(info)) == sizeof(info)) {
		unsigned no = info.ssi_signo;

		if (no == SIGCHLD)
			reap(l);
		if (no < SIGNALS && l->handlers[no].on)
			l->handlers[no].on(l->handlers[no].ctx, (int)no);
	}
}

static int add_signal(struct loop *l, int signo, struct err *err)
{
	int fd;

	(void)sigaddset(&l->mask, signo);
	if (sigprocmask(SIG_BLOCK, &l->mask, NULL) < 0)
		return err_sys(err, "sigprocmask");
	fd = signalfd(l->signals.fd, &l->mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "signalfd");
	l->signals.fd = fd;
	return 0;
}

struct loop *loop_new(struct err *err)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	l->signals = (struct source){
		.fd = -1, .want = POLLIN, .ready = on_signals, .ctx = l
	};
	l->now = loop_clock();
	(void)sigemptyset(&l->mask);
	(void)sigprocmask(SIG_BLOCK, NULL, &l->before);
	if (add_signal(l, SIGCHLD, err) < 0) {
		free(l);
		return NULL;
	}
	loop_add(l, &l->signals);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	(void)close(l->signals.fd);
	(void)sigprocmask(SIG_SETMASK, &l->before, NULL);
	free(l->slots);
	free(l->fds);
	free(l);
}

static void grow(struct loop *l)
{
	size_t cap = l->cap ? l->cap * 2 : 16;

	l->slots = reallocarray(l->slots, cap, sizeof(struct source *));
	l->fds = reallocarray(l->fds, cap, sizeof(*l->fds));
	if (!l->slots || !l->fds)
		abort();
	l->cap = cap;
}

void loop_add(struct loop *l, struct source *s)
{
	if (l->n == l->cap)
		grow(l);
	s->slot = l->n;
	l->slots[l->n++] = s;
}

void loop_remove(struct loop *l, struct source *s)
{
	if (s->slot >= l->n || l->slots[s->slot] != s)
		return;
	l->slots[s->slot] = NULL;
	l->gaps = true;
}

int loop_signal(struct loop *l, int signo, void (*on)(void *ctx, int signo),
		void *ctx, struct err *err)
{
	if (signo <= 0 || signo >= SIGNALS)
		return err_set(err, ERR_INVALID, "signal %d", signo);
	l->handlers[signo].on = on;
	l->handlers[signo].ctx = ctx;
	return add_signal(l, signo, err);
}

void loop_child(struct loop *l, struct child *c)
{
	c->next = l->children;
	l->children = c;
	/* it may have ended before it was watched: look at it next turn */
	(void)kill(getpid(), SIGCHLD);
}

void loop_stop(struct loop *l)
{
	l->stop = true;
}

static void close_gaps(struct loop *l)
{
	size_t to = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (!l->slots[i])
			continue;
		l->slots[to] = l->slots[i];
		l->slots[to]->slot = to;
		to++;
	}
	l->n = to;
	l->gaps = false;
}

/* Fills the poll set; returns how long it may wait. */
static int prepare(struct loop *l, int max_ms)
{
	int64_t wait = max_ms < 0 ? INT_MAX : max_ms;
	bool dated = max_ms >= 0;

	if (l->gaps)
		close_gaps(l);
	l->now = loop_clock();
	for (size_t i = 0; i < l->n; i++) {
		struct source *s = l->slots[i];

		l->fds[i] = (struct pollfd){ .fd = s->want ? s->fd : -1,
					     .events = s->want };
		if (!s->due)
			continue;
		dated = true;
		if (s->due - l->now < wait)
			wait = s->due > l->now ? s->due - l->now : 0;
	}
	return dated ? (int)wait : -1;
}

int loop_turn(struct loop *l, int max_ms, struct err *err)
{
	int wait = prepare(l, max_ms);
	size_t n = l->n;

	if (poll(l->fds, (nfds_t)n, wait) < 0 && errno != EINTR)
		return err_sys(err, "poll");
	l->now = loop_clock();
	for (size_t i = 0; i < n; i++) {
		struct source *s = l->slots[i];

		if (!s)
			continue;
		if (l->fds[i].revents)
			s->ready(s, l->fds[i].revents);
		/* a busy source meets its deadline too, if it still stands */
		if (l->slots[i] == s && s->due && s->due <= l->now) {
			s->due = 0;
			s->ready(s, 0);
		}
	}
	return 0;
}

int loop_run(struct loop *l, struct err *err)
{
	int rc = 0;

	l->stop = false;
	while (!l->stop && rc == 0)
		rc = loop_turn(l, -1, err);
	return rc;
}
