/*
 * rotate: the CAs that the node's kubeconfigs trust, and the kubelet's own credentials.
 */
#ifndef NODE_ROTATE_H
#define NODE_ROTATE_H

#include "node/node.h"

/* Adds the certificates of bundle (PEM) that the kubeconfigs lack, and restarts the kubelet unless
 * that can wait for the next reboot. */
int rotate_cas(struct node *n, struct arena *a, struct str bundle, struct err *err);

/* Makes the kubelet request credentials anew; waits until it has them. ERR_LIMIT after two
 * minutes. */
int rotate_rebootstrap(struct node *n, struct arena *a, struct err *err);

#endif
