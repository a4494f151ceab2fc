/*
 * ignite: an Ignition config applied to a root that nothing runs on yet, as
 * Ignition's own files stage does it.
 *
 * Files, directories, links, users, groups, units and kernel arguments. What it
 * does not do is refused by name before anything is written: disks, raid,
 * filesystems, luks, and contents that are elsewhere. A run that was cut short
 * is simply repeated: the machine has not booted from it.
 */
#ifndef NODE_IGNITE_H
#define NODE_IGNITE_H

#include "node/node.h"

int node_ignite(struct node *n, struct arena *a, struct str text,
		struct err *err);

/* Only the users and groups of it. */
int node_ignite_users(struct node *n, struct arena *a,
		      const struct ign_obj *config, struct err *err);

/* Certificates and pull secrets that are written outside of any config: from
 * the spec of a ControllerConfig. */
int node_write_certificates(struct node *n, struct arena *a,
			    const struct json *spec, struct err *err);

#endif
