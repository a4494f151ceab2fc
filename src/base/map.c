/*
 * Open addressing over indexes into the entry list, at most half full. The hash
 * multiplies and folds (like wyhash) and is seeded from the arena's address, which an
 * attacker neither sees nor chooses.
 */
#include "base/map.h"

#include <stdlib.h>

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static uint64_t hash(struct str s, uint64_t seed)
{
	uint64_t h = seed ^ s.n, w;
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8) {
		memcpy(&w, s.p + i, 8);
		h = fold(h ^ w, 0x9e3779b97f4a7c15u);
	}
	w = 0;
	if (i < s.n)
		memcpy(&w, s.p + i, s.n - i);
	return fold(h ^ w ^ 0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu);
}

void map_init(struct map *m, struct arena *a)
{
	*m = (struct map){ .a = a };
	m->seed = fold((uintptr_t)m ^ 0x8bb84b93962eacc9u, (uintptr_t)a | 1);
}

static size_t slot_of(const struct map *m, struct str key, uint64_t h)
{
	size_t i = h & (m->n_slots - 1);

	for (; m->slots[i]; i = (i + 1) & (m->n_slots - 1)) {
		const struct map_entry *e = &m->v[m->slots[i] - 1];

		if (e->hash == h && str_eq(e->key, key))
			break;
	}
	return i;
}

struct map_entry *map_find(const struct map *m, struct str key)
{
	size_t i;

	if (!m->n)
		return NULL;
	i = slot_of(m, key, hash(key, m->seed));
	return m->slots[i] ? &m->v[m->slots[i] - 1] : NULL;
}

void *map_get(const struct map *m, struct str key)
{
	struct map_entry *e = map_find(m, key);

	return e ? e->value : NULL;
}

static void grow(struct map *m)
{
	size_t cap = m->cap ? m->cap * 2 : 8;

	if (cap > UINT32_MAX / 4)
		abort();
	m->v = arena_grow(m->a, m->v, m->cap * sizeof(*m->v), cap * sizeof(*m->v));
	m->cap = cap;
	m->n_slots = cap * 2;
	m->slots = arena_array(m->a, m->n_slots, sizeof(*m->slots));
	for (size_t i = 0; i < m->n; i++)
		m->slots[slot_of(m, m->v[i].key, m->v[i].hash)] = (uint32_t)i + 1;
}

bool map_put(struct map *m, struct str key, void *value)
{
	uint64_t h = hash(key, m->seed);
	size_t i;

	if (m->n == m->cap)
		grow(m);
	i = slot_of(m, key, h);
	if (m->slots[i]) {
		m->v[m->slots[i] - 1].value = value;
		return false;
	}
	m->v[m->n++] = (struct map_entry){ key, value, h };
	m->slots[i] = (uint32_t)m->n;
	return true;
}
