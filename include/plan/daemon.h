/*
 * daemon: what a node's daemon does next, from what its Node object says, what its disk has
 * and how far this process has come.
 *
 * plan_daemon is called again after each step. Upstream's daemon blocks within one long
 * function instead; the annotations and their order are the same.
 */
#ifndef PLAN_DAEMON_H
#define PLAN_DAEMON_H

#include "base/vec.h"
#include "data/json.h"

/* How far the start of the process has come. */
enum daemon_start {
	START_RECOVER, /* what a killed process left is not recovered yet */
	START_PREPARE, /* what the first boot left is not tidied up yet */
	START_NOTE, /* the first annotations may still have to be written */
	START_SYNC, /* no pass has succeeded yet */
	START_OVER,
};

/* How far the pass has come. Each stage includes those before it. */
enum daemon_stage {
	STAGE_NONE, /* there is no pass, or its configs are not loaded */
	STAGE_LOADED,
	STAGE_PLANNED, /* the update can be done, and what it takes is known */
	STAGE_APPLIED, /* the disk has the new config */
	STAGE_ANNOUNCED, /* the Node says that it reboots */
	STAGE_ACTED, /* the post actions succeeded */
	STAGE_CONFIRMED, /* the cluster still has both configs */
};

/* The way back from an OS image that was built in the cluster: a unit on the disk. */
enum daemon_revert {
	REVERT_NONE,
	REVERT_READY, /* it is there, for the pass under way */
	REVERT_LEFT, /* it is there, of a pass that was given up: remove it */
};

/* From the annotated config to the desired one; all zero when no pass is under way. */
struct daemon_pass {
	struct str target, target_image; /* desired when it began */
	struct str from_image;
	enum daemon_stage stage;
	bool force; /* the force file was there when it began */
	bool verified; /* the disk matches its config */
	bool drain, reboot; /* the update takes one */
	bool asked; /* this process asked the controller to drain */
};

struct daemon_view {
	struct str node;
	/* annotations; "" where there is none, and then no pointer */
	struct str current, desired, state;
	struct str current_image, desired_image;
	struct str want_drain, did_drain; /* desiredDrain, lastAppliedDrain */
	struct str after; /* post-config-action */
	bool has_state; /* it may be there and be empty */
	bool single; /* controlPlaneTopology is SingleReplica */
	/* the cluster */
	struct str trouble; /* why nothing can be done for this node; or "" */
	bool secret; /* the pull secret on the disk is not the cluster's */
	/* the disk */
	struct str disk, disk_image; /* the current config's name, or "" */
	struct str disk_trouble; /* why it cannot be read; or "" */
	/* this process */
	enum daemon_start start;
	bool rebooting; /* it requested a reboot */
	bool bootstrap; /* node-annotations.json was there */
	enum daemon_revert revert;
	struct daemon_pass pass;
	int64_t waited_ms; /* for the controller */
};

enum daemon_do {
	DAEMON_REST, /* nothing until something changes */
	DAEMON_AWAIT, /* wait for the controller to drain or uncordon */
	DAEMON_RECOVER, /* recover what a killed process left, find out which OS this is */
	DAEMON_SECRET, /* write the pull secret */
	DAEMON_PREPARE, /* tidy up after the first boot */
	DAEMON_INITIAL, /* write the first annotations, from the disk */
	DAEMON_LOAD, /* get the configs */
	DAEMON_BOOT, /* boot the first OS image, and compare the disk with the config */
	DAEMON_VERIFY, /* compare the disk with its config */
	DAEMON_REVERT, /* prepare to leave an image built in the cluster */
	DAEMON_UNREVERT, /* remove what that prepared */
	DAEMON_PLAN, /* find out what the update takes */
	DAEMON_ANNOTATE,
	DAEMON_APPLY,
	DAEMON_ACT, /* reload, restart, reboot */
	DAEMON_CONFIRM, /* check that the cluster still has both configs */
	DAEMON_DONE, /* annotate; then the pass is over */
	DAEMON_AGAIN, /* the target has changed: load again */
	DAEMON_FAIL, /* annotate; then retry */
};

struct daemon_pair {
	struct str key, value;
	bool remove;
};

/* An Event of the Node. */
struct daemon_message {
	const char *reason;
	struct str text;
};

/* What an annotation means to the daemon once it is written. */
enum daemon_note {
	NOTE_PLAIN, /* nothing */
	NOTE_DRAIN, /* the controller is asked to drain */
	NOTE_UNCORDON, /* the controller is asked to uncordon; config is resumed */
	NOTE_REBOOTING, /* the reboot is announced */
	NOTE_REBOOTED, /* the announced reboot is over */
};

/* What DAEMON_FAIL gives up, where the daemon acts on it. */
enum daemon_fault { FAULT_OTHER, FAULT_DRAIN, FAULT_UNCORDON };

struct daemon_next {
	enum daemon_do what;
	struct daemon_pair pairs[8];
	size_t n_pairs;
	struct daemon_message events[2];
	size_t n_events;
	enum daemon_note note;
	enum daemon_fault fault;
	struct str config; /* NOTE_UNCORDON */
	struct str text; /* for the log; of DAEMON_FAIL the reason */
	bool journal; /* text is for the node's journal, too */
	bool roll_back; /* DAEMON_FAIL: the update is to be undone */
};

#define DAEMON_DRAIN_MS (3600 * 1000)
#define DAEMON_UNCORDON_MS (600 * 1000)

void plan_daemon(struct arena *a, const struct daemon_view *v, struct daemon_next *out);

/* The annotations of a failure. */
void daemon_failure(struct arena *a, struct str reason, bool unreconcilable,
		    struct daemon_next *out);

/* A strategic merge patch with what differs from the Node; "" for nothing. */
struct str daemon_patch(struct arena *a, const struct json *node, const struct daemon_pair *pairs,
			size_t n);

/* Milliseconds before the n-th retry: 1 s, 2 s, 4 s … 60 s. */
int64_t daemon_retry_ms(unsigned n);

/* Whether an event of this reason is a warning. */
bool daemon_is_warning(struct str reason);

#endif
