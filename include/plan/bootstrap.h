/*
 * bootstrap: from the manifests of a cluster that is being installed to the rendered
 * configs and pools for its first machines.
 */
#ifndef PLAN_BOOTSTRAP_H
#define PLAN_BOOTSTRAP_H

#include "plan/template.h"

struct bootstrap_file {
	struct str path, text;
};

struct bootstrap_files {
	struct bootstrap_file *v;
	size_t n, cap;
};

struct bootstrap_in {
	struct str manifest_dir; /* for messages */
	struct bootstrap_files manifests; /* sorted by name; paths as in messages */
	struct str pull_secret; /* a Secret's manifest */
	const struct template_tree *templates;
	struct str raw, hash; /* this build's version */
	bool adopt_raw; /* use the ControllerConfig's version annotation, if any, instead of raw */
	struct str release; /* version of the payload: selects the feature gates */
};

struct bootstrap_out {
	struct bootstrap_files files; /* relative to the destination, in the order of writing */
	struct strs notes; /* warnings: what was left out and why */
};

/* ERR_INVALID in upstream's words; *out is then untouched. */
int plan_bootstrap(struct arena *a, const struct bootstrap_in *in, struct bootstrap_out *out,
		   struct err *err);

#endif
