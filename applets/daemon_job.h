/*
 * daemon_job: what blocks, done to the node by a child process; the loop goes on
 * meanwhile. The child ends with its parent: a job that is cut short is the
 * journal's to recover.
 */
#ifndef APPLETS_DAEMON_JOB_H
#define APPLETS_DAEMON_JOB_H

#include "io/loop.h"
#include "mco_daemon.h"

enum job_kind {
	JOB_PREPARE, /* recover, tidy up after the first boot */
	JOB_SETTLE, /* the first OS image, or drop the first annotations */
	JOB_VERIFY,
	JOB_DRIFT, /* the same of files and units alone */
	JOB_STORE,
	JOB_APPLY,
	JOB_ACT, /* and roll back when that fails */
	JOB_ROLL_BACK,
	JOB_CERTIFICATES,
};

/* What the child reads; it has a copy of all memory. */
struct job_in {
	enum job_kind kind;
	struct node_update update;
	struct str text; /* to be logged, or the cause of rolling back */
	const struct json *spec; /* of a ControllerConfig */
	int64_t retry_ms;
};

struct job {
	struct loop *loop;
	const char *root;
	void *ctx;
	/* A "reason" of an event and its text, while it runs. */
	void (*event)(void *ctx, struct str reason, struct str text);
	/* text: why it failed; "reboot" when it has asked for one. */
	void (*done)(void *ctx, enum job_kind kind, int rc, struct str text);
	/* its own */
	struct arena a;
	struct buf in;
	size_t at;
	struct str result;
	struct source pipe;
	struct child child;
	enum job_kind kind;
	bool running;
};

#define JOB_FIRST_ANNOTATIONS NODE_STATE "/node-annotations.json"

int job_start(struct job *j, const struct job_in *in, struct err *err);
/* Kills it. */
void job_cancel(struct job *j);

#endif
