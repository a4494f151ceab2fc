/*
 * loop: one poll loop: descriptors, deadlines, signals and child processes.
 *
 * The loop reads a source's `want` and `due` afresh every turn, so changing
 * them needs no call. Callbacks may add and remove any source, their own too.
 * Times are monotonic milliseconds.
 */
#ifndef IO_LOOP_H
#define IO_LOOP_H

#include <poll.h>
#include <sys/types.h>

#include "base/err.h"

struct loop;

struct source {
	int fd; /* -1: a timer */
	short want; /* POLLIN, POLLOUT; 0 for none */
	int64_t due; /* ready is called with 0 events at this time; 0: never */
	/* events is what poll said, or 0 when due has come: due is then 0. */
	void (*ready)(struct source *s, short events);
	void *ctx;
	size_t slot; /* the loop's */
};

struct child {
	pid_t pid;
	void (*done)(struct child *c, int status); /* status as from waitpid */
	void *ctx;
	struct child *next; /* the loop's */
};

/* NULL and err when the kernel refuses; one loop a process (it owns SIGCHLD). */
struct loop *loop_new(struct err *err);
void loop_free(struct loop *l);

void loop_add(struct loop *l, struct source *s);
void loop_remove(struct loop *l, struct source *s);

/* Calls on(ctx) from the loop when the signal has come. */
int loop_signal(struct loop *l, int signo, void (*on)(void *ctx, int signo),
		void *ctx, struct err *err);

/* Watches a process that this one forked. */
void loop_child(struct loop *l, struct child *c);

/* The time of this turn, and the time right now. */
int64_t loop_now(const struct loop *l);
int64_t loop_clock(void);

/* One turn, waiting at most max_ms (-1: as long as it takes). */
int loop_turn(struct loop *l, int max_ms, struct err *err);

/* Turns until loop_stop. */
int loop_run(struct loop *l, struct err *err);
void loop_stop(struct loop *l);

#endif
