/*
 * daemon_job: blocking work on the node in a child process, beside the loop. The child ends with
 * its parent; the next start recovers an update that was cut from its journal.
 */
#ifndef ROLE_DAEMON_JOB_H
#define ROLE_DAEMON_JOB_H

#include "io/loop.h"
#include "job_msg.h"
#include "node/node_update.h"

enum job_kind {
	JOB_LOG, /* write the log lines only */
	JOB_RECOVER, /* recover what a killed process left; find out which OS this is */
	JOB_SECRET,
	JOB_PREPARE, /* tidy up after the first boot */
	JOB_BOOT, /* boot the first OS image; compare the disk with the config */
	JOB_VERIFY,
	JOB_DRIFT, /* the same, files and units only */
	JOB_REVERT, /* write the unit that leaves an image built in the cluster */
	JOB_UNREVERT, /* remove that unit */
	JOB_APPLY,
	JOB_ACT, /* run the post actions; roll back when one fails */
	JOB_ROLL_BACK,
	JOB_CERTIFICATES,
	JOB_REBOOTSTRAP, /* give the kubelet new credentials */
	JOB_HOSTED,
	JOB_SIZES, /* ask for the sizes of images to pin */
	JOB_PIN, /* write CRI-O's config of pinned images */
};

/* The input of the child, which has a copy of all memory. */
struct job_in {
	enum job_kind kind;
	struct node_update update;
	const struct strs *logs; /* lines for the node's journal; written first */
	/* the cause of a rollback; a hosted node's directory; the API servers' CAs to trust;
	 * CRI-O's config */
	struct str text;
	struct str asked; /* desiredDrain */
	struct str node; /* its name */
	struct str booted; /* the OS image; "": not known yet */
	struct str noted, noted_image; /* config and image as annotated */
	struct str finalize; /* why the last OS update was not finalized */
	const struct json *controller; /* a ControllerConfig */
	const struct pins *pins;
	const struct map *enabled; /* units that were seen enabled; or NULL */
	int64_t retry_ms;
	bool master, bootstrap, in_desired;
	bool pinned; /* as struct node has it */
};

struct job {
	struct loop *loop;
	const char *root;
	void *ctx;
	/* A message of the child, while it runs; JOB_MSG_RESULT goes to done. */
	void (*on_msg)(void *ctx, const struct job_msg *m);
	/* text: why it failed. */
	void (*done)(void *ctx, enum job_kind kind, int rc, struct str text);
	/* its own */
	struct arena a;
	struct buf in;
	struct str result;
	int rc; /* as the child reported it */
	bool ended; /* by a result, or by a malformed message */
	struct source pipe;
	struct child child;
	enum job_kind kind;
	bool running;
};

#define JOB_FIRST_ANNOTATIONS MC_FIRST_ANNOTATIONS

/* ---- in the child -------------------------------------------------------- */

/* Sends a message to the parent. job_send_text: one that is a text, or nothing more. */
void job_send(const struct job_msg *m);
void job_send_text(enum job_msg_kind kind, struct str text);
/* Sends an Event of the cluster. */
void job_event(const char *reason, struct str text);
int job_work(struct node *n, struct arena *a, const struct job_in *in, struct err *err);

/* ---- in the parent ------------------------------------------------------- */

int job_start(struct job *j, const struct job_in *in, struct err *err);
/* Kills the child; done is not called. */
void job_cancel(struct job *j);

#endif
