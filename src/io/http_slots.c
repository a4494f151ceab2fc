/*
 * The slots of a listener, and which connection is evicted for another.
 *
 * A connection that owes its next unit of work (a handshake, a head, more of a body,
 * taking more of an answer) is in the ring `owing`. The first there has gone longest
 * without completing a unit: it is the slowest. A connection
 * between requests or about to close is in `idle`. One that waits for its handler, or
 * for more of a stream, is in neither ring and cannot be evicted. One in a spare slot
 * is in `spare` in any state, in order of arrival.
 *
 * All connections of one address share one holder.
 */
#include "http_conn.h"
#include "io/clock.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/random.h>

#define RATE 16 /* bytes per millisecond that a client must move at least */
#define STALLED_MS 500 /* within a request, without completing a unit: no progress */
#define SPARE_PART 16 /* one spare slot per this many slots */

struct holder {
	struct holder *next; /* in its bucket */
	uint64_t key;
	size_t n, all; /* slots; slots with spare ones */
};

/* ---- rings --------------------------------------------------------------- */

void ring_init(struct link *ring)
{
	ring->prev = ring->next = ring;
}

void ring_remove(struct link *l)
{
	if (!l->next)
		return;
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = l->prev = NULL;
}

void ring_add(struct link *ring, struct link *l)
{
	ring_remove(l);
	l->prev = ring->prev;
	l->next = ring;
	ring->prev->next = l;
	ring->prev = l;
}

static struct conn *ring_first(struct link *ring)
{
	return ring->next == ring ? NULL : CONN_OF(ring->next, turn);
}

/* ---- units --------------------------------------------------------------- */

void conn_owes(struct conn *c, int ms)
{
	c->since = clock_ms();
	c->due = c->since + ms;
	c->unit_ms = ms;
	c->base = c->moved;
	c->idle = false;
	if (!c->slot.spare)
		ring_add(&c->slot.listener->owing, &c->turn);
}

void conn_moved(struct conn *c, size_t bytes)
{
	c->moved += (int64_t)bytes;
}

bool conn_renew(struct conn *c)
{
	int queued = 0; /* in the kernel, not acknowledged by the client */
	int64_t moved;

	(void)ioctl(c->stream.fd, TIOCOUTQ, &queued); /* SIOCOUTQ */
	moved = c->moved - queued;
	if (moved - c->base < (int64_t)c->unit_ms * RATE)
		return false;
	conn_owes(c, c->unit_ms);
	c->base = moved;
	return true;
}

void conn_idles(struct conn *c, int ms)
{
	c->due = clock_ms() + ms;
	c->base = c->moved; /* earlier bytes do not count */
	c->idle = true;
	if (!c->slot.spare)
		ring_add(&c->slot.listener->idle, &c->turn);
}

void conn_rests(struct conn *c)
{
	c->due = 0;
	c->base = c->moved;
	c->idle = false;
	if (!c->slot.spare)
		ring_remove(&c->turn);
}

/* ---- holders ------------------------------------------------------------- */

static struct holder **bucket_of(struct listener *l, uint64_t key)
{
	/* the multiplier is secret: clients cannot choose a bucket */
	return &l->holders[(key * l->seed) >> (64 - HOLDER_BITS)];
}

static struct holder *holder_of(struct listener *l, uint64_t key)
{
	struct holder **at = bucket_of(l, key), *h;

	for (h = *at; h; h = h->next)
		if (h->key == key)
			return h;
	h = calloc(1, sizeof(*h));
	if (!h)
		abort();
	h->key = key;
	h->next = *at;
	*at = h;
	return h;
}

static void holder_leave(struct listener *l, struct holder *h)
{
	struct holder **at = bucket_of(l, h->key);

	if (--h->all)
		return;
	while (*at != h)
		at = &(*at)->next;
	*at = h->next;
	free(h);
}

/* ---- eviction ------------------------------------------------------------ */

