/*
 * kube/correlate: which Events are told one by one, as client-go decides it.
 *
 * Events of an object with the same type and reason whose messages differ are told
 * as one from the tenth on, as long as no ten minutes pass between two of them. Of
 * an object 25 are told at once, and one more every five minutes.
 *
 * Keys are hashes. The ones used longest ago make room.
 */
#ifndef KUBE_CORRELATE_H
#define KUBE_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORRELATE_SIMILAR 10 /* messages, of which nine are told as they are */
#define CORRELATE_INTERVAL_MS ((int64_t)600 * 1000)
#define CORRELATE_BURST 25
#define CORRELATE_REFILL_MS ((int64_t)300 * 1000)
#define CORRELATE_KEPT 256

struct correlate_similar {
	uint64_t key; /* 0: free */
	int64_t used;
	uint64_t messages[CORRELATE_SIMILAR - 1];
	size_t n;
};

struct correlate_object {
	uint64_t key; /* 0: free */
	int64_t used;
	double tokens;
};

struct correlator {
	struct correlate_similar similar[CORRELATE_KEPT];
	struct correlate_object objects[CORRELATE_KEPT];
};

/* Whether the event is told as one with those like it: key is of all but the
 * message. */
bool correlate_combines(struct correlator *c, uint64_t key, uint64_t message, int64_t now_ms);

/* Whether one more event of the object may be told. */
bool correlate_allows(struct correlator *c, uint64_t object, int64_t now_ms);

#endif
