/*
 * rate: a rate limit per key, for many keys.
 *
 * The slots may be in memory shared by processes: updates are lock-free, and a process
 * that dies leaves no lock behind. When there are more keys than slots, the keys with
 * the least debt are dropped.
 */
#ifndef BASE_RATE_H
#define BASE_RATE_H

#include <stdatomic.h>

#include "base/str.h"

struct rate_slot {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t at; /* when a key with a steady rate is due next */
};

struct rate {
	struct rate_slot *slots; /* zeroed at first */
	size_t n; /* a power of two */
	uint64_t seed; /* random, so that nobody can choose keys that collide */
	uint64_t every; /* microseconds between two events at a steady rate */
	uint64_t burst; /* events allowed at once; at least 1 */
};

/* Whether key is allowed now (in microseconds); if not, *wait is the time until it is. */
bool rate_allow(struct rate *r, struct str key, uint64_t now, uint64_t *wait);

#endif
