/*
 * Shortest digits are found by asking for 1, 2, … 17 significant ones until the
 * text reads back as the same double: slow beside Ryu, but floats are rare in
 * what we read. Reading is long division: exact, and a tenth of libc's strtod.
 */
#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* ---- decimal to binary -------------------------------------------------------- */

/* Halfway between two doubles are numbers of up to 768 digits. Of what follows
 * these it counts only whether there is anything. */
#define DIGITS_MAX 800

/* A whole number; n words in use, the lowest first. */
struct big {
	uint32_t w[160];
	int n;
};

static void big_mul_add(struct big *x, uint32_t m, uint32_t add)
{
	uint64_t carry = add;

	for (int i = 0; i < x->n; i++) {
		carry += (uint64_t)x->w[i] * m;
		x->w[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		x->w[x->n++] = (uint32_t)carry;
}

static int big_cmp(const struct big *x, const struct big *y)
{
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	for (int i = x->n; i-- > 0;)
		if (x->w[i] != y->w[i])
			return x->w[i] < y->w[i] ? -1 : 1;
	return 0;
}

/* x is not the smaller one. */
static void big_sub(struct big *x, const struct big *y)
{
	uint64_t left = 0;

	for (int i = 0; i < x->n; i++) {
		left = (uint64_t)x->w[i] - (i < y->n ? y->w[i] : 0) -
		       (left >> 63);
		x->w[i] = (uint32_t)left;
	}
	while (x->n && !x->w[x->n - 1])
		x->n--;
}

static void big_shift(struct big *x, int bits)
{
	int words = bits / 32;

	big_mul_add(x, (uint32_t)1 << bits % 32, 0);
	memmove(x->w + words, x->w, (size_t)x->n * sizeof(*x->w));
	memset(x->w, 0, (size_t)words * sizeof(*x->w));
	x->n += words;
}

static int big_bits(const struct big *x)
{
	return x->n * 32 - __builtin_clz(x->w[x->n - 1]);
}

static void big_tens(struct big *x, int64_t n)
{
	for (; n >= 9; n -= 9)
		big_mul_add(x, 1000000000, 0);
	for (; n > 0; n--)
		big_mul_add(x, 10, 0);
}

/* x / y, x not being 0, to the nearest number of so many bits, or, halfway, to
 * the even one. Small ones have fewer: none is below 2^least. */
static double big_div(struct big *x, struct big *y, int bits, int least)
{
	int exp = big_bits(x) - big_bits(y), half;
	uint64_t m = 0;

	big_shift(exp < 0 ? x : y, abs(exp));
	if (big_cmp(x, y) >= 0) {
		big_shift(y, 1);
		exp++;
	}
	/* now y / 2 <= x < y */
	if (bits > exp - least)
		bits = exp - least;
	for (int i = 0; i < bits; i++) {
		big_mul_add(x, 2, 0);
		m *= 2;
		if (big_cmp(x, y) >= 0) {
			big_sub(x, y);
			m++;
		}
	}
	big_mul_add(x, 2, 0);
	half = big_cmp(x, y);
	m += bits >= 0 && (half > 0 || (half == 0 && m % 2));
	return ldexp((double)m, exp - bits);
}

/* Takes the digits off s and appends them to x as far as they count: *kept is how
 * many x has, *appended grows by those that went there, noughts before it too.
 * Returns how many there were. */
static int64_t take_digits(struct str *s, struct big *x, int *kept,
			   int64_t *appended)
{
	size_t n;

	for (n = 0; n < s->n && s->p[n] >= '0' && s->p[n] <= '9'; n++)
		if (*kept < DIGITS_MAX) {
			big_mul_add(x, 10, (uint32_t)(s->p[n] - '0'));
			*kept += x->n > 0;
			++*appended;
		} else if (s->p[n] != '0') {
			x->w[0] |= 1;
		}
	*s = str_from(*s, n);
	return (int64_t)n;
}

static bool take_exponent(struct str s, int64_t *out)
{
	bool minus;
	int64_t e = 0;

	if (!s.n)
		return true;
	if (*s.p != 'e' && *s.p != 'E')
		return false;
	minus = s.n > 1 && s.p[1] == '-';
	s = str_from(s, minus || (s.n > 1 && s.p[1] == '+') ? 2 : 1);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		if (e < (int64_t)1 << 40)
			e = e * 10 + s.p[i] - '0';
	}
	*out += minus ? -e : e;
	return s.n > 0;
}

static bool read_float(struct str s, int bits, int least, double *out)
{
	struct big x = { .n = 0 }, y = { .w = { 1 }, .n = 1 };
	bool minus = s.n && *s.p == '-';
	int64_t whole = 0, fraction = 0, n, exp;
	int kept = 0;
	double v = 0;

	if (minus || (s.n && *s.p == '+'))
		s = str_from(s, 1);
	n = take_digits(&s, &x, &kept, &whole);
	exp = n - whole;
	if (s.n && *s.p == '.') {
		s = str_from(s, 1);
		n += take_digits(&s, &x, &kept, &fraction);
		exp -= fraction;
	}
	if (!n || !take_exponent(s, &exp) || (kept && kept + exp > 310))
		return false;
	if (kept && kept + exp > -330) {
		big_tens(exp < 0 ? &y : &x, llabs(exp));
		v = big_div(&x, &y, bits, least);
	}
	*out = minus ? -v : v;
	return true;
}

bool num_parse_float(struct str s, double *out)
{
	double v;

	if (!read_float(s, 53, -1074, &v) || !isfinite(v))
		return false;
	*out = v;
	return true;
}

static bool reads_back(struct str text, double v, int bits)
{
	double back;

	return read_float(text, bits == 32 ? 24 : 53, bits == 32 ? -149 : -1074,
			  &back) &&
	       back == v;
}

/* ---- binary to decimal -------------------------------------------------------- */

/* One more in the last of n digits; true when there is one digit more now, for
 * which the last nought is no more room. */
static bool count_up(char *digits, int n)
{
	while (n-- > 0) {
		if (digits[n]++ != '9')
			return false;
		digits[n] = '0';
	}
	return true;
}

int num_digits(double v, int n, bool behind_point, char digits[NUM_DIGITS],
	       int *exp10)
{
	struct big x = { .n = 0 }, y = { .w = { 1 }, .n = 1 };
	int exp, tens, half;
	uint64_t m = (uint64_t)ldexp(frexp(v, &exp), 53);

	big_mul_add(&x, 0, (uint32_t)(m >> 32));
	big_shift(&x, 32);
	big_mul_add(&x, 1, (uint32_t)m);
	tens = (exp - 1) * 1233 / 4096; /* about the logarithm */
	exp -= 53;
	big_shift(exp < 0 ? &y : &x, abs(exp));
	big_tens(tens < 0 ? &x : &y, abs(tens));
	for (; big_cmp(&x, &y) < 0; tens--)
		big_mul_add(&x, 10, 0);
	for (;; tens++) { /* until x < 10 y */
		struct big ten = y;

		big_mul_add(&ten, 10, 0);
		if (big_cmp(&x, &ten) < 0)
			break;
		y = ten;
	}
	if (behind_point)
		n += tens + 1;
	if (n > NUM_DIGITS - 1)
		n = NUM_DIGITS - 1;
	for (int i = 0; i < n; i++) {
		digits[i] = '0';
		for (; big_cmp(&x, &y) >= 0; digits[i]++)
			big_sub(&x, &y);
		big_mul_add(&x, 10, 0);
	}
	big_mul_add(&x, 2, 0);
	big_mul_add(&y, 10, 0);
	half = big_cmp(&x, &y);
	if (n >= 0 && (half > 0 || (half == 0 && n > 0 && digits[n - 1] % 2)) &&
	    count_up(digits, n)) {
		memmove(digits + 1, digits, (size_t)n);
		*digits = '1';
		n += behind_point;
		tens++;
	}
	*exp10 = tens;
	return n < 0 ? 0 : n;
}

/* Decimal digits of |v| (v != 0, finite) and the power of the first one. */
static int shortest(double v, int bits, char digits[NUM_DIGITS], int *exp10)
{
	int n;

	v = fabs(bits == 32 ? (double)(float)v : v);
	for (n = 1; n < 17; n++) {
		struct str back;
		char text[48];

		(void)num_digits(v, n, false, digits, exp10);
		(void)snprintf(text, sizeof(text), "%.*se%d", n, digits,
			       *exp10 - n + 1);
		back = str_of(text);
		if (reads_back(back, v, bits))
			break;
	}
	if (n == 17)
		(void)num_digits(v, n, false, digits, exp10);
	while (n > 1 && digits[n - 1] == '0')
		n--;
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

static void add_exponent(struct buf *b, const char *d, int n, int e,
			 bool short_exp)
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
	char d[NUM_DIGITS] = "0";
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
	char d[NUM_DIGITS] = "0";
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
	buf_addf(b, "%s%llu", v.neg && v.abs ? "-" : "",
		 (unsigned long long)v.abs);
}
