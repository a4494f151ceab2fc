/*
 * proc: runs a child process in the loop, with input, output and a timeout. It leads
 * a process group of its own, which is killed with it.
 */
#ifndef IO_PROC_H
#define IO_PROC_H

#include "io/loop.h"

struct proc;

struct proc_opts {
	const char *const *argv; /* argv[0] is searched on PATH */
	const char *const *env; /* NULL: this process's */
	const char *dir; /* NULL: this process's */
	struct str input; /* its standard input; must last until done */
	size_t max_out; /* keep the last bytes of each output; 0: 64 KiB */
	int ms; /* timeout: SIGTERM, 3 s later SIGKILL; 0: none */
	/* Output as it arrives: 1 standard output, 2 standard error. May be NULL. */
	void (*on_output)(void *ctx, int stream, struct str part);
};

struct proc_result {
	int status; /* as from waitpid */
	bool timed_out;
	bool cut; /* output was longer than max_out: its beginning is missing */
	struct str out, errors;
};

/* Valid within done. */
typedef void proc_done(void *ctx, const struct proc_result *r);

/* NULL and err when it cannot be started, for example when argv[0] is not found. */
struct proc *proc_start(struct loop *l, const struct proc_opts *opts, proc_done *done, void *ctx,
			struct err *err);

/* Kills the process and its group; done is not called. */
void proc_kill(struct proc *p);

/* "exit status 3", "signal 9", or "" for success, as Go words it. */
struct str proc_outcome(struct arena *a, const struct proc_result *r);

#endif
