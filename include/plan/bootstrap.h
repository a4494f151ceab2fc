/*
 * bootstrap: from the manifests of a cluster that is being installed to the
 * rendered configs and pools its first machines are served with.
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
	struct str manifest_dir; /* as it is called in messages */
	struct bootstrap_files manifests; /* by name; paths as in messages */
	struct str pull_secret; /* a Secret's manifest */
	const struct template_tree *templates;
	struct str raw, hash; /* the version this program stands for */
	bool adopt_raw; /* raw is that of the ControllerConfig, if it tells */
	struct str release; /* of the payload: chooses the feature gates */
};

struct bootstrap_out {
	struct bootstrap_files files; /* below the destination, in order */
	struct strs notes; /* what was left out and why */
};

/* ERR_INVALID in upstream's words; *out is then untouched. */
int plan_bootstrap(struct arena *a, const struct bootstrap_in *in, struct bootstrap_out *out,
		   struct err *err);

#endif
