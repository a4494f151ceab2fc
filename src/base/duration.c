/*
 * Durations in nanoseconds, summed up without a sign: -1<<63 ns is valid, too.
 */
#include "base/duration.h"

#include "base/codec.h"

/* The largest sum: that of -1<<63 ns. A positive duration is smaller. */
#define LIMIT ((uint64_t)1 << 63)

static const struct {
	char name[4];
	uint64_t ns;
} units[] = {
	{ "ns", 1 },	       { "us", 1000 },	    { "\xC2\xB5s", 1000 }, /* U+00B5 */
	{ "\xCE\xBCs", 1000 }, /* U+03BC */
	{ "ms", 1000000 },     { "s", 1000000000 }, { "m", 60000000000 },  { "h", 3600000000000 },
};

static bool digit(struct str s, size_t i)
{
	return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

static int bad(struct err *err, const char *what, struct str unit, struct str whole)
{
	struct buf b;

	buf_init(&b, err->a);
	buf_addf(&b, "time: %s", what);
	if (unit.n)
		go_quote(&b, unit);
	buf_addz(&b, unit.n ? " in duration " : "");
	go_quote(&b, whole);
	return err_set(err, ERR_INVALID, "%.*s", STRF(buf_str(&b)));
}

static uint64_t unit_of(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (str_is(name, units[i].name))
			return units[i].ns;
	return 0;
}

/* The digits at *s, which moves behind them; false when they overflow. */
static bool leading_int(struct str *s, uint64_t *out)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; digit(*s, i); i++) {
		if (v > LIMIT / 10)
			return false;
		v = v * 10 + (uint64_t)(s->p[i] - '0');
		if (v > LIMIT)
			return false;
	}
	*s = str_from(*s, i);
	*out = v;
	return true;
}

/* The digits after a dot, as far as they can matter, over *scale. */
static uint64_t fraction(struct str *s, double *scale)
{
	uint64_t v = 0;
	size_t i = 0;
	bool full = false;

	for (*scale = 1; digit(*s, i); i++) {
		full = full || v > (LIMIT - 1) / 10 || v * 10 + (uint64_t)(s->p[i] - '0') > LIMIT;
		if (full)
			continue;
		v = v * 10 + (uint64_t)(s->p[i] - '0');
		*scale *= 10;
	}
	*s = str_from(*s, i);
	return v;
}

/* One "1.5h" off *s into *total. */
static int part(struct str *s, struct str whole, uint64_t *total, struct err *err)
{
	uint64_t v, frac = 0, unit, ns;
	double scale = 1;
	size_t before = s->n, n = 0;
	bool any;

	if (!leading_int(s, &v))
		return bad(err, "invalid duration ", S(""), whole);
	any = s->n != before;
	if (s->n && s->p[0] == '.') {
		*s = str_from(*s, 1);
		before = s->n;
		frac = fraction(s, &scale);
		any = any || s->n != before;
	}
	if (!any)
		return bad(err, "invalid duration ", S(""), whole);
	while (n < s->n && s->p[n] != '.' && !digit(*s, n))
		n++;
	if (!n)
		return bad(err, "missing unit in duration ", S(""), whole);
	unit = unit_of(str_sub(*s, 0, n));
	if (!unit)
		return bad(err, "unknown unit ", str_sub(*s, 0, n), whole);
	*s = str_from(*s, n);
	if (v > LIMIT / unit)
		return bad(err, "invalid duration ", S(""), whole);
	ns = v * unit + (uint64_t)((double)frac * ((double)unit / scale));
	*total += ns;
	if (ns > LIMIT || *total > LIMIT)
		return bad(err, "invalid duration ", S(""), whole);
	return 0;
}

int duration_parse(struct str s, int64_t *ns, struct err *err)
{
	struct str whole = s;
	bool neg = s.n && s.p[0] == '-';
	uint64_t total = 0;

	if (neg || (s.n && s.p[0] == '+'))
		s = str_from(s, 1);
	if (str_is(s, "0")) {
		*ns = 0;
		return 0;
	}
	if (!s.n)
		return bad(err, "invalid duration ", S(""), whole);
	while (s.n) {
		int rc = part(&s, whole, &total, err);

		if (rc < 0)
			return rc;
	}
	if (!neg && total >= LIMIT)
		return bad(err, "invalid duration ", S(""), whole);
	*ns = neg ? (int64_t)(0 - total) : (int64_t)total;
	return 0;
}

/* v / 10^digits with the fraction's trailing zeros left out. */
static void add_decimal(struct buf *b, uint64_t v, unsigned digits)
{
	uint64_t by = 1, rest;

	for (unsigned i = 0; i < digits; i++)
		by *= 10;
	buf_addf(b, "%llu", (unsigned long long)(v / by));
	rest = v % by;
	if (!rest)
		return;
	for (; rest % 10 == 0; digits--)
		rest /= 10;
	buf_addf(b, ".%0*llu", (int)digits, (unsigned long long)rest);
}

void duration_add(struct buf *b, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	uint64_t min = v / 60000000000;

	if (ns < 0)
		buf_addc(b, '-');
	if (v && v < 1000000000) {
		unsigned digits = v < 1000 ? 0 : v < 1000000 ? 3 : 6;

		add_decimal(b, v, digits);
		buf_addz(b, !digits ? "ns" : digits == 3 ? "\xC2\xB5s" : "ms");
		return;
	}
	if (min >= 60)
		buf_addf(b, "%lluh", (unsigned long long)(min / 60));
	if (min)
		buf_addf(b, "%llum", (unsigned long long)(min % 60));
	add_decimal(b, v % 60000000000, 9);
	buf_addc(b, 's');
}
