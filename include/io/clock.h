/*
 * clock: the time, and sleeping. No other file asks the kernel for the time.
 */
#ifndef IO_CLOCK_H
#define IO_CLOCK_H

#include "base/rfc3339.h"

/* Monotonic time, for deadlines and intervals. */
int64_t clock_ms(void);
int64_t clock_us(void);

/* Wall-clock time in UTC; clock_wall_s and clock_wall_ms count from 1970. */
struct instant clock_wall(void);
int64_t clock_wall_s(void);
int64_t clock_wall_ms(void);

/* Blocks the process. Returns early when a signal handler runs. */
void clock_sleep_ms(int64_t ms);

#endif
