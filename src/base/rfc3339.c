/*
 * Days are counted in 400-year eras that begin on 1 March, so that the leap day
 * is the last of its year; no libc time function or time zone is involved.
 */
#include "base/rfc3339.h"

#define DAY 86400

static bool leap(int64_t y)
{
	return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

bool rfc3339_is_date(int64_t y, int64_t m, int64_t d)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	if (y < 0 || m < 1 || m > 12 || d < 1)
		return false;
	return d <= days[m - 1] + (m == 2 && leap(y));
}

int64_t rfc3339_days(int64_t y, int64_t m, int64_t d)
{
	int64_t era, year_of_era, day_of_year;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	year_of_era = y - era * 400;
	day_of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	       day_of_year - 719468;
}

struct civil rfc3339_civil(struct instant t)
{
	int64_t z = (t.sec >= 0 ? t.sec : t.sec - (DAY - 1)) / DAY;
	int rest = (int)(t.sec - z * DAY);
	int64_t era, doe, yoe, doy, mp;
	struct civil c;

	z += 719468;
	era = (z >= 0 ? z : z - 146096) / 146097;
	doe = z - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	c.day = (int)(doy - (153 * mp + 2) / 5 + 1);
	c.month = (int)(mp < 10 ? mp + 3 : mp - 9);
	c.year = yoe + era * 400 + (c.month <= 2);
	c.hour = rest / 3600;
	c.min = rest / 60 % 60;
	c.sec = rest % 60;
	return c;
}

/* Exactly n digits at *at. */
static bool digits(struct str s, size_t *at, size_t n, int64_t *out)
{
	if (*at + n > s.n)
		return false;
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		char c = s.p[*at + i];

		if (c < '0' || c > '9')
			return false;
		*out = *out * 10 + (c - '0');
	}
	*at += n;
	return true;
}

static bool one_of(struct str s, size_t *at, const char *set)
{
	if (*at >= s.n || !s.p[*at] || !strchr(set, s.p[*at]))
		return false;
	(*at)++;
	return true;
}

static bool fraction(struct str s, size_t *at, int32_t *nsec)
{
	int32_t scale = 100000000;
	size_t start = *at;

	for (; *at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9'; (*at)++) {
		*nsec += (s.p[*at] - '0') * scale;
		scale /= 10;
	}
	return *at > start;
}

bool rfc3339_parse(struct str s, struct instant *out)
{
	int64_t y, mon, d, h, min, sec, oh = 0, om = 0;
	struct instant t = { 0 };
	size_t at = 0;
	bool minus = false;

	if (!digits(s, &at, 4, &y) || !one_of(s, &at, "-") || !digits(s, &at, 2, &mon) ||
	    !one_of(s, &at, "-") || !digits(s, &at, 2, &d) || !one_of(s, &at, "Tt") ||
	    !digits(s, &at, 2, &h) || !one_of(s, &at, ":") || !digits(s, &at, 2, &min) ||
	    !one_of(s, &at, ":") || !digits(s, &at, 2, &sec))
		return false;
	if (one_of(s, &at, ".") && !fraction(s, &at, &t.nsec))
		return false;
	if (!one_of(s, &at, "Zz")) {
		minus = at < s.n && s.p[at] == '-';
		if (!one_of(s, &at, "+-") || !digits(s, &at, 2, &oh) || !one_of(s, &at, ":") ||
		    !digits(s, &at, 2, &om))
			return false;
	}
	if (at != s.n || !rfc3339_is_date(y, mon, d) || h > 23 || min > 59 || sec > 59 || oh > 23 ||
	    om > 59)
		return false;
	t.sec = rfc3339_days(y, mon, d) * DAY + h * 3600 + min * 60 + sec;
	t.sec -= (minus ? -1 : 1) * (oh * 3600 + om * 60);
	*out = t;
	return true;
}

static void add_civil(struct buf *b, struct civil c)
{
	buf_addf(b, "%04lld-%02d-%02dT%02d:%02d:%02d", (long long)c.year, c.month, c.day, c.hour,
		 c.min, c.sec);
}

void rfc3339_add(struct buf *b, struct instant t)
{
	add_civil(b, rfc3339_civil(t));
	buf_addc(b, 'Z');
}

void rfc3339_add_micro(struct buf *b, struct instant t)
{
	add_civil(b, rfc3339_civil(t));
	buf_addf(b, ".%06dZ", (int)(t.nsec / 1000));
}
