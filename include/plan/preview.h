/*
 * preview: what KubeletConfigs, ContainerRuntimeConfigs, the Image config, mirror
 * sets and image policies among manifests would change in a running cluster.
 */
#ifndef PLAN_PREVIEW_H
#define PLAN_PREVIEW_H

#include "mc/load.h"

/*
 * set with the MachineConfigs that controllers would generate from its objects.
 * Those that are there already stay: the cluster made them, maybe in another
 * version. Only what comes of objects that are among touched (by kind and name;
 * may be NULL), too, is made anew. The generators start from what the set's
 * MachineConfigs have of the templates; without those, from the built-in ones.
 * notes say what could not be told, and what is missing. ERR_INVALID in upstream's
 * words, after the object that is to blame.
 */
int plan_preview(struct arena *a, const struct mc_set *set,
		 const struct mc_set *touched, struct str hash,
		 struct mc_set *out, struct strs *notes, struct err *err);

#endif
