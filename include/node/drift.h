/*
 * drift: notices changes of files that a config has, by inotify.
 *
 * fd becomes readable; drift_read then reports whether a watched path was touched, and node_verify
 * whether its contents differ. As in upstream, only directories of files that exist at drift_open
 * are watched; unlike upstream, so are the links that enable units.
 */
#ifndef NODE_DRIFT_H
#define NODE_DRIFT_H

#include "base/map.h"
#include "node/node.h"

struct drift {
	int fd;
	struct arena a;
	struct map paths; /* watched */
	struct map enabled; /* units, to struct strs of their links */
	struct strs *dirs; /* by watch descriptor: one may have several names */
	size_t n_dirs;
	bool stale; /* a directory was removed, and its watch with it: open again */
};

int drift_open(struct drift *d, struct node *n, const struct mc_current *c, struct err *err);
void drift_close(struct drift *d);
/* Takes all pending events; true when a watched path is among them. */
bool drift_read(struct drift *d);

#endif
