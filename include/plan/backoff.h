/*
 * backoff: when a key that failed is tried again.
 */
#ifndef PLAN_BACKOFF_H
#define PLAN_BACKOFF_H

#include <stdint.h>

/* 15 for most controllers, 18 for what kubelet configs are made of. */
#define BACKOFF_RETRIES 15
#define BACKOFF_RETRIES_KUBELET 18

/*
 * Milliseconds until the next try after one more failure: 5, 10, 20, … up to
 * 1000 s. After so many retries the count begins anew, a minute later.
 */
int64_t backoff_next(unsigned *failures, unsigned retries);

#endif
