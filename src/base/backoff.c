/*
 * The only place where waits double. No step overflows: a wait beyond half the cap
 * becomes the cap.
 */
#include "base/backoff.h"

#define KEY_FIRST_MS 5
#define KEY_CAP_MS 1000000
#define KEY_GIVEN_UP_MS 60000

int64_t backoff_ms(int64_t first, int64_t cap, unsigned n)
{
	int64_t ms = first;

	for (; n > 0 && ms > 0 && ms < cap; n--)
		ms = ms > cap / 2 ? cap : ms * 2;
	return ms < cap ? ms : cap;
}

int64_t backoff_jitter(int64_t ms, unsigned percent, uint64_t random)
{
	uint64_t most = ms > 0 ? (uint64_t)ms * percent / 100 : 0;

	return most ? ms + (int64_t)(random % most) : ms;
}

int64_t backoff_next(unsigned *failures, unsigned retries)
{
	if (*failures >= retries) {
		*failures = 0;
		return KEY_GIVEN_UP_MS;
	}
	return backoff_ms(KEY_FIRST_MS, KEY_CAP_MS, (*failures)++);
}
