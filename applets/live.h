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

/* Takes one page of a list, in JSON; it may be kept. */
struct live_sink {
	int (*take)(void *ctx, struct run *r, struct str text);
	void *ctx;
};

/*
 * Everything that live_load reads, list by list, and with its errors: what is
 * dumped is what previews of the cluster itself are made from.
 */
int live_lists(struct run *r, const struct kube_flags *flags, const char *instead,
	       const struct live_sink *to);

/*
 * Lists once what configs are rendered from. Kinds that the cluster does not
 * have are skipped, those it will not show with a warning; without pools and
 * MachineConfigs it is an error: r->err. Where there is no cluster to ask, the error
 * says what else could be given: instead.
 */
int live_load(struct run *r, const struct kube_flags *flags, const char *instead,
	      struct mc_set *set);

/* For commands that read manifests or else the cluster. */
#define LIVE_INSTEAD "manifests with -f PATH (- is standard input)"

#endif
