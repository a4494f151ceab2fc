/*
 * host: the node's own programs, run and waited for.
 *
 * In a container they are run inside the node's root. With a folder of
 * stand-ins (MCO_HOST_PATH) they are looked up there alone, in our own root:
 * that is how tests and the demo play a node.
 */
#ifndef NODE_HOST_H
#define NODE_HOST_H

#include "node/tree.h"

struct host {
	const char *root;
	const char *path; /* folders to look in, as PATH has them */
	bool chroot;
	int64_t limit_ms; /* then it is killed; 0: two hours */
};

/* Takes PATH or MCO_HOST_PATH from the environment. */
void host_init(struct host *h, const char *root);

enum host_how {
	HOST_SYNC, /* its standard output goes to our standard error; failing
		    * is an error */
	HOST_CAPTURE, /* standard output is given back; failing is an error */
	HOST_SILENT, /* both are given back together, and how it ended */
};

struct host_out {
	struct str text; /* what the program said */
	int status; /* how it ended, as from waitpid */
};

/*
 * Runs argv (NULL-ended) until it has ended; what it leaves running is not
 * waited for. ERR_NOTFOUND when there is no such program; the error
 * texts are upstream's: "error running systemctl reload x: <said>: exit …".
 */
int host_run(struct arena *a, const struct host *h, enum host_how how, const char *const *argv,
	     struct host_out *out, struct err *err);

/* The same with something on its standard input: what nobody else may see, as
 * arguments are to be seen by every user of the machine. */
int host_feed(struct arena *a, const struct host *h, enum host_how how, const char *const *argv,
	      struct str in, struct host_out *out, struct err *err);

/* Whether there is such a program. */
bool host_has(const struct host *h, const char *name);

/* Of host_out's: "exit status 1", or "signal: killed". */
struct str host_status_text(struct arena *a, int status);

/* To the log and, through logger, to the journal. */
void host_log(const struct host *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same of words: "systemctl restart %s". A %s is one argument, whatever is
 * in it; NULL is none. */
int host_cmd(struct arena *a, const struct host *h, enum host_how how, struct host_out *out,
	     struct err *err, const char *words, ...);

#endif
