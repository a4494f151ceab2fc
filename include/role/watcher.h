/*
 * watcher: apiserver-watcher, which tells a cloud's routing whether this machine's API server is up.
 */
#ifndef ROLE_WATCHER_H
#define ROLE_WATCHER_H

#include "base/err.h"

struct watcher_opts {
	struct str root; /* where the machine's root file system is mounted */
	struct str url; /* of the health check: its host has the virtual addresses */
};

/*
 * Checks the URL's path on this machine every 2 s, and keeps ROOT/run/cloud-routes/ADDRESS.up or
 * .down for each address of the URL's host. Returns 0 after SIGINT, which marks the API server as
 * down, or -code: the URL is invalid, its host has no address, or a file cannot be changed.
 */
int watcher_run(struct arena *a, const struct watcher_opts *o, struct err *err);

#endif
