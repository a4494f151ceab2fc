/*
 * preview: the effect of a change on the MachineConfigs of a running cluster: the plans
 * of the live controller (plan/settle) over a set of objects.
 */
#ifndef PLAN_PREVIEW_H
#define PLAN_PREVIEW_H

#include "mc/load.h"

struct preview_in {
	const struct mc_set *set; /* the objects after the change */
	/* The objects that were applied or deleted, by kind and name. A KubeletConfig or
	 * ContainerRuntimeConfig that set lacks was deleted. NULL: none. */
	const struct mc_set *touched;
	const struct mc_set *base; /* the objects before; NULL: unknown */
	struct str hash; /* hash of the controllers' version */
	bool adopt_hash; /* use the hash that made set's objects, where it is known */
};

/* An object that the controllers refuse. */
struct preview_refusal {
	struct str object; /* "KubeletConfig x", or "" for registries */
	struct str file; /* where it was read, or "" */
	struct str message; /* upstream's message */
	bool touched; /* caused by the change */
	bool known; /* its status says that it failed */
	/* The pools that are not rendered until it is fixed: they keep their current config. */
	struct strs pools;
};

/* "KubeletConfig x (file): why" */
struct str preview_refusal_text(struct arena *a, const struct preview_refusal *r);

struct preview_refusals {
	struct preview_refusal *v;
	size_t n, cap;
};

struct preview {
	/* in->set with the MachineConfigs that controllers would generate. */
	struct mc_set set;
	struct strs notes; /* effects that are unknown, and missing objects */
	bool partial; /* some effects of the touched objects are unknown */
	struct preview_refusals refused;
};

/*
 * Existing MachineConfigs stay as they are, because another version may have made them.
 * Only those of touched objects are generated again, and missing ones are added. The
 * generators take base files from the MachineConfigs that templates made; without those,
 * from the built-in templates.
 *
 * A touched pull secret is the one that spec.pullSecret of the ControllerConfig names, or
 * openshift-config/pull-secret when it names none.
 */
void plan_preview(struct arena *a, const struct preview_in *in, struct preview *out);

/* The refusal that keeps a pool from being rendered, or NULL. list may be NULL. */
const struct preview_refusal *preview_refusal_of(const struct preview_refusals *list,
						 struct str pool);

#endif
