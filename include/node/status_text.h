/*
 * status_text: what `mco-daemon status` prints of a node.
 */
#ifndef NODE_STATUS_TEXT_H
#define NODE_STATUS_TEXT_H

#include "node/node.h"

int node_status_text(struct node *n, struct arena *a, struct buf *b, struct err *err);

#endif
