/*
 * workers: several processes that do the same work; one that dies is replaced.
 *
 * The parent only supervises and has no loop, so a worker that is forked later
 * shares with it only what was created before workers_run.
 */
#ifndef IO_WORKERS_H
#define IO_WORKERS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct workers {
	size_t n;
	/* The work, in a process of its own; returns the exit status. The process
	 * gets SIGTERM when it must end, also when the parent dies. */
	int (*run)(void *ctx, size_t index);
	/* In the parent: a worker has ended by itself; status as from waitpid. */
	void (*died)(void *ctx, pid_t pid, int status);
	/* In the parent, before SIGTERM is sent to the workers. */
	void (*stopping)(void *ctx);
	void *ctx;
	int64_t grace_ms; /* after SIGTERM, before SIGKILL */
};

/* Runs until SIGTERM or SIGINT, and until all workers have ended. */
int workers_run(const struct workers *w, struct err *err);

#endif
