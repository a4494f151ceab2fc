/*
 * live: the objects of a cluster, as if they had been dumped into files.
 */
#ifndef APPLETS_LIVE_H
#define APPLETS_LIVE_H

#include "applet.h"
#include "kube/config.h"
#include "mc/load.h"

/* Whether one of the flags that name a cluster was given. */
bool live_asked(const struct kube_flags *flags);

/* Whether word means a file or folder here; if not, it is a name in the cluster. */
bool live_is_file(struct run *r, struct str word);

/*
 * Lists once what configs are rendered from. Kinds that the cluster does not
 * have are skipped, those it will not show with a warning; without pools and
 * MachineConfigs it is an error: r->err.
 */
int live_load(struct run *r, const struct kube_flags *flags,
	      struct mc_set *set);

#endif
