/*
 * The only calls of clock_gettime in the tree (`make layers` checks). CLOCK_MONOTONIC
 * and CLOCK_REALTIME cannot fail on Linux.
 */
#include "io/clock.h"

#include <time.h>

int64_t clock_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

struct instant clock_wall(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (struct instant){ t.tv_sec, (int32_t)t.tv_nsec };
}

int64_t clock_wall_s(void)
{
	return clock_wall().sec;
}

int64_t clock_wall_ms(void)
{
	struct instant t = clock_wall();

	return t.sec * 1000 + t.nsec / 1000000;
}

void clock_sleep_ms(int64_t ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	(void)nanosleep(&t, NULL);
}
