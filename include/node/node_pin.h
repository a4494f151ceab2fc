/*
 * node_pin: the node's part of pinning images: their sizes, and the CRI-O config that pins them.
 */
#ifndef NODE_PIN_H
#define NODE_PIN_H

#include "base/map.h"
#include "node/node.h"

/* The size of the layers of an image that are not in seen yet, as its registry reports them. */
int node_pin_size(struct node *n, struct arena *a, struct str image, struct map *seen, int64_t *out,
		  struct err *err);

/* Writes the CRI-O config that pins images ("": removes it) and reloads CRI-O if the config
 * changed. When the reload fails, the old config is restored. */
int node_pin(struct node *n, struct arena *a, struct str config, struct err *err);

#endif
