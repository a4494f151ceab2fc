/*
 * preview: what the controllers of a running cluster would make of a change: the
 * plans of the live controller (plan/settle) over a set of objects.
 */
#ifndef PLAN_PREVIEW_H
#define PLAN_PREVIEW_H

#include "mc/load.h"

struct preview_in {
	const struct mc_set *set; /* what there is after the change */
	/* What was applied or removed, by kind and name. A KubeletConfig or
	 * ContainerRuntimeConfig that set does not have was deleted. NULL:
	 * nothing was. */
	const struct mc_set *touched;
	const struct mc_set *base; /* what there was before; NULL: unknown */
	struct str hash; /* of the version that the controllers are */
	bool adopt_hash; /* use the hash that made set's objects, where it is known */
};

/* An object that the controllers would not act on. */
struct preview_refusal {
	struct str object; /* "KubeletConfig x", or "" for registries */
	struct str file; /* where it was read, or "" */
	struct str message; /* in upstream's words */
	bool touched; /* by the change */
	bool known; /* its status says that it failed */
	/* The pools that are not rendered until it is mended: they stay on the
	 * config that they have. */
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
	struct strs notes; /* what could not be told, and what is missing */
	bool partial; /* some of what the touched objects do could not be told */
	struct preview_refusals refused;
};

/*
 * What the cluster has made stays as it is: maybe another version made it. Only
 * what comes of touched objects is made anew, and what is missing is made. The
 * generators start from what the set's MachineConfigs have of the templates; without
 * those, from the built-in ones.
 *
 * A touched pull secret is one of spec.pullSecret of the ControllerConfig, or of
 * openshift-config/pull-secret where there is none.
 */
void plan_preview(struct arena *a, const struct preview_in *in, struct preview *out);

/* The refusal that keeps a pool from being rendered, or NULL. list may be NULL. */
const struct preview_refusal *preview_refusal_of(const struct preview_refusals *list,
						 struct str pool);

#endif
