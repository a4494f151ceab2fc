/*
 * map: strings to pointers, in an arena, in insertion order.
 *
 * Keys are views: the bytes must outlive the map. A lookup costs one probe on average
 * for any keys: the hash is seeded per map, so input cannot be crafted to collide.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>

#include "base/str.h"

struct map_entry {
	struct str key;
	void *value;
	uint64_t hash;
};

struct map {
	struct arena *a;
	struct map_entry *v; /* in insertion order */
	size_t n, cap;
	uint32_t *slots; /* index + 1 into v, 0 when free */
	size_t n_slots;
	uint64_t seed;
};

void map_init(struct map *m, struct arena *a);

/* The entry of key, or NULL. */
struct map_entry *map_find(const struct map *m, struct str key);

/* The value of key, or NULL. */
void *map_get(const struct map *m, struct str key);

/* Stores value under key; true when the key was new. */
bool map_put(struct map *m, struct str key, void *value);

#endif
