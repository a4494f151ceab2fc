/*
 * ignite_kargs: kernel arguments of an Ignition config.
 */
#ifndef SRC_NODE_IGNITE_KARGS_H
#define SRC_NODE_IGNITE_KARGS_H

#include "node/node.h"

/* ERR_INVALID when the config has some and the root has no boot loader entries. */
int ignite_kargs_check(struct node *n, const struct ign_obj *config, struct err *err);
/* Adds and removes them in every entry; idempotent. */
int ignite_kargs_set(struct node *n, struct arena *a, const struct ign_obj *config,
		     struct err *err);

#endif
