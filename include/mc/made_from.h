/*
 * made_from: the objects that a MachineConfig was generated from.
 */
#ifndef MC_MADE_FROM_H
#define MC_MADE_FROM_H

#include "mc/load.h"
#include "mc/origin.h"

/*
 * "KubeletConfig/pods", "ImageDigestMirrorSet/lab": the objects behind one file (""
 * for the whole) of mc, by its owner references, by the finalizers of the set's
 * objects and by names that only controllers use. None when a user wrote mc.
 */
struct strs mc_made_from(struct arena *a, const struct mc_set *set, const struct mc *mc,
			 struct str path);

/* Sets made_from of every struct mc_setting. */
void mc_made_from_all(struct arena *a, const struct mc_set *set, struct mc_origins *origins);

#endif
