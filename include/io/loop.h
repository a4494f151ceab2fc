/*
 * loop: descriptors, deadlines, signals and child processes in one epoll loop.
 * The cost of a turn depends on the events, not on the number of sources.
 *
 * The loop reads `want` and `due` after each callback of the source; call
 * loop_update after changing those of another source. Callbacks may add and remove
 * any source, including their own. Remove a source before closing its descriptor.
 * Times are those of clock_ms. Fork workers before loop_new: they would share one
 * epoll instance.
 */
#ifndef IO_LOOP_H
#define IO_LOOP_H

#include <poll.h>
#include <sys/types.h>

#include "base/err.h"

struct loop;

struct source {
	int fd; /* -1: a timer */
	short want; /* POLLIN, POLLOUT, POLLRDHUP; 0 for none */
	int64_t due; /* deadline: ready is called with 0 events; 0: none */
	/*
	 * events are those of poll, or 0 at the deadline: due is then 0. POLLERR is
	 * also set when the kernel refuses to watch the descriptor.
	 */
	void (*ready)(struct source *s, short events);
	void *ctx;
	/* private */
	bool added, failed;
	short armed;
	size_t heap; /* index among the timers + 1 */
	int64_t key; /* its due there */
};

struct child {
	pid_t pid;
	void (*done)(struct child *c, int status); /* status as from waitpid */
	void *ctx;
	struct child *next; /* private */
};

/* NULL and err when the kernel refuses. One loop per process: it owns SIGCHLD. */
struct loop *loop_new(struct err *err);
void loop_free(struct loop *l);

void loop_add(struct loop *l, struct source *s);
/* Call it after changing want or due. */
void loop_update(struct loop *l, struct source *s);
/* No effect when it is not added. */
void loop_remove(struct loop *l, struct source *s);

/* Calls on(ctx) from the loop when the signal arrives. */
int loop_signal(struct loop *l, int signo, void (*on)(void *ctx, int signo), void *ctx,
		struct err *err);

/* Watches a process that this one forked. */
void loop_child(struct loop *l, struct child *c);

/* Kills a watched process and stops watching it; done is not called. */
void loop_kill(struct loop *l, struct child *c);

/* clock_ms() at the start of this turn. */
int64_t loop_now(const struct loop *l);

/* Runs one turn, which waits at most max_ms (-1: without a timeout). */
int loop_turn(struct loop *l, int max_ms, struct err *err);

/* Runs until loop_stop. */
int loop_run(struct loop *l, struct err *err);
void loop_stop(struct loop *l);

#endif
