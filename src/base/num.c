/*
 * The shortest digits are found by trying 1, 2, … 17 significant ones until the text
 * reads back as the same double: slower than Ryu, but floats are rare in our input, and
 * libc's conversions are exact. No locale is ever set.
 */
#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS_MAX 20 /* 17 tell every double from every other */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* The base a prefix asks for; *s loses the prefix. */
static unsigned take_base(struct str *s)
{
	char c;

	if (s->n < 2 || s->p[0] != '0')
		return 10;
	c = (char)(s->p[1] | 0x20);
	if (s->n >= 3 && (c == 'x' || c == 'o' || c == 'b')) {
		*s = str_from(*s, 2);
		return c == 'x' ? 16 : c == 'o' ? 8 : 2;
	}
	*s = str_from(*s, 1);
	return 8;
}

bool num_parse_int(struct str s, struct num_int *out)
{
	struct num_int v = { 0 };
	unsigned base;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+')) {
		v.neg = s.p[0] == '-';
		s = str_from(s, 1);
	}
	base = take_base(&s);
	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)digit(s.p[i]);

		if (d >= base || v.abs > (UINT64_MAX - d) / base)
			return false;
		v.abs = v.abs * base + d;
	}
	if (v.neg && v.abs > (uint64_t)1 << 63)
		return false;
	*out = v;
	return true;
}

bool num_parse_float(struct str s, double *out)
{
	char small[64], *z = small, *end;
	bool ok;
	double v;

	for (size_t i = 0; i < s.n; i++)
		if (!strchr("+-.eE0123456789", s.p[i]) || !s.p[i])
			return false;
	if (!s.n)
		return false;
	if (s.n >= sizeof(small)) {
		z = malloc(s.n + 1);
		if (!z)
			abort();
	}
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	v = strtod(z, &end);
	ok = *end == '\0' && isfinite(v);
	if (z != small)
		free(z);
	if (ok)
		*out = v;
	return ok;
}

static bool reads_back(const char *text, double v, int bits)
{
	if (bits == 32)
		return strtof(text, NULL) == (float)v;
	return strtod(text, NULL) == v;
}

/* Decimal digits of |v| (v != 0, finite) and the power of the first one. */
static int shortest(double v, int bits, char digits[DIGITS_MAX], int *exp10)
{
	char text[40];
	int n = 0;

	if (bits == 32)
		v = (double)(float)v;
	for (int prec = 0; prec < 17; prec++) {
		(void)snprintf(text, sizeof(text), "%.*e", prec, fabs(v));
		if (reads_back(text, fabs(v), bits))
			break;
	}
	for (const char *c = text; *c != 'e'; c++)
		if (*c != '.')
			digits[n++] = *c;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	*exp10 = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	return n;
}

static void add_digits(struct buf *b, const char *d, int n, int from, int to)
{
	for (int i = from; i < to; i++)
		buf_addc(b, i < n ? d[i] : '0');
}

static void add_plain(struct buf *b, const char *d, int n, int e)
{
	if (e < 0) {
		buf_addz(b, "0.");
		buf_fill(b, '0', (size_t)(-e - 1));
		add_digits(b, d, n, 0, n);
		return;
	}
	add_digits(b, d, n, 0, e + 1);
	if (n > e + 1) {
		buf_addc(b, '.');
		add_digits(b, d, n, e + 1, n);
	}
}

static void add_exponent(struct buf *b, const char *d, int n, int e, bool short_exp)
{
	buf_addc(b, d[0]);
	if (n > 1) {
		buf_addc(b, '.');
		add_digits(b, d, n, 1, n);
	}
	buf_addc(b, 'e');
	buf_addf(b, "%c%0*d", e < 0 ? '-' : '+', short_exp ? 1 : 2, abs(e));
}

void num_add_float_g(struct buf *b, double v, int bits)
{
	char d[DIGITS_MAX] = "0";
	int e = 0, n = 1;

	if (bits == 32 && isfinite(v))
		v = (double)(float)v; /* may become infinite, as in Go */
	if (isnan(v)) {
		buf_addz(b, "NaN");
		return;
	}
	if (isinf(v)) {
		buf_addz(b, v < 0 ? "-Inf" : "+Inf");
		return;
	}
	if (signbit(v))
		buf_addc(b, '-');
	if (v != 0)
		n = shortest(v, bits, d, &e);
	if (e < -4 || e >= 6) /* strconv decides as if for 6 digits */
		add_exponent(b, d, n, e, false);
	else
		add_plain(b, d, n, e);
}

void num_add_float_json(struct buf *b, double v)
{
	char d[DIGITS_MAX] = "0";
	int e = 0, n = 1;

	if (signbit(v))
		buf_addc(b, '-');
	if (v != 0)
		n = shortest(v, 64, d, &e);
	/* encoding/json shortens e-09 to e-9, and only that */
	if (e < -6 || e >= 21)
		add_exponent(b, d, n, e, e < 0);
	else
		add_plain(b, d, n, e);
}

void num_add_int(struct buf *b, struct num_int v)
{
	char digits[20];
	size_t at = sizeof(digits);

	if (v.neg && v.abs)
		buf_addc(b, '-');
	do
		digits[--at] = (char)('0' + v.abs % 10);
	while ((v.abs /= 10) != 0);
	buf_add(b, (struct str){ digits + at, sizeof(digits) - at });
}
