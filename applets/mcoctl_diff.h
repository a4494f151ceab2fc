/*
 * mcoctl_diff: the state that the files of `mcoctl diff` share.
 */
#ifndef APPLETS_MCOCTL_DIFF_H
#define APPLETS_MCOCTL_DIFF_H

#include "kube/config.h"
#include "mcoctl.h"
#include "view/change_text.h"
#include "view/diff_files.h"

struct diff_opts {
	struct strs files;
	bool recursive, secrets;
	struct strs base;
	struct strs pools;
	bool prune;
	struct str selector;
	struct str output;
	struct kube_flags kube;
};

struct diff {
	struct run *r;
	const struct diff_opts *o;
	struct config_diff_opts view;
	struct json *list; /* for -o json */
	struct change change;
	const char *external; /* the program to compare with, or NULL */
	struct diff_files for_external;
	size_t differ;
	bool unseen; /* the external program did not get all differences */
};

/* The name of the only MachineConfig of a set without other configs or pools; or "". */
struct str diff_only_config(const struct mc_set *set);

/* Compares two configs by their names, each in its set. */
int diff_configs(struct diff *d, const struct mc_set *from, struct str x, const struct mc_set *to,
		 struct str y, const struct json *machine_configuration);

/* Compares the two arguments, of which at least one is the name of a config. */
int diff_named(struct diff *d);

/* Compares every pool of either set. ERR_NOTFOUND: neither set has a pool of --pool.
 * ERR_INVALID: no pool can be rendered. */
int diff_pools(struct diff *d, const struct mc_set *from, const struct mc_set *to);

#endif
