/*
 * loop: descriptors, deadlines, signals and child processes in one epoll loop.
 * A turn costs as much as there is to do, not as much as there are sources.
 *
 * `want` and `due` are read afresh after each callback of the source itself;
 * whoever changes those of another source calls loop_update. Callbacks may add
 * and remove any source, their own too. A source is removed before its
 * descriptor is closed. Times are monotonic milliseconds. A process that forks
 * workers does so before loop_new: they would share one epoll.
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
	int64_t due; /* ready is called with 0 events at this time; 0: never */
	/*
	 * events is what poll would say, or 0 when due has come: due is then 0.
	 * POLLERR also tells that the kernel would not watch the descriptor.
	 */
	void (*ready)(struct source *s, short events);
	void *ctx;
	/* the loop's own */
	bool added, failed;
	short armed;
	size_t heap; /* place among the timers + 1 */
	int64_t key; /* the due it stands there with */
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
/* Makes a change of want or due known. */
void loop_update(struct loop *l, struct source *s);
/* No effect when it is not added. */
void loop_remove(struct loop *l, struct source *s);

/* Calls on(ctx) from the loop when the signal has come. */
int loop_signal(struct loop *l, int signo, void (*on)(void *ctx, int signo), void *ctx,
		struct err *err);

/* Watches a process that this one forked. */
void loop_child(struct loop *l, struct child *c);

/* Kills a watched process and forgets it; done is not called. */
void loop_kill(struct loop *l, struct child *c);

/* clock_ms() at the start of this turn. */
int64_t loop_now(const struct loop *l);

/* One turn, waiting at most max_ms (-1: as long as it takes). */
int loop_turn(struct loop *l, int max_ms, struct err *err);

/* Turns until loop_stop. */
int loop_run(struct loop *l, struct err *err);
void loop_stop(struct loop *l);

#endif
