/*
 * Descriptors are in epoll with the events they want, and not in it when they want
 * none (epoll always reports hang-ups). Timers are a binary heap by due. A source
 * that is removed during a turn is removed from the pending events. Signals arrive
 * through a signalfd.
 */
#include "io/loop.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/clock.h"

#define SIGNALS 65
#define BATCH 64

_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR &&
		       POLLHUP == EPOLLHUP && POLLRDHUP == EPOLLRDHUP,
	       "poll's and epoll's events are the same bits");

struct loop {
	int epoll;
	struct epoll_event events[BATCH];
	int at, n_events; /* of the current turn */
	struct source **timers; /* a heap */
	size_t n, cap;
	bool stop;
	int64_t now;
	struct source signals;
	sigset_t mask, before;
	void (*sigpipe)(int); /* to restore */
	struct {
		void (*on)(void *ctx, int signo);
		void *ctx;
	} handlers[SIGNALS];
	struct child *children;
	struct source *current; /* being called back */
};

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
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0) {
		(void)err_sys(err, "epoll_create");
		free(l);
		return NULL;
	}
	l->signals = (struct source){ .fd = -1, .want = POLLIN, .ready = on_signals, .ctx = l };
	l->now = clock_ms();
	(void)sigemptyset(&l->mask);
	(void)sigprocmask(SIG_BLOCK, NULL, &l->before);
	if (add_signal(l, SIGCHLD, err) < 0) {
		(void)close(l->epoll);
		free(l);
		return NULL;
	}
	/* a closed connection must not kill the process: writes report EPIPE */
	l->sigpipe = signal(SIGPIPE, SIG_IGN);
	loop_add(l, &l->signals);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	(void)close(l->signals.fd);
	(void)close(l->epoll);
	(void)sigprocmask(SIG_SETMASK, &l->before, NULL);
	(void)signal(SIGPIPE, l->sigpipe);
	free(l->timers);
	free(l);
}

/* ---- timers -------------------------------------------------------------- */

static void place(struct loop *l, size_t i, struct source *s)
{
	l->timers[i] = s;
	s->heap = i + 1;
}

static void sift_up(struct loop *l, size_t i, struct source *s)
{
	while (i > 0 && l->timers[(i - 1) / 2]->key > s->key) {
		place(l, i, l->timers[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	place(l, i, s);
}

static void sift_down(struct loop *l, size_t i, struct source *s)
{
	for (;;) {
		size_t c = 2 * i + 1;

		if (c + 1 < l->n && l->timers[c + 1]->key < l->timers[c]->key)
			c++;
		if (c >= l->n || l->timers[c]->key >= s->key)
			break;
		place(l, i, l->timers[c]);
		i = c;
	}
	place(l, i, s);
}

static void timer_remove(struct loop *l, struct source *s)
{
	size_t i = s->heap - 1;
	struct source *last = l->timers[--l->n];

	s->heap = 0;
	if (last == s)
		return;
	sift_down(l, i, last);
	sift_up(l, last->heap - 1, last);
}

static void timer_set(struct loop *l, struct source *s, int64_t due)
{
	if (s->heap && s->key == due)
		return;
	if (s->heap)
		timer_remove(l, s);
	if (!due)
		return;
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->timers = reallocarray(l->timers, l->cap, sizeof(struct source *));
		if (!l->timers)
			abort();
	}
	s->key = due;
	sift_up(l, l->n++, s);
}

/* ---- sources ------------------------------------------------------------- */

static void arm(struct loop *l, struct source *s, short want)
{
	struct epoll_event e = { .events = (unsigned short)want, .data.ptr = s };
	int op = !want ? EPOLL_CTL_DEL : s->armed == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;

	if (want == s->armed)
		return;
	s->armed = want;
	if (epoll_ctl(l->epoll, op, s->fd, &e) < 0 && want) {
		/* epoll refused it: report POLLERR at once */
		s->armed = 0;
		s->want = 0;
		s->failed = true;
		timer_set(l, s, 1);
	}
}

void loop_update(struct loop *l, struct source *s)
{
	if (!s->added)
		return;
	timer_set(l, s, s->due);
	arm(l, s, s->fd >= 0 ? s->want : 0);
}

void loop_add(struct loop *l, struct source *s)
{
	s->added = true;
	s->armed = 0;
	s->heap = 0;
	s->failed = false;
	loop_update(l, s);
}

void loop_remove(struct loop *l, struct source *s)
{
	if (!s->added)
		return;
	arm(l, s, 0);
	timer_set(l, s, 0);
	s->added = false;
	if (l->current == s)
		l->current = NULL;
	for (int i = l->at; i < l->n_events; i++)
		if (l->events[i].data.ptr == s)
			l->events[i].data.ptr = NULL;
}

int loop_signal(struct loop *l, int signo, void (*on)(void *ctx, int signo), void *ctx,
		struct err *err)
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
	/* it may have ended before: check in the next turn */
	(void)kill(getpid(), SIGCHLD);
}

void loop_kill(struct loop *l, struct child *c)
{
	for (struct child **at = &l->children; *at; at = &(*at)->next) {
		if (*at != c)
			continue;
		*at = c->next;
		(void)kill(c->pid, SIGKILL);
		(void)waitpid(c->pid, NULL, 0);
		return;
	}
}

void loop_stop(struct loop *l)
{
	l->stop = true;
}

/* Calls the source, then reads its new want and due. */
static void call(struct loop *l, struct source *s, short events)
{
	l->current = s;
	s->ready(s, events);
	/* the callback may have freed its source: loop_remove clears current */
	if (l->current == s)
		loop_update(l, s);
	l->current = NULL;
}

static void run_timers(struct loop *l)
{
	/* timers that become due meanwhile wait for the next turn */
	size_t most = l->n;

	while (most-- && l->n && l->timers[0]->key <= l->now) {
		struct source *s = l->timers[0];
		short events = s->failed ? POLLERR : 0;

		timer_remove(l, s);
		if (!s->failed)
			s->due = 0;
		s->failed = false;
		call(l, s, events);
	}
}

static int wait_ms(const struct loop *l, int max_ms)
{
	int64_t wait;

	if (!l->n)
		return max_ms;
	wait = l->timers[0]->key - l->now;
	if (wait < 0)
		wait = 0;
	if (wait > INT_MAX)
		wait = INT_MAX;
	return max_ms >= 0 && max_ms < wait ? max_ms : (int)wait;
}

int loop_turn(struct loop *l, int max_ms, struct err *err)
{
	l->now = clock_ms();
	l->n_events = epoll_wait(l->epoll, l->events, BATCH, wait_ms(l, max_ms));
	if (l->n_events < 0 && errno != EINTR)
		return err_sys(err, "epoll_wait");
	l->now = clock_ms();
	for (l->at = 0; l->at < l->n_events;) {
		struct epoll_event *e = &l->events[l->at++];
		struct source *s = e->data.ptr;

		if (s)
			call(l, s, (short)e->events);
	}
	l->at = l->n_events = 0;
	run_timers(l);
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
