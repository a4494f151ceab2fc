/*
 * job_msg: the messages that a job's child sends to the daemon.
 *
 * A message is a frame: four bytes of length (little-endian, without these four), a byte with
 * the kind, then the fields of that kind in order. Numbers take eight bytes, strings a number
 * and their bytes.
 */
#ifndef ROLE_DAEMON_JOB_MSG_H
#define ROLE_DAEMON_JOB_MSG_H

#include "base/err.h"
#include "node/hosted.h"
#include "node/node_event.h"

#define JOB_MSG_MAX ((size_t)8 << 20) /* bytes of a frame */
#define JOB_MSG_STR_MAX ((size_t)2 << 20) /* bytes of a string; longer ones are cut */

enum job_msg_kind {
	JOB_MSG_EVENT, /* event: of the node */
	JOB_MSG_OS, /* os: which one this is */
	JOB_MSG_BOOTED, /* text: the booted OS image */
	JOB_MSG_FINALIZE, /* text: why the last OS update was not finalized; "": it was */
	JOB_MSG_REBOOT, /* a reboot was requested */
	JOB_MSG_OSTREE, /* a master's ostree repository was set up, or failed to be */
	JOB_MSG_MISMATCH, /* the disk does not match its config at the start */
	JOB_MSG_FATAL, /* text: why the daemon must end */
	JOB_MSG_HOSTED, /* hosted: what a hosted node's step found */
	JOB_MSG_SIZE, /* size: of an image to pin */
	JOB_MSG_RESULT, /* result: the last message */
};

struct job_msg {
	enum job_msg_kind kind;
	union {
		struct node_event event;
		struct {
			struct str id, version;
			int64_t packages; /* layered ones that are not supported */
			bool supported;
		} os;
		struct {
			enum hosted_state state;
			struct str hash;
		} hosted;
		struct {
			struct str image;
			int64_t bytes;
		} size;
		struct {
			int rc; /* 0 or -code */
			struct str text; /* why it failed */
		} result;
		struct str text;
	};
};

/* Adds the frame of m to b. */
void job_msg_encode(struct buf *b, const struct job_msg *m);

/*
 * Takes one frame from the start of *in. Returns 1 with *out set, its strings views of the
 * input; 0 when the frame is not complete; -ERR_INVALID when it is malformed: too long, of an
 * unknown kind, with fields missing, left over or out of range. *in moves only on 1.
 */
int job_msg_decode(struct str *in, struct job_msg *out, struct err *err);

#endif
