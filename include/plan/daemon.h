/*
 * daemon: what a node's daemon does next, from what its Node object says, what
 * its disk has and how far this process has come.
 *
 * Asked again after each step. Upstream's daemon blocks within one long function
 * instead; the annotations and their order are the same.
 */
#ifndef PLAN_DAEMON_H
#define PLAN_DAEMON_H

#include "base/vec.h"
#include "data/json.h"

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
	bool force; /* the force file was there when this began */
	/* this process */
	bool rebooting; /* it has asked for one */
	bool booting; /* no pass has succeeded yet */
	bool bootstrap; /* node-annotations.json was there */
	bool recovered, prepared, noted, loaded, verified;
	/* the update under way */
	struct str target; /* its config and image; "" when there is none */
	struct str target_image;
	struct str from_image;
	bool revertible; /* the way out of its image is prepared */
	bool revert_left; /* the same, of an update that is given up */
	bool planned, drain, reboot, applied, announced, acted;
	bool confirmed; /* both configs are still there */
	bool asked; /* the controller, to drain */
	int64_t waited_ms; /* for the controller */
};

enum daemon_do {
	DAEMON_REST, /* nothing until something changes */
	DAEMON_AWAIT, /* the controller drains or uncordons */
	DAEMON_RECOVER, /* what a killed process left; what OS this is */
	DAEMON_SECRET, /* write the pull secret */
	DAEMON_PREPARE, /* tidy up after the first boot */
	DAEMON_INITIAL, /* the first annotations, from the disk */
	DAEMON_LOAD, /* get the configs */
	DAEMON_BOOT, /* the first OS image, and compare with the config */
	DAEMON_VERIFY, /* compare the disk with its config */
	DAEMON_REVERT, /* be ready to leave an image built in the cluster */
	DAEMON_UNREVERT, /* and no more */
	DAEMON_PLAN, /* what the update takes */
	DAEMON_ANNOTATE,
	DAEMON_APPLY,
	DAEMON_ACT, /* reload, restart, reboot */
	DAEMON_CONFIRM, /* look whether the cluster still has both configs */
	DAEMON_DONE, /* annotate; then all begins anew */
	DAEMON_AGAIN, /* the target has changed meanwhile */
	DAEMON_FAIL, /* annotate; then retry */
};

struct daemon_pair {
	struct str key, value;
	bool remove;
};

struct daemon_event {
	const char *reason;
	struct str text;
};

struct daemon_next {
	enum daemon_do what;
	struct daemon_pair pairs[8];
	size_t n_pairs;
	struct daemon_event events[2];
	size_t n_events;
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
