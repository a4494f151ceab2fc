/*
 * origin: which MachineConfigs had a say in each file and unit of a rendered
 * config.
 */
#ifndef MC_ORIGIN_H
#define MC_ORIGIN_H

#include "mc/merge.h"

struct mc_say {
	const struct mc *mc;
	const struct ign_obj *entry; /* the file or unit as that one has it */
};

struct mc_origin {
	struct str key; /* a path, or a unit's name */
	bool unit;
	struct mc_say *v; /* in the order they were merged: the last one wins */
	size_t n, cap;
};

struct mc_origins {
	struct mc_origin **v; /* files, then units, each by first mention */
	size_t n, cap;
};

/* Reads every source; ERR_INVALID when one does not parse. */
int mc_origins(struct arena *a, const struct mcs *sources,
	       struct mc_origins *out, struct err *err);

#endif
