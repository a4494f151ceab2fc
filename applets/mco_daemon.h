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

/* The default of commands that people run: /rootfs in the daemon's pod, / on the node. */
struct str daemon_default_root(void);
struct root_flags {
	struct str root;
	bool offline, skip_reboot, dry_run, secrets;
};
void daemon_root_defaults(void *p); /* p: root_flags */

#define ROOT_FLAG(type)                                                                        \
	{                                                                                      \
		.texts = FLAG_TEXT("root-mount", "DIR",                                        \
				   "root of the node (default /rootfs if it exists, else /)"), \
		.kind = FLAG_STR, .offset = offsetof(type, root)                               \
	}

/* The release. Every command of upstream takes the flag. */
#define PAYLOAD_FLAG(type)                                                                  \
	{                                                                                   \
		.texts = FLAG_TEXT("payload-version", "STRING", ""), .kind = FLAG_STR,      \
		.hidden = true, .offset = offsetof(type, payload), .env = "RELEASE_VERSION" \
	}

/* Opens the node. quiet: log nothing. */
int daemon_open(struct run *r, struct str root, bool quiet, struct node *out);

/* Fetches an http or https URL, without a retry. */
int daemon_fetch(struct run *r, struct str url, struct str *out);

#endif
