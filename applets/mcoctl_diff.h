/*
 * mcoctl_diff: what the parts of `mcoctl diff` share.
 */
#ifndef APPLETS_MCOCTL_DIFF_H
#define APPLETS_MCOCTL_DIFF_H

#include "kube/config.h"
#include "mcoctl.h"
#include "plan/change.h"
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
	bool unseen; /* of some of it the other program was told nothing */
};

/* "what: text" for each text. */
void diff_add_lines(struct buf *b, const char *what, const struct strs *list);

/* The one MachineConfig that a file holds, if it holds nothing else; or "". */
struct str diff_only_config(const struct mc_set *set);

/* Two configs by their names, each in its set. */
int diff_configs(struct diff *d, const struct mc_set *from, struct str x, const struct mc_set *to,
		 struct str y, const struct json *machine_configuration);

/* The two words, of which at least one is the name of a config. */
int diff_named(struct diff *d);

/* Every pool of either set: what becomes of it from one to the other. ERR_NOTFOUND:
 * neither has a pool that was asked for. ERR_INVALID: none can be rendered. */
int diff_pools(struct diff *d, const struct mc_set *from, const struct mc_set *to);

#endif
