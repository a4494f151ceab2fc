/*
 * live: reads the objects of a cluster, as previews read them from files.
 */
#ifndef APPLETS_LIVE_H
#define APPLETS_LIVE_H

#include "applet.h"
#include "kube/client.h"
#include "kube/config.h"
#include "mc/load.h"

/* Whether a flag that selects a cluster was given. */
bool live_asked(const struct kube_flags *flags);

/* Whether word is a file or directory; if not, it is a name in the cluster. */
bool live_is_file(struct run *r, struct str word);

struct live_sink {
	/* Called with each page of a list as JSON; text is in the run's arena. */
	int (*take)(void *ctx, struct run *r, struct str text);
	/* Or NULL. May replace the text of an object, valid within the call, by one in a. */
	int (*item)(void *ctx, struct arena *a, const char *path, struct str *text,
		    struct err *err);
	/* Or NULL. Called after all lists. */
	int (*listed)(void *ctx, struct run *r, struct kube *k);
	void *ctx;
};

/*
 * Passes each list that live_load reads to a callback, with the same errors, so a dump
 * has the input of a live preview.
 */
int live_lists(struct run *r, const struct kube_flags *flags, const char *instead,
	       const struct live_sink *to);

/* Which rendered configs are read whole. */
enum live_rendered {
	LIVE_IN_USE, /* those that pools or nodes name; others are brief (mc/brief.h) */
	LIVE_ALL,
};

/*
 * Lists once the objects from which configs are rendered. It skips kinds that the
 * cluster does not have, and those that it may not read, with a warning. Without pools
 * and MachineConfigs it fails. When no cluster is configured, the error names the
 * alternative: instead.
 */
int live_load(struct run *r, const struct kube_flags *flags, const char *instead,
	      enum live_rendered rendered, struct mc_set *set);

/* The alternative of commands that read manifests or a cluster. */
#define LIVE_INSTEAD "manifests with -f PATH (- is standard input)"

#endif
