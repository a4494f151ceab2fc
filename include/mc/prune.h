/*
 * prune: which objects of a cluster are gone when only some manifests are kept, as
 * with `kubectl apply --prune`.
 */
#ifndef MC_PRUNE_H
#define MC_PRUNE_H

#include "mc/load.h"
#include "mc/selector.h"

/* Only the objects whose labels the selector matches. */
struct mc_set mc_selected(struct arena *a, const struct mc_set *set,
			  const struct selector *selector);

/*
 * base without the objects that users own, that change has none of and that the
 * selector matches (NULL: all). Those objects go to *removed; what controllers
 * made of them is theirs to remove. Never a pool of the cluster's own, nor what has
 * an owner, comes with the release or was generated, nor a kind of which there is
 * one.
 */
struct mc_set mc_prune(struct arena *a, const struct mc_set *base, const struct mc_set *change,
		       const struct selector *selector, struct mc_set *removed);

/* "MachineConfig 50-x" of each object of a set. */
struct strs mc_set_names(struct arena *a, const struct mc_set *set);

#endif
