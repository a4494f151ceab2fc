/*
 * podman: images pulled by the node's own podman, and images in its storage.
 */
#ifndef SRC_NODE_PODMAN_H
#define SRC_NODE_PODMAN_H

#include "node/args.h"
#include "node/node.h"

/* The kubelet's registry credentials. */
#define PODMAN_AUTH "/var/lib/kubelet/config.json"

/* A random UUID, for names of containers. */
struct str podman_uuid(struct arena *a);

/* Adds "systemd-run --unit <unit> … -- podman". */
void podman_args(struct args *args, const char *unit);
/* Pulls an image in that way. must: pass the credentials even if the file does not exist. */
int podman_pull(struct node *n, struct arena *a, const char *unit, const char *auth, bool must,
		struct str image, struct err *err);

/* Looks for an image in the node's storage; out->there is false when it is not there. */
int podman_find_image(struct node *n, struct arena *a, struct str image, struct os_image *out,
		      struct err *err);

#endif
