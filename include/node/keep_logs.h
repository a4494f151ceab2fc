/*
 * keep_logs: the logs of the daemon's pod, copied so that they outlive the pod.
 */
#ifndef NODE_KEEP_LOGS_H
#define NODE_KEEP_LOGS_H

#include "node/node.h"

/* Best effort: logs a failure. */
void keep_logs(struct node *n, struct arena *a);

#endif
