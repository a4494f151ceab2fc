/*
 * live: reads the objects of a cluster, as previews read them from files.
 */
#ifndef KUBE_LIVE_H
#define KUBE_LIVE_H

#include "kube/client.h"
#include "kube/config.h"
#include "mc/load.h"

/* Whether a flag that selects a cluster was given. */
bool kube_live_asked(const struct kube_flags *flags);

struct kube_live {
	struct arena *a; /* of the result */
	struct err *err;
	const struct kube_flags *flags;
	const char *instead; /* what the error suggests when no cluster is configured */
	/* Called for each kind that is left out. */
	void (*warn)(void *ctx, struct str text);
	void *warn_ctx;
};

struct live_sink {
	/* Called with each page of a list as JSON; text is in the reader's arena. */
	int (*take)(void *ctx, struct kube_live *r, struct str text);
	/* Or NULL. May replace the text of an object, valid within the call, by one in a. */
	int (*item)(void *ctx, struct arena *a, const char *path, struct str *text,
		    struct err *err);
	/* Or NULL. Called after all lists. */
	int (*listed)(void *ctx, struct kube_live *r, struct kube *k);
	void *ctx;
};

/*
 * Passes each list that kube_live_load reads to a callback, with the same errors, so a
 * dump has the input of a live preview.
 */
int kube_live_lists(struct kube_live *r, const struct live_sink *to);

/* Which rendered configs are read whole. */
enum live_rendered {
	LIVE_IN_USE, /* those that pools or nodes name; others are brief (mc/brief.h) */
	LIVE_ALL,
};

/*
 * Lists once the objects from which configs are rendered. It skips kinds that the
 * cluster does not have, and those that it may not read, with a warning. Without pools
 * and MachineConfigs it fails.
 */
int kube_live_load(struct kube_live *r, enum live_rendered rendered, struct mc_set *set);

#endif
