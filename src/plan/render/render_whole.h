/*
 * render_whole: brief configs (mc/brief.h) where rendering needs all of them.
 *
 * ERR_AGAIN: the config was not read for this plan; its name is in in->wanted.
 */
#ifndef PLAN_RENDER_WHOLE_H
#define PLAN_RENDER_WHOLE_H

#include "plan/render_sync.h"

/* The whole of a brief config, as it was read. */
int render_whole(struct arena *a, const struct render_view *in, const struct mc *brief,
		 const struct mc **out, struct err *err);

/* The same; where its Ignition config is that of r, it is completed with r's. */
int render_whole_of(struct arena *a, const struct render_view *in, const struct mc *brief,
		    const struct rendered *r, const struct mc **out, struct err *err);

/* What r is written over: completed with r's config where that leaves nothing to write. */
int render_existing(struct arena *a, const struct render_view *in, const struct mc *brief,
		    const struct rendered *r, const struct mc **out, struct err *err);

#endif
