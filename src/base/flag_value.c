#include "base/flag.h"

static bool mul_add(int64_t *v, int64_t by, int64_t add)
{
	return !__builtin_mul_overflow(*v, by, v) &&
	       !__builtin_add_overflow(*v, add, v);
}

static size_t whole(struct str s, int64_t *out)
{
	size_t i = 0;

	*out = 0;
	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9') {
		if (!mul_add(out, 10, s.p[i] - '0'))
			return 0;
		i++;
	}
	return i;
}

static bool unit_of(struct str *s, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		/* longest first, so that "ms" is not read as "m" */
		{ "ns", 1 },
		{ "us", 1000 },
		{ "\xC2\xB5s", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60000000000 },
		{ "h", 3600000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_starts(*s, str_of(units[i].name))) {
			*s = str_from(*s, strlen(units[i].name));
			*ns = units[i].ns;
			return true;
		}
	return false;
}

/* One "1.5h"; *s moves behind it. */
static bool duration_part(struct str *s, int64_t *total)
{
	int64_t n, unit, scale = 1, frac = 0;
	size_t len = whole(*s, &n);
	bool dot;

	*s = str_from(*s, len);
	dot = s->n && s->p[0] == '.';
	if (dot) {
		size_t k = 1;

		for (; k < s->n && s->p[k] >= '0' && s->p[k] <= '9'; k++)
			if (scale < 1000000000) {
				frac = frac * 10 + (s->p[k] - '0');
				scale *= 10;
			}
		if (!len && k == 1)
			return false;
		*s = str_from(*s, k);
	}
	if ((!len && !dot) || !unit_of(s, &unit))
		return false;
	if (!mul_add(&n, unit,
		     (int64_t)((double)frac * ((double)unit / (double)scale))))
		return false;
	return !__builtin_add_overflow(*total, n, total);
}

bool flag_duration(struct str s, int64_t *ns)
{
	bool neg = s.n && s.p[0] == '-';
	int64_t total = 0;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_from(s, 1);
	if (str_is(s, "0")) {
		*ns = 0;
		return true;
	}
	if (!s.n)
		return false;
	while (s.n)
		if (!duration_part(&s, &total))
			return false;
	*ns = neg ? -total : total;
	return true;
}

bool flag_size(struct str s, int64_t *bytes)
{
	static const struct {
		const char *name;
		int64_t by;
	} units[] = {
		{ "", 1 },	     { "k", 1000 },	{ "M", 1000000 },
		{ "G", 1000000000 }, { "Ki", 1 << 10 }, { "Mi", 1 << 20 },
		{ "Gi", 1 << 30 },
	};
	int64_t n;
	size_t len = whole(s, &n);

	if (!len)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_is(str_from(s, len), units[i].name)) {
			if (!mul_add(&n, units[i].by, 0))
				return false;
			*bytes = n;
			return true;
		}
	return false;
}

const char *flag_nearest(struct str word, const char *const *names)
{
	const char *best = NULL;
	size_t best_d = 1 + word.n / 3; /* farther is another word */

	for (; *names; names++) {
		size_t d = str_distance(word, str_of(*names));

		if (d <= best_d && (!best || d < best_d)) {
			best = *names;
			best_d = d;
		}
	}
	return best;
}
