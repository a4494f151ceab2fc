/*
 * boot: what a node does by itself, before or without a cluster.
 */
#ifndef NODE_BOOT_H
#define NODE_BOOT_H

#include "node/node_update.h"

#define FIRSTBOOT_CONFIG "/etc/ignition-machine-config-encapsulated.json"

/*
 * The daemon's first steps on a running machine: an update that was cut short
 * is undone; on CoreOS leftovers go and the booted image is found out.
 */
int boot_init(struct node *n, struct arena *a, struct os_status *out, struct err *err);

/* When and from which image the machine was made, to the log. */
void boot_log_origin(struct node *n, struct arena *a);

/*
 * A whole update without a cluster: checks, files, OS, state, actions. from is
 * NULL for a machine that has had none.
 */
int standalone_update(struct node *n, struct arena *a, const struct mc_current *from,
		      const struct mc_current *to, struct err *err);

/* Its checks, and what is done when it holds; nothing is changed. */
int standalone_plan(struct node *n, struct arena *a, const struct mc_current *from,
		    const struct mc_current *to, struct update_plan *out, struct err *err);

/* Applies an Ignition config or a MachineConfig once, and reboots. remote: it
 * comes from elsewhere, which a MachineConfig may not. */
int standalone_once_from(struct node *n, struct arena *a, struct str text, bool remote,
			 struct err *err);

/* Completes what Ignition cannot do: the OS and its kernel. One try. */
int firstboot_complete(struct node *n, struct arena *a, const char *file, struct err *err);

/*
 * The way back from an OS image that was built in the cluster: a unit that, when
 * the machine has booted the other one, completes it as a first boot does. What
 * it takes is written and enabled; or it is done away with again.
 */
int revert_prepare(struct node *n, struct arena *a, const struct json *controller,
		   const struct mc_current *to, struct err *err);
int revert_drop(struct node *n, struct arena *a, struct err *err);

/* Writes the names of network interfaces down, as upstream does on EL. */
int nics_persist(struct node *n, struct arena *a, struct err *err);

#endif
