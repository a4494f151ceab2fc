/*
 * behind: the objects that a generated MachineConfig was made from.
 */
#ifndef MC_BEHIND_H
#define MC_BEHIND_H

#include "mc/load.h"
#include "mc/origin.h"

/*
 * "KubeletConfig/pods", "ImageDigestMirrorSet/lab": the objects behind one file (""
 * for the whole) of mc, by its owner references, by the finalizers of the set's
 * objects and by names that only controllers give. None when users made mc.
 */
struct strs mc_behind(struct arena *a, const struct mc_set *set, const struct mc *mc,
		      struct str path);

/* Fills in made_from of every say. */
void mc_behind_all(struct arena *a, const struct mc_set *set, struct mc_origins *origins);

#endif
