/*
 * managed: which MachineConfig of a pool is a KubeletConfig's or a
 * ContainerRuntimeConfig's own, and what the status of such an object says.
 *
 * Up to ten of a kind may target one pool; each gets a name of its own, and an
 * annotation remembers which. The newest has the highest number and so wins.
 */
#ifndef PLAN_MANAGED_H
#define PLAN_MANAGED_H

#include "base/map.h"
#include "base/rfc3339.h"
#include "mc/load.h"

#define MC_NAME_SUFFIX MC_PREFIX "mc-name-suffix"

/* True when the object's pool selector is not empty and matches. ERR_INVALID
 * "invalid label selector: …". */
int managed_targets(struct arena *a, const struct mc_object *config,
		    const struct mc_pool *pool, bool *out, struct err *err);

struct managed_in {
	const struct mc_object *config; /* a KubeletConfig or runtime config */
	const struct mc_pool *pool; /* one that it targets */
	const struct mc_objects *all; /* every object of its kind, and others */
	const struct map *mcs; /* the MachineConfigs there are, by name */
};

struct managed {
	struct str name; /* of the MachineConfig */
	/* A MachineConfig of the name that releases of old gave is to be copied
	 * to name and deleted; "" when there can be none. */
	struct str old_name;
	bool annotate; /* the object lacks MC_NAME_SUFFIX: set it to … */
	struct str suffix;
};

/* ERR_INVALID in upstream's words: the eleventh, or an annotation that is no
 * number. */
int managed_name(struct arena *a, const struct managed_in *in,
		 struct managed *out, struct err *err);

/*
 * The object's status with what came of its newest generation: failure is the
 * message, or NULL for success. A KubeletConfig keeps three conditions.
 */
struct json *managed_status(struct arena *a, const struct mc_object *config,
			    const char *failure, struct instant now);

#endif
