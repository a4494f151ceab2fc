/*
 * What the two halves of changing an OS share.
 */
#ifndef SRC_NODE_OS_H
#define SRC_NODE_OS_H

#include "node/node.h"

#define OS_KUBELET_AUTH "/var/lib/kubelet/config.json"

void os_pause(int64_t ms);
int os_rpm_ostree(struct node *n, struct arena *a, const struct strs *words,
		  struct err *err);
struct str os_uuid(struct arena *a);
/* Whether podman has that image. */
bool os_has_image(struct node *n, struct arena *a, struct str image);
/* Stages another OS image for the next boot. */
int os_update_image(struct node *n, struct arena *a, struct str image,
		    struct err *err);

#endif
