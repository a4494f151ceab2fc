/*
 * generate: every MachineConfig that is made from other objects: templates over
 * the ControllerConfig, Image and mirrors, ContainerRuntimeConfigs, feature
 * gates, the Node config, KubeletConfigs.
 *
 * The same call serves the bootstrap run and the previews of mcoctl.
 */
#ifndef PLAN_GENERATE_H
#define PLAN_GENERATE_H

#include "mc/gates.h"
#include "mc/load.h"
#include "plan/template.h"

struct generate_in {
	const struct mc_set *set;
	const struct mc_pools *pools; /* in the order they are to be visited */
	const struct template_tree *templates;
	struct str pull_secret; /* .dockerconfigjson */
	struct str hash; /* the version this program stands for */
	struct mc_gates gates;
	/* Not the first run: as the controllers of a running cluster. Without
	 * templates then: what set has of them is used. */
	bool preview;
};

struct generated {
	struct mcs mcs; /* in upstream's order */
	struct strs notes; /* what was left out and why */
};

/* ERR_INVALID in upstream's words. */
int plan_generate(struct arena *a, const struct generate_in *in,
		  struct generated *out, struct err *err);

#endif
