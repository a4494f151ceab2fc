/*
 * rfc3339: times on the wire. Kubernetes writes whole seconds (metav1.Time) or
 * microseconds (metav1.MicroTime), always in UTC with a Z.
 */
#ifndef BASE_RFC3339_H
#define BASE_RFC3339_H

#include "base/buf.h"

struct instant {
	int64_t sec; /* since 1970, UTC */
	int32_t nsec;
};

/* Years 0000 to 9999, offsets allowed. False when s is no such time. */
bool rfc3339_parse(struct str s, struct instant *out);

/* 2006-01-02T15:04:05Z, and with .000000 before the Z. */
void rfc3339_add(struct buf *b, struct instant t);
void rfc3339_add_micro(struct buf *b, struct instant t);

/* True when y-m-d is a day of the (proleptic Gregorian) calendar. */
bool rfc3339_is_date(int64_t y, int64_t m, int64_t d);

/* Days from 1970 to a day of that calendar. */
int64_t rfc3339_days(int64_t y, int64_t m, int64_t d);

struct civil {
	int64_t year;
	int month, day, hour, min, sec;
};

/* The calendar date and time of day of t, in UTC. */
struct civil rfc3339_civil(struct instant t);

#endif
