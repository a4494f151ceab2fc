/*
 * queue: a work queue of keys, in the loop.
 *
 * An entry without work, timer and failures is freed. At most BUSY_MAX keys are worked on at the
 * same time. Work starts only from the loop, never from within kube_queue_add. An entry that
 * becomes ready during a turn waits for the next turn, so a busy queue does not starve the loop.
 */
#include "kube/queue.h"

#include <stdlib.h>

#include "base/backoff.h"
#include "io/clock.h"

#define BUSY_MAX 32 /* keys at the same time: each holds an arena until it is done */
#define SLOTS 256 /* of the hash table; chains are short: idle keys are freed */

struct entry {
	struct kube_key key; /* must be first: kube_queue_done casts it back */
	struct entry *chain, *next; /* in the slot, in the list of ready entries */
	struct kube_queue *queue;
	struct source timer; /* due 0: none is set */
	unsigned failures;
	bool ready, busy, again;
};

struct kube_queue {
	struct loop *loop;
	kube_work *work;
	void *ctx;
	struct source turn; /* starts ready entries from the loop */
	struct entry *first, **last;
	struct entry *slots[SLOTS];
	size_t busy;
	bool going;
};

static struct entry **find(struct kube_queue *q, unsigned kind, struct str name)
{
	uint32_t h = kind;
	struct entry **p;

	for (size_t i = 0; i < name.n; i++)
		h = (h ^ (unsigned char)name.p[i]) * 16777619u;
	p = &q->slots[(h ^ h >> 16) % SLOTS];

	while (*p && ((*p)->key.kind != kind || !str_eq((*p)->key.name, name)))
		p = &(*p)->chain;
	return p;
}

static void wake(struct kube_queue *q)
{
	if (!q->going || q->turn.due || q->busy >= BUSY_MAX)
		return;
	q->turn.due = clock_ms();
	loop_update(q->loop, &q->turn);
}

static void make_ready(struct entry *e)
{
	struct kube_queue *q = e->queue;

	if (e->busy) {
		e->again = true;
		return;
	}
	if (e->timer.due) {
		e->timer.due = 0;
		loop_update(q->loop, &e->timer);
	}
	if (e->ready)
		return;
	e->ready = true;
	e->next = NULL;
	*q->last = e;
	q->last = &e->next;
	wake(q);
}

static void due(struct source *s, short events)
{
	(void)events;
	make_ready(s->ctx);
}

static struct entry *get(struct kube_queue *q, unsigned kind, struct str name)
{
	struct entry **p = find(q, kind, name), *e = *p;

	if (e)
		return e;
	e = calloc(1, sizeof(*e) + name.n);
	if (!e)
		abort();
	memcpy(e + 1, name.p, name.n);
	e->key = (struct kube_key){ kind, { (char *)(e + 1), name.n } };
	e->queue = q;
	e->timer = (struct source){ .fd = -1, .ready = due, .ctx = e };
	loop_add(q->loop, &e->timer);
	*p = e;
	return e;
}

/* Frees an entry without work, timer and failures. */
static void drop_idle(struct entry *e)
{
	struct kube_queue *q = e->queue;
	struct entry **p = find(q, e->key.kind, e->key.name);

	if (e->ready || e->busy || e->timer.due || e->failures)
		return;
	*p = e->chain;
	loop_remove(q->loop, &e->timer);
	free(e);
}

static void turn(struct source *s, short events)
{
	struct kube_queue *q = s->ctx;
	struct entry **end = q->last, *e;

	(void)events;
	/* entries that become ready now wait for the next turn */
	while (q->busy < BUSY_MAX && (e = q->first)) {
		bool last = &e->next == end;

		q->first = e->next;
		if (!q->first)
			q->last = &q->first;
		e->ready = false;
		e->busy = true;
		q->busy++;
		q->work(q->ctx, &e->key);
		if (last)
			break;
	}
	if (q->first && q->busy < BUSY_MAX)
		wake(q);
}

struct kube_queue *kube_queue_new(struct loop *l, kube_work *work, void *ctx)
{
	struct kube_queue *q = calloc(1, sizeof(*q));

	if (!q)
		abort();
	q->loop = l;
	q->work = work;
	q->ctx = ctx;
	q->last = &q->first;
	q->turn = (struct source){ .fd = -1, .ready = turn, .ctx = q };
	loop_add(l, &q->turn);
	return q;
}

void kube_queue_free(struct kube_queue *q)
{
	for (size_t i = 0; i < SLOTS; i++)
		while (q->slots[i]) {
			struct entry *e = q->slots[i];

			q->slots[i] = e->chain;
			loop_remove(q->loop, &e->timer);
			free(e);
		}
	loop_remove(q->loop, &q->turn);
	free(q);
}

void kube_queue_go(struct kube_queue *q)
{
	q->going = true;
	if (q->first)
		wake(q);
}

void kube_queue_halt(struct kube_queue *q)
{
	q->going = false;
	q->turn.due = 0;
	loop_update(q->loop, &q->turn);
}

size_t kube_queue_busy(const struct kube_queue *q)
{
	return q->busy;
}

void kube_queue_add(struct kube_queue *q, unsigned kind, struct str name)
{
	make_ready(get(q, kind, name));
}

void kube_queue_after(struct kube_queue *q, unsigned kind, struct str name, int64_t ms)
{
	struct entry *e = get(q, kind, name);
	int64_t at = clock_ms() + (ms > 0 ? ms : 0);

	if (e->ready || e->again || (e->timer.due && e->timer.due <= at))
		return;
	e->timer.due = at;
	loop_update(q->loop, &e->timer);
}

void kube_queue_retry(struct kube_queue *q, unsigned kind)
{
	for (size_t i = 0; i < SLOTS; i++)
		for (struct entry *e = q->slots[i]; e; e = e->chain)
			if (e->key.kind == kind && e->failures)
				make_ready(e);
}

void kube_queue_done(struct kube_queue *q, const struct kube_key *key, bool failed,
		     unsigned retries)
{
	/* the entry begins with its key */
	struct entry *e = (struct entry *)(uintptr_t)key;
	bool again = e->again;

	q->busy--;
	if (q->first)
		wake(q);
	e->busy = e->again = false;
	if (!failed)
		e->failures = 0;
	if (failed)
		kube_queue_after(q, key->kind, key->name, backoff_next(&e->failures, retries));
	if (again)
		make_ready(e);
	else
		drop_idle(e);
}
