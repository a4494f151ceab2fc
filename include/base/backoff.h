/*
 * backoff: how long to wait before the next attempt. Waits double.
 *
 * Pure: the caller counts the failures, sets the count to 0 after a success, and
 * brings the random number for the jitter.
 */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include <stdint.h>

#define BACKOFF_NO_CAP INT64_MAX

/* first * 2^n, at most cap; first and cap are in any unit of time. */
int64_t backoff_ms(int64_t first, int64_t cap, unsigned n);

/* ms and up to percent % more. */
int64_t backoff_jitter(int64_t ms, unsigned percent, uint64_t random);

/* The retries of upstream's work queues: most controllers, and those that render
 * KubeletConfigs. */
#define BACKOFF_RETRIES 15
#define BACKOFF_RETRIES_KUBELET 18

/*
 * Milliseconds until a key of a work queue is retried after one more failure: 5,
 * 10, 20, … up to 1,000 s. After `retries` retries the next one follows a minute
 * later, and the count starts again.
 */
int64_t backoff_next(unsigned *failures, unsigned retries);

#endif
