/*
 * runtime: the files of a ContainerRuntimeConfig for CRI-O and container storage.
 *
 * Bootstrap, the controller and the previews of mcoctl make the same calls.
 */
#ifndef PLAN_RUNTIME_H
#define PLAN_RUNTIME_H

#include "mc/generated.h"

#define STORAGE_CONF "/etc/containers/storage.conf"

struct runtime_in {
	struct str pool; /* the pool's name, which is also its role */
	struct str storage; /* the base storage.conf */
	bool more_stores; /* gate AdditionalStorageConfig */
	struct str hash; /* this build's version */
};

/* Upstream's checks of a ContainerRuntimeConfig. ERR_INVALID in its words, one
 * line for each bad path. */
int runtime_validate(struct arena *a, const struct mc_object *crc, struct err *err);

/*
 * The MachineConfig of that name for a valid ContainerRuntimeConfig, without an owner.
 * When storage.conf cannot be changed, only that file is left out and *note says why (""
 * otherwise). ERR_INVALID when the object has no spec.containerRuntimeConfig.
 */
int runtime_config(struct arena *a, const struct runtime_in *in, const struct mc_object *crc,
		   struct str name, struct mc **out, struct str *note, struct err *err);

#endif
