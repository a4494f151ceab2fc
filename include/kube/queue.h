/*
 * kube/queue: a work queue of keys to plan.
 *
 * A key is queued at most once and is never worked on twice at the same time. A key
 * added while it is worked on is queued again afterwards. A failed key is retried
 * after the delay of base/backoff. A key without work or failures takes no memory.
 */
#ifndef KUBE_QUEUE_H
#define KUBE_QUEUE_H

#include "io/loop.h"

struct kube_queue;

struct kube_key {
	unsigned kind; /* of the controller */
	struct str name;
};

/* Works on a key, now or asynchronously, and calls kube_queue_done at the end. */
typedef void kube_work(void *ctx, const struct kube_key *key);

/* Nothing is worked on before kube_queue_go. */
struct kube_queue *kube_queue_new(struct loop *l, kube_work *work, void *ctx);
void kube_queue_free(struct kube_queue *q);

void kube_queue_go(struct kube_queue *q);
/* Starts no more work; running work goes on. */
void kube_queue_halt(struct kube_queue *q);
/* How many keys are being worked on. */
size_t kube_queue_busy(const struct kube_queue *q);

void kube_queue_add(struct kube_queue *q, unsigned kind, struct str name);
/* Adds the key after ms. If it has a timer already, the earlier time counts. */
void kube_queue_after(struct kube_queue *q, unsigned kind, struct str name, int64_t ms);

/* Retries the keys of that kind now that failed and wait for a retry. */
void kube_queue_retry(struct kube_queue *q, unsigned kind);

/* Ends the work on a key. failed: retry it, up to retries times before a longer
 * wait. The key is invalid afterwards. */
void kube_queue_done(struct kube_queue *q, const struct kube_key *key, bool failed,
		     unsigned retries);

#endif
