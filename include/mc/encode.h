/*
 * encode: a MachineConfig as upstream's Go types write it, whatever the order
 * and the extras it was read with.
 */
#ifndef MC_ENCODE_H
#define MC_ENCODE_H

#include "data/json.h"

/*
 * A new tree in the order of the Go structs: unknown fields and
 * creationTimestamp left out, empty metadata omitted, every field of spec there,
 * spec.config with its keys sorted. Scalars where the type is string become
 * strings, as they do when upstream reads YAML. ERR_INVALID when a value does
 * not fit its type.
 */
int mc_encode(struct arena *a, const struct json *object, struct json **out,
	      struct err *err);

#endif
