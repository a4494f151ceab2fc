/*
 * labels: the labels of an object, packed into one run of bytes.
 *
 * A node carries some twenty; kept as text with lengths they cost what they are
 * long. Looking one up walks them.
 */
#ifndef MC_LABELS_H
#define MC_LABELS_H

#include "base/buf.h"
#include "data/json.h"

struct labels {
	struct str bytes;
};

/* Packs a map of strings (NULL: none), sorted by key. Entries too long for a
 * Kubernetes label are left out. */
struct labels labels_pack(struct arena *a, const struct json *map);

/* False when there is none of that key. */
bool labels_get(struct labels l, struct str key, struct str *value);

#endif
