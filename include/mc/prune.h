/*
 * prune: the objects of a cluster that `kubectl apply --prune` would delete.
 */
#ifndef MC_PRUNE_H
#define MC_PRUNE_H

#include "mc/load.h"
#include "mc/selector.h"

/* Only the objects whose labels the selector matches. */
struct mc_set mc_selected(struct arena *a, const struct mc_set *set,
			  const struct selector *selector);

/*
 * Returns base without the objects of users that change does not have and that the selector matches
 * (NULL: all). These objects go to *removed; the objects that controllers generated from them are
 * left to the controllers. Never removed: built-in pools, objects with an owner, objects of the
 * release, generated objects, and kinds with a single object.
 */
struct mc_set mc_prune(struct arena *a, const struct mc_set *base, const struct mc_set *change,
		       const struct selector *selector, struct mc_set *removed);

/* "MachineConfig 50-x", for each object of a set. */
struct strs mc_set_names(struct arena *a, const struct mc_set *set);

#endif
