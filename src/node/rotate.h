/*
 * CAs that the node's kubeconfigs trust.
 */
#ifndef SRC_NODE_ROTATE_H
#define SRC_NODE_ROTATE_H

#include "node/node.h"

/* Takes the certificates of bundle (PEM) in where they are missing. */
int rotate_cas(struct node *n, struct arena *a, struct str bundle, struct err *err);

#endif
