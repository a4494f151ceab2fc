/*
 * runtime: what a ContainerRuntimeConfig asks of CRI-O and of container storage.
 *
 * The same calls serve the bootstrap run, the controller and the previews of
 * mcoctl.
 */
#ifndef PLAN_RUNTIME_H
#define PLAN_RUNTIME_H

#include "mc/generated.h"

#define STORAGE_CONF "/etc/containers/storage.conf"

struct runtime_in {
	struct str pool; /* the pool's name, which is its role */
	struct str storage; /* storage.conf as the role's templates have it */
	bool more_stores; /* gate AdditionalStorageConfig */
	struct str hash; /* the version this program stands for */
};

/* Upstream's checks of a ContainerRuntimeConfig. ERR_INVALID in its words, one
 * line for each bad path. */
int runtime_validate(struct arena *a, const struct mc_object *crc, struct err *err);

/*
 * The MachineConfig of that name for a ContainerRuntimeConfig, which has to be
 * valid; without an owner. When storage.conf cannot be changed, that file alone
 * is left out and *note says why ("" else). ERR_INVALID when the object has no
 * spec.containerRuntimeConfig.
 */
int runtime_config(struct arena *a, const struct runtime_in *in, const struct mc_object *crc,
		   struct str name, struct mc **out, struct str *note, struct err *err);

#endif
