/*
 * patch: JSON merge patches (RFC 7386).
 */
#ifndef DATA_PATCH_H
#define DATA_PATCH_H

#include "data/json.h"

/* A copy of target with patch applied; it shares only text with target. */
struct json *patch_apply(struct arena *a, const struct json *target, const struct json *patch);

#endif
