/*
 * workers: the same work in several processes, each replaced when it dies.
 *
 * The parent only watches; it has no loop, so that a process forked late shares
 * nothing with it but what was made before.
 */
#ifndef IO_WORKERS_H
#define IO_WORKERS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct workers {
	size_t n;
	/* The work, in a process of its own; returns its exit status. It gets
	 * SIGTERM when it is time to end, also when the parent has died. */
	int (*run)(void *ctx, size_t index);
	/* In the parent: one has ended by itself; status as from waitpid. */
	void (*died)(void *ctx, pid_t pid, int status);
	/* In the parent, before the workers are told to end. */
	void (*stopping)(void *ctx);
	void *ctx;
	int64_t grace_ms; /* after SIGTERM, before SIGKILL */
};

/* Until SIGTERM or SIGINT has come and all have ended. */
int workers_run(const struct workers *w, struct err *err);

#endif