static void evict(struct conn *c)
{
	const struct http_server_opts *o = &c->server->opts;

	if (o->lost)
		o->lost(&c->peer, HTTP_LOST_EVICTED, o->ctx);
	conn_cut(c);
}

/* Without a request, or without progress for some time. */
static bool is_slow(const struct conn *c)
{
	return !c->started || clock_ms() - c->since >= STALLED_MS;
}

static bool is_of(const struct conn *c, const struct holder *h)
{
	return c->slot.holder == h;
}

static bool is_slow_of(const struct conn *c, const struct holder *h)
{
	return is_of(c, h) && is_slow(c);
}

/* May be evicted for a new connection of h, which h->all already counts: its address
 * holds more, or as many and it is slow. */
static bool is_less_than(const struct conn *c, const struct holder *h)
{
	size_t all = c->slot.holder->all;

	return all > h->all || (all + 1 >= h->all && is_slow(c));
}

/* The first of a ring that may be evicted for one of h. */
static struct conn *ring_find(struct link *ring, const struct holder *h,
			      bool (*may_go)(const struct conn *c, const struct holder *h))
{
	for (struct link *at = ring->next, *next; at != ring; at = next) {
		struct conn *c = CONN_OF(at, turn);

		next = at->next;
		/* one that has completed a unit is now the last of the ring */
		if (may_go(c, h) && !conn_renew(c))
			return c;
	}
	return NULL;
}

/* Whether there is a slot for h, if necessary after an eviction. */
static bool make_room(struct listener *l, const struct holder *h)
{
	const struct http_server_opts *o = &l->server->opts;
	struct conn *c;

	if (h->n >= o->per_address) {
		c = ring_find(&l->idle, h, is_of);
		if (!c)
			c = ring_find(&l->owing, h, is_slow_of);
	} else if (l->n >= o->max_conns) {
		c = ring_first(&l->idle);
		if (!c)
			c = ring_find(&l->owing, h, is_less_than);
	} else {
		return true;
	}
	if (c)
		evict(c);
	return c;
}

static bool make_spare(struct listener *l, const struct holder *h)
{
	struct conn *c;

	if (l->n_spare <= l->server->opts.max_conns / SPARE_PART)
		return true;
	c = ring_find(&l->spare, h, is_less_than);
	if (!c)
		c = ring_find(&l->spare, h, is_of);
	if (c)
		evict(c);
	return c;
}

void slots_init(struct listener *l)
{
	ring_init(&l->owing);
	ring_init(&l->idle);
	ring_init(&l->spare);
	if (getrandom(&l->seed, sizeof(l->seed), 0) < 0)
		l->seed = (uintptr_t)l;
	l->seed |= 1;
}

bool slot_take(struct listener *l, const struct sock_addr *peer, struct slot *out)
{
	struct holder *h = holder_of(l, sock_owner(peer));

	h->all++; /* keeps h when its last connection is evicted */
	*out = (struct slot){ .listener = l, .holder = h };
	if (make_room(l, h)) {
		h->n++;
		l->n++;
		return true;
	}
	out->spare = true;
	if (make_spare(l, h)) {
		l->n_spare++;
		return true;
	}
	holder_leave(l, h);
	return false;
}

bool slot_promote(struct conn *c)
{
	struct listener *l = c->slot.listener;

	if (!make_room(l, c->slot.holder))
		return false;
	ring_remove(&c->turn);
	c->slot.spare = false;
	c->slot.holder->n++;
	l->n_spare--;
	l->n++;
	return true;
}

void slot_give(struct conn *c)
{
	struct listener *l = c->slot.listener;

	ring_remove(&c->turn);
	if (c->slot.spare) {
		l->n_spare--;
	} else {
		l->n--;
		c->slot.holder->n--;
	}
	holder_leave(l, c->slot.holder);
}

bool slots_evict(struct http_server *s)
{
	for (struct listener *l = s->listeners; l; l = l->next) {
		struct conn *c = ring_first(&l->idle);

		if (!c)
			c = ring_first(&l->owing);
		if (!c)
			continue;
		evict(c);
		return true;
	}
	return false;
}
