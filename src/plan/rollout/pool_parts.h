/*
 * pool_parts: shared by the files of the update controller of a pool.
 */
#ifndef PLAN_ROLLOUT_POOL_PARTS_H
#define PLAN_ROLLOUT_POOL_PARTS_H

#include "plan/pool.h"

/* ---- pool_layers.c ------------------------------------------------------- */

/* Removes the annotation of an obsolete build from the MachineOSConfig. */
void pool_clear_stale_build(struct arena *a, const struct pool_layers *l, struct actions *out);
/* An unknown build may exist by now: only the server can say that it does not. */
void pool_ask_build(struct arena *a, const struct pool_layers *l, struct actions *out);
/* True when the image of a layered pool exists; *rc < 0 when its build failed. */
bool pool_image_ready(const struct pool_layers *l, int *rc, struct err *err);

/* ---- pool_choose.c ------------------------------------------------------- */

struct pool_pick {
	const struct knode *n;
	struct str zone; /* p NULL: none */
};

struct pool_picks {
	struct pool_pick *v;
	size_t n, cap;
};

/* How many nodes may be updated now; appends the candidates to *out. */
size_t pool_candidates(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		       int64_t max, struct pool_picks *out);
/* Keeps the candidates that are updated now, at most room. */
void pool_choose(struct arena *a, const struct pool_view *in, struct pool_picks *picks, size_t room,
		 struct actions *out);

#endif
