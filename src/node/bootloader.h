/*
 * bootloader: the boot loader, updated before an OS whose kernel the old one may not trust.
 */
#ifndef SRC_NODE_BOOTLOADER_H
#define SRC_NODE_BOOTLOADER_H

#include "node/node.h"

/* Does nothing on a node that is not CoreOS or has Secure Boot off. */
int bootloader_update(struct node *n, struct arena *a, struct str image, struct err *err);

#endif
