/*
 * One number per key: the time at which its next event is due at a steady rate. Each
 * event adds `every`; a due time ahead of now by more than the burst is refused.
 */
#include "base/rate.h"

#include "base/hash.h"

#define PROBES 8

static uint64_t hash_key(const struct rate *r, struct str key)
{
	unsigned char sum[HASH_MAX];
	uint64_t v = 0;
	struct hash h;

	hash_init(&h, HASH_SHA256);
	hash_add(&h, (struct str){ (const char *)&r->seed, sizeof(r->seed) });
	hash_add(&h, key);
	(void)hash_sum(&h, sum);
	memcpy(&v, sum, sizeof(v));
	return v ? v : 1;
}

/* The slot of the key, or the one with the least debt. */
static struct rate_slot *find(struct rate *r, uint64_t key)
{
	struct rate_slot *oldest = NULL;

	for (uint64_t i = 0; i < PROBES; i++) {
		struct rate_slot *s = &r->slots[(key + i) & (r->n - 1)];

		if (atomic_load(&s->key) == key)
			return s;
		if (!oldest || atomic_load(&s->at) < atomic_load(&oldest->at))
			oldest = s;
	}
	atomic_store(&oldest->key, key);
	atomic_store(&oldest->at, 0);
	return oldest;
}

bool rate_allow(struct rate *r, struct str key, uint64_t now, uint64_t *wait)
{
	struct rate_slot *s = find(r, hash_key(r, key));
	uint64_t room = (r->burst - 1) * r->every;
	uint64_t old = atomic_load(&s->at), at;

	do {
		at = old > now ? old : now;
		if (at - now > room) {
			*wait = at - now - room;
			return false;
		}
	} while (!atomic_compare_exchange_weak(&s->at, &old, at + r->every));
	return true;
}
