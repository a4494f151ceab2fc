/*
 * sandbox/patch: JSON patches (RFC 6902) and strategic merge patches; plain
 * merge patches are data/patch's.
 */
#ifndef SANDBOX_PATCH_H
#define SANDBOX_PATCH_H

#include "base/err.h"
#include "data/json.h"

/* target with the operations applied, all or none; ERR_INVALID as the API server
 * words it. */
int patch_operations(struct arena *a, const struct json *target, const struct json *ops,
		     struct json **out, struct err *err);

/* target with a strategic merge patch of a built-in kind applied. */
int patch_strategic(struct arena *a, const struct json *target, const struct json *patch,
		    struct json **out, struct err *err);

/* A patch as Go's %v prints it. */
struct str patch_told(struct arena *a, const struct json *patch);

#endif
