/*
 * find: finds the objects of a set that command-line arguments name.
 */
#ifndef MC_FIND_H
#define MC_FIND_H

#include "mc/load.h"

/* "in the cluster" or "among the manifests", for messages. */
const char *mc_set_where(const struct mc_set *set);

/* Sets ERR_NOTFOUND: the set has no pool at all. */
int mc_no_pool(const struct mc_set *set, struct err *err);

/* The pool of that name. ERR_NOTFOUND lists the pools that exist. */
int mc_find_pool(struct arena *a, const struct mc_set *set, struct str name, struct mcp **out,
		 struct err *err);

/*
 * What a word names (see mc/ref.h): a MachineConfig, a Node's current MachineConfig,
 * or a pool. One of *mc and *pool is set, the other is NULL.
 */
int mc_find_named(struct arena *a, const struct mc_set *set, struct str word, struct mc **mc,
		  struct mcp **pool, struct err *err);

#endif
