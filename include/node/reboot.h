/*
 * reboot: requests a reboot of the node. The calls return before it happens.
 */
#ifndef NODE_REBOOT_H
#define NODE_REBOOT_H

#include "node/node.h"

/* Sends an event, logs and reboots; does nothing if skip_reboot or offline is set. */
int reboot_node(struct node *n, struct arena *a, const char *rationale, struct err *err);
/* The same for a reboot into the config called name. */
int reboot_into(struct node *n, struct arena *a, struct str name, struct err *err);
/* Without an event, and even if skip_reboot is set. err has the status of the command. */
int reboot_now(struct node *n, struct arena *a, const char *rationale, struct err *err);

#endif
