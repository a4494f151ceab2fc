#ifndef APPLETS_MCO_DAEMON_H
#define APPLETS_MCO_DAEMON_H

#include "applet.h"
#include "node/node.h"

extern const struct command daemon_apply;
extern const struct command daemon_complete;
extern const struct command daemon_firstboot;
extern const struct command daemon_recover;
extern const struct command daemon_rollback;
extern const struct command daemon_start;
extern const struct command daemon_status;
extern const struct command daemon_verify;

/* What a person runs by hand: in the daemon's pod the node is at /rootfs, and
 * at / on the node itself. */
struct str daemon_default_root(void);
struct root_flags {
	struct str root;
	bool offline, skip_reboot, dry_run, secrets;
};
void daemon_root_defaults(void *p); /* of these */

#define ROOT_FLAG(type)                                                                 \
	{                                                                               \
		.name = "root-mount", .kind = FLAG_STR, .offset = offsetof(type, root), \
		.value = "DIR",                                                         \
		.help = "where the node's root is (default /rootfs if it is "           \
			"there, else /)"                                                \
	}

/* The release; upstream's commands all take it. */
#define PAYLOAD_FLAG(type)                                                                     \
	{                                                                                      \
		.name = "payload-version", .kind = FLAG_STR, .hidden = true,                   \
		.offset = offsetof(type, payload), .value = "STRING", .env = "RELEASE_VERSION" \
	}

/* Opens the node; quiet keeps the log to what went wrong. */
int daemon_open(struct run *r, struct str root, bool quiet, struct node *out);

/* What is at an http or https address; one try. */
int daemon_fetch(struct run *r, struct str url, struct str *out);

#endif
