/*
 * rate: how often each of many keys may come.
 *
 * The slots may lie in memory that processes share: they are changed without
 * locks, and one that dies leaves nothing undone. When there are more keys than
 * slots, those whose turn is over soonest are forgotten.
 */
#ifndef BASE_RATE_H
#define BASE_RATE_H

#include <stdatomic.h>

#include "base/str.h"

struct rate_slot {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t at; /* when a key that comes steadily comes next */
};

struct rate {
	struct rate_slot *slots; /* zeroed at first */
	size_t n; /* a power of two */
	uint64_t seed; /* random, so that no one can aim at a slot */
	uint64_t every; /* microseconds between two that come steadily */
	uint64_t burst; /* how many may come at once; at least 1 */
};

/* Whether key may come now (in microseconds); when not, *wait is how long
 * until it may. */
bool rate_allow(struct rate *r, struct str key, uint64_t now, uint64_t *wait);

#endif
