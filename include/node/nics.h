/*
 * nics: persistent names of network interfaces.
 */
#ifndef NODE_NICS_H
#define NODE_NICS_H

#include "node/node.h"

/* Does nothing on a node that is not RHEL or RHCOS 8 or newer. */
int nics_persist(struct node *n, struct arena *a, struct err *err);

#endif
