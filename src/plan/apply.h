/*
 * apply: bringing a MachineConfig that this program owns to what it should be.
 */
#ifndef PLAN_APPLY_H
#define PLAN_APPLY_H

#include "plan/action.h"

/*
 * Adds the write that upstream's ApplyMachineConfig makes of required over
 * existing (NULL: there is none): labels, annotations and owners are merged, what
 * others added to them stays; the spec becomes required's, images and kernelType
 * only where required has one. False, and nothing is added, when it is so
 * already; configs are compared by what they say, not by their bytes.
 */
bool apply_mc(struct arena *a, const struct json *existing, const struct json *required,
	      struct str reason, struct actions *out);

/* PUT of the whole object to its place (with /status for part). */
struct action *apply_replace(struct arena *a, const char *plural, const struct json *object,
			     const char *part, struct str reason, struct actions *out);

#endif
