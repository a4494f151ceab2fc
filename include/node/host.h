/*
 * host: runs the node's own programs and waits for them.
 *
 * In a container they run inside the node's root. With MCO_HOST_PATH, a directory of stand-ins,
 * they are looked up only there, in our own root: tests and the demo simulate a node in this way.
 */
#ifndef NODE_HOST_H
#define NODE_HOST_H

#include "node/tree.h"

struct host {
	const char *root;
	const char *path; /* directories to search, as in PATH */
	bool chroot;
	int64_t limit_ms; /* after which a program is killed; 0: two hours */
};

/* Reads PATH or MCO_HOST_PATH from the environment. */
void host_init(struct host *h, const char *root);

enum host_how {
	HOST_SYNC, /* standard output goes to our standard error; a failure is an error */
	HOST_CAPTURE, /* standard output is returned; a failure is an error */
	HOST_SILENT, /* both streams are returned together, and the status */
};

struct host_out {
	struct str text; /* the captured output */
	int status; /* as from waitpid */
};

/*
 * Runs argv (NULL-ended) and waits for it, but not for processes that it leaves running.
 * ERR_NOTFOUND when there is no such program. The error texts are upstream's:
 * "error running systemctl reload x: <output>: exit …".
 */
int host_run(struct arena *a, const struct host *h, enum host_how how, const char *const *argv,
	     struct host_out *out, struct err *err);

/* The same with bytes on standard input. Secrets are passed in this way: every user of the
 * machine can see arguments. */
int host_feed(struct arena *a, const struct host *h, enum host_how how, const char *const *argv,
	      struct str in, struct host_out *out, struct err *err);

/* Whether the program exists. */
bool host_has(const struct host *h, const char *name);

/* The text of host_out.status: "exit status 1", "signal: killed". */
struct str host_status_text(struct arena *a, int status);

/* Writes to the log and, by the node's logger, to its journal. */
void host_log(const struct host *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* host_run with the words of args_words: "systemctl restart %s". */
int host_cmd(struct arena *a, const struct host *h, enum host_how how, struct host_out *out,
	     struct err *err, const char *words, ...);

#endif
