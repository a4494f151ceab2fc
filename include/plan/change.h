/*
 * change: what a cluster has after manifests were applied to it.
 */
#ifndef PLAN_CHANGE_H
#define PLAN_CHANGE_H

#include "mc/selector.h"
#include "plan/forecast.h"
#include "plan/preview.h"

struct change_in {
	struct mc_set *base; /* before the change; gets what controllers would generate */
	const struct mc_set *given; /* the manifests */
	const struct selector *selector; /* only objects that match; NULL: all */
	bool prune; /* objects that users own and given lacks are removed */
	struct str hash; /* see struct preview_in */
	bool adopt_hash;
};

struct change {
	struct mc_set after; /* with what controllers would generate */
	struct strs pruned; /* "MachineConfig x", ... */
	struct strs assumed; /* assumptions made because an object is missing */
	struct strs warnings; /* in the order in which they were found */
	/* Everything that controllers refuse, and the part that the change causes. */
	struct preview_refusals refused, caused;
	bool partial; /* some effects could not be determined */
};

void plan_change(struct arena *a, const struct change_in *in, struct change *out);

/* The last step alone: previews in->set and sorts what is refused. */
void plan_change_preview(struct arena *a, struct preview_in *in, struct change *out);

#endif
