/*
 * kube/correlate: combines and limits Events, by client-go's rules.
 *
 * Events of an object with the same type and reason and different messages are combined from
 * the tenth on, as long as less than ten minutes pass between two of them. An object may have a
 * burst of 25 Events, and one more every five minutes.
 *
 * Keys are hashes. When a table is full, the least recently used key is dropped.
 */
#ifndef KUBE_CORRELATE_H
#define KUBE_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORRELATE_SIMILAR 10 /* from this message on, similar Events are combined */
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

/* Whether the Event is combined with similar ones; key covers everything but the message. */
bool correlate_combines(struct correlator *c, uint64_t key, uint64_t message, int64_t now_ms);

/* Whether the limit of the object allows one more Event; counts it if so. */
bool correlate_allows(struct correlator *c, uint64_t object, int64_t now_ms);

#endif
