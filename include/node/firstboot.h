/*
 * firstboot: completes a machine that Ignition has set up.
 */
#ifndef NODE_FIRSTBOOT_H
#define NODE_FIRSTBOOT_H

#include "node/node.h"

#define FIRSTBOOT_CONFIG "/etc/ignition-machine-config-encapsulated.json"

/* Stages the OS, kernel and extensions of the MachineConfig in file and reboots; without changes it
 * only removes the file. One attempt, no retry. */
int firstboot_complete(struct node *n, struct arena *a, const char *file, struct err *err);

#endif
