/*
 * kube/queue: which keys are to be planned, and when.
 *
 * A key is in it at most once and is worked on by one at a time; one that is
 * added while it is worked on comes out again. One that failed comes back as
 * base/backoff says. Keys that nothing is known of take no room.
 */
#ifndef KUBE_QUEUE_H
#define KUBE_QUEUE_H

#include "io/loop.h"

struct kube_queue;

struct kube_key {
	unsigned kind; /* which controller's */
	struct str name;
};

/* Does the work of a key, now or later; then kube_queue_done is called. */
typedef void kube_work(void *ctx, const struct kube_key *key);

/* Nothing is worked on before kube_queue_go. */
struct kube_queue *kube_queue_new(struct loop *l, kube_work *work, void *ctx);
void kube_queue_free(struct kube_queue *q);

void kube_queue_go(struct kube_queue *q);
/* Nothing more is begun. */
void kube_queue_halt(struct kube_queue *q);
/* How many keys are being worked on. */
size_t kube_queue_busy(const struct kube_queue *q);

void kube_queue_add(struct kube_queue *q, unsigned kind, struct str name);
/* The earlier of two times counts. */
void kube_queue_after(struct kube_queue *q, unsigned kind, struct str name, int64_t ms);

/* Retries the keys of that kind now that failed and wait for a retry. */
void kube_queue_retry(struct kube_queue *q, unsigned kind);

/* The work on a key has ended; failed: it is tried again, retries times before
 * a longer wait. The key is not to be used any more. */
void kube_queue_done(struct kube_queue *q, const struct kube_key *key, bool failed,
		     unsigned retries);

#endif
