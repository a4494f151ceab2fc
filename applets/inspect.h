/*
 * inspect: what mcoctl cat, files and blame have in common.
 */
#ifndef APPLETS_INSPECT_H
#define APPLETS_INSPECT_H

#include "live.h"
#include "mcoctl.h"

struct inspect_opts {
	struct strs files;
	bool recursive, secrets;
	struct kube_flags kube;
};

/* What the words of a command name. */
struct inspect {
	struct str config; /* a name, TYPE/NAME or a file */
	struct str part; /* of that config; "" when none is named */
};

/* CONFIG:/PATH, CONFIG [PART], and TYPE NAME in the place of CONFIG. */
int inspect_words(struct run *r, struct inspect *out);

/* ERR_INVALID: a part has to be named. */
int inspect_no_part(struct run *r);

/*
 * Loads the config: a pool, a MachineConfig or a Node among the -f manifests, or
 * a file of its own, or else a name in the cluster.
 */
int inspect_load(struct run *r, const struct inspect_opts *o, struct str config,
		 struct mc_set *set, struct named_config *out);

#endif
