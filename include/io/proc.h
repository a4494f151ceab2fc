/*
 * proc: a child process in the loop: what it is given, what it says, how long
 * it may take. It is the head of its own process group, which is ended with it.
 */
#ifndef IO_PROC_H
#define IO_PROC_H

#include "io/loop.h"

struct proc;

struct proc_opts {
	const char *const *argv; /* argv[0] is looked for on PATH */
	const char *const *env; /* NULL: this process's */
	const char *dir; /* NULL: this process's */
	struct str input; /* its standard input; must last until done */
	size_t max_out; /* bytes kept of each output, its end; 0: 64 KiB */
	int ms; /* after so long SIGTERM, 3 s later SIGKILL; 0: no bound */
	/* Output as it comes: 1 standard output, 2 standard error. May be NULL. */
	void (*on_output)(void *ctx, int stream, struct str part);
};

struct proc_result {
	int status; /* as from waitpid */
	bool timed_out;
	bool cut; /* output was longer than max_out: its beginning is lost */
	struct str out, errors;
};

/* Valid within done. */
typedef void proc_done(void *ctx, const struct proc_result *r);

/* NULL and err when it cannot be started, as when argv[0] is not found. */
struct proc *proc_start(struct loop *l, const struct proc_opts *opts, proc_done *done, void *ctx,
			struct err *err);

/* Kills it and its group at once; done is not called. */
void proc_kill(struct proc *p);

/* "exit status 3", "signal 9", or "" for success: Go's words. */
struct str proc_outcome(struct arena *a, const struct proc_result *r);

#endif
