/*
 * patch: JSON merge patches (RFC 7386).
 */
#ifndef DATA_PATCH_H
#define DATA_PATCH_H

#include "data/json.h"

/* target with patch applied; shares nothing with target, text aside. */
struct json *patch_apply(struct arena *a, const struct json *target, const struct json *patch);

#endif
