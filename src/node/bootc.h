/*
 * bootc: an OS that is a bootable container image.
 */
#ifndef SRC_NODE_BOOTC_H
#define SRC_NODE_BOOTC_H

#include "node/node.h"
#include "plan/os.h"

/* Whether there is bootc and no rpm-ostree. */
bool bootc_manages(const struct node *n);
int bootc_status(struct node *n, struct arena *a, struct os_status *out, struct err *err);
/* Stages image for the next boot. */
int bootc_switch(struct node *n, struct arena *a, struct str image, struct err *err);

#endif
