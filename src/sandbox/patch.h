/*
 * patch: JSON patches (RFC 6902) and strategic merge patches; for plain merge patches see
 * data/patch.h.
 */
#ifndef SANDBOX_PATCH_H
#define SANDBOX_PATCH_H

#include "base/err.h"
#include "data/json.h"

/* A copy of target with all operations applied; ERR_INVALID with the API server's text. */
int patch_operations(struct arena *a, const struct json *target, const struct json *ops,
		     struct json **out, struct err *err);

/* A copy of target with a strategic merge patch of a built-in kind applied. */
int patch_strategic(struct arena *a, const struct json *target, const struct json *patch,
		    struct json **out, struct err *err);

/* A patch as Go's %v formats it. */
struct str patch_text(struct arena *a, const struct json *patch);

#endif
