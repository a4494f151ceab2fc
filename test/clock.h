/*
 * A monotonic clock that ignores pauses of the whole process on a busy machine: a pause counts as
 * at most CLOCK_STEP. Deadlines of tens of milliseconds can then be tested. Waits must be shorter
 * than that step: TURN_MS for loop_turn().
 *
 * Included by one file of a test; its clock_gettime() replaces that of the C library.
 */
#ifndef TEST_CLOCK_H
#define TEST_CLOCK_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TURN_MS 5
#define CLOCK_STEP ((int64_t)10 * 1000000) /* the largest step between two calls */

int clock_gettime(clockid_t id, struct timespec *t)
{
	static int64_t last, shown;
	int64_t now;

	if (syscall(SYS_clock_gettime, id, t) < 0)
		return -1;
	if (id != CLOCK_MONOTONIC)
		return 0;
	now = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
	if (!last)
		shown = now;
	else
		shown += now - last < CLOCK_STEP ? now - last : CLOCK_STEP;
	last = now;
	t->tv_sec = (time_t)(shown / 1000000000);
	t->tv_nsec = (long)(shown % 1000000000);
	return 0;
}

#endif
