/*
 * correlate: decides which Events are combined and which are dropped, as client-go's correlator.
 *
 * Both tables have a fixed size: when one is full, the entry that was not used for the longest time
 * is overwritten. A key is never 0, which marks a free entry.
 */
#include "kube/correlate.h"

/* The record of the key; or the least recently used one, reset for this key. */
static struct correlate_similar *find_similar(struct correlator *c, uint64_t key, int64_t now)
{
	struct correlate_similar *oldest = &c->similar[0];

	for (size_t i = 0; i < CORRELATE_KEPT; i++) {
		struct correlate_similar *s = &c->similar[i];

		if (s->key == key && now - s->used <= CORRELATE_INTERVAL_MS)
			return s;
		if (s->key == key) {
			oldest = s;
			break;
		}
		if (!s->key || (oldest->key && s->used < oldest->used))
			oldest = s;
	}
	*oldest = (struct correlate_similar){ .key = key };
	return oldest;
}

bool correlate_combines(struct correlator *c, uint64_t key, uint64_t message, int64_t now_ms)
{
	struct correlate_similar *s = find_similar(c, key, now_ms);
	size_t i = 0;

	s->used = now_ms;
	while (i < s->n && s->messages[i] != message)
		i++;
	if (i < s->n)
		return false;
	/* client-go drops a random one of the ten messages; here it is the last one */
	if (s->n == CORRELATE_SIMILAR - 1)
		return true;
	s->messages[s->n++] = message;
	return false;
}

static struct correlate_object *find_object(struct correlator *c, uint64_t key, int64_t now)
{
	struct correlate_object *oldest = &c->objects[0];

	for (size_t i = 0; i < CORRELATE_KEPT; i++) {
		struct correlate_object *o = &c->objects[i];

		if (o->key == key)
			return o;
		if (!o->key || (oldest->key && o->used < oldest->used))
			oldest = o;
	}
	*oldest = (struct correlate_object){ key, now, CORRELATE_BURST };
	return oldest;
}

bool correlate_allows(struct correlator *c, uint64_t object, int64_t now_ms)
{
	struct correlate_object *o = find_object(c, object, now_ms);

	o->tokens += (double)(now_ms - o->used) / (double)CORRELATE_REFILL_MS;
	if (o->tokens > CORRELATE_BURST)
		o->tokens = CORRELATE_BURST;
	o->used = now_ms;
	if (o->tokens < 1)
		return false;
	o->tokens -= 1;
	return true;
}
