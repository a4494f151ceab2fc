/*
 * os_image: another OS image, staged for the next boot.
 */
#ifndef NODE_OS_IMAGE_H
#define NODE_OS_IMAGE_H

#include "node/node.h"

int os_image_update(struct node *n, struct arena *a, struct str image, struct err *err);
/* Deploys the image from a container of itself, for an rpm-ostree that cannot read it. */
int os_image_via_container(struct node *n, struct arena *a, struct str image, struct err *err);

/* Events for the MachineConfigNode. os_image_pulled returns rc. */
void os_image_pulling(const struct node *n, const char *what, struct str image);
int os_image_pulled(const struct node *n, const char *what, struct str image, int rc,
		    const struct err *err);

#endif
