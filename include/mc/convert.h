/*
 * convert: Ignition configs in another version of the spec.
 */
#ifndef MC_CONVERT_H
#define MC_CONVERT_H

#include "base/semver.h"
#include "data/docs.h"

/* Whether the document is an API object; Ignition configs have no kind. */
bool mc_convert_object(const struct doc *d);

/*
 * Converts an Ignition config, a MachineConfig or a list of MachineConfigs. Objects
 * are changed in place. ERR_INVALID when the target version cannot express it.
 */
int mc_convert(struct arena *a, const struct doc *d, struct semver to, struct json **out,
	       struct err *err);

#endif
