/*
 * node/pin: pinned images, as far as the node's own programs and files go.
 */
#ifndef NODE_PIN_H
#define NODE_PIN_H

#include "base/map.h"
#include "node/node.h"

/* The bytes of an image's layers that are not in seen yet, as podman has them
 * from its registry. */
int node_pin_size(struct node *n, struct arena *a, struct str image, struct map *seen, int64_t *out,
		  struct err *err);

/* Has CRI-O keep what config says; "": nothing. Reloads it when that changes
 * anything, and takes the change back when it cannot be reloaded. */
int node_pin(struct node *n, struct arena *a, struct str config, struct err *err);

#endif
