/*
 * labels: the labels of an object, packed into one string of bytes.
 *
 * A Node has about twenty labels; packed, they need only the memory of their bytes. A lookup is a
 * linear scan.
 */
#ifndef MC_LABELS_H
#define MC_LABELS_H

#include "base/buf.h"
#include "data/json.h"

struct labels {
	struct str bytes;
};

/* Packs a map of strings (NULL: none), sorted by key. Entries too long for a
 * Kubernetes label are omitted. */
struct labels labels_pack(struct arena *a, const struct json *map);

/* False when the key is absent. */
bool labels_get(struct labels l, struct str key, struct str *value);

#endif
