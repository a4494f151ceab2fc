/*
 * boot: the first steps of the daemon on a running machine.
 */
#ifndef NODE_BOOT_H
#define NODE_BOOT_H

#include "node/node.h"
#include "plan/os.h"

/* Undoes an update that was cut short. On CoreOS also removes leftovers of an OS update and reads
 * the booted image (*out and n->booted_image). */
int boot_init(struct node *n, struct arena *a, struct os_status *out, struct err *err);

/* Logs when and from which image the machine was installed. */
void boot_log_origin(struct node *n, struct arena *a);

#endif
