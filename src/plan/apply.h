/*
 * apply: brings a MachineConfig that this program owns to its required state.
 */
#ifndef PLAN_APPLY_H
#define PLAN_APPLY_H

#include "plan/action.h"

/*
 * Adds the write that upstream's ApplyMachineConfig makes for required over existing
 * (NULL: there is none): labels, annotations and owners are merged, entries of others
 * stay; the spec becomes required's, images and kernelType only if required has one.
 * False, and nothing is added, when nothing differs; configs are compared by value, not
 * by bytes.
 */
bool apply_mc(struct arena *a, const struct json *existing, const struct json *required,
	      struct str reason, struct actions *out);

/* Adds required's labels, annotations and owners to metadata; those of others stay. True when
 * metadata changed. */
bool apply_meta(struct arena *a, struct json *meta, const struct json *required);

/* PUT of the whole object (part: "" or "/status"). */
struct action *apply_replace(struct arena *a, const char *plural, const struct json *object,
			     const char *part, struct str reason, struct actions *out);

#endif
