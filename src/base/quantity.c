/*
 * Quantities: mant * 10^scale, exact down to nano. Upstream keeps the text of a
 * quantity that it considers canonical and formats every other one anew ("+5Gi" stays
 * as it is), so the conditions here are upstream's.
 */
#include "base/quantity.h"

typedef unsigned __int128 u128;

/* More could overflow what holds mant: 20 digits and 2^60 fit. */
#define DIGITS_MAX 20

enum format { DECIMAL_SI, BINARY_SI, DECIMAL_EXPONENT };

struct parts {
	bool neg;
	struct str num, denom, suffix;
};

struct amount {
	u128 mant;
	int scale;
	enum format format;
};

static size_t span(struct str s, size_t i, const char *of)
{
	while (i < s.n && s.p[i] && strchr(of, s.p[i]))
		i++;
	return i;
}

static const char digits[] = "0123456789";

static bool split(struct str s, struct parts *out)
{
	size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+'), j;

	if (!s.n)
		return false;
	out->neg = s.p[0] == '-';
	i = span(s, i, "0");
	j = span(s, i, digits);
	out->num = j > i ? str_sub(s, i, j) : S("0");
	if (j < s.n && s.p[j] == '.') {
		i = j + 1;
		j = span(s, i, digits);
		out->denom = str_sub(s, i, j);
	}
	out->suffix = str_from(s, j);
	i = span(s, j, "eEinumkKMGTP");
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		i++;
	return span(s, i, digits) == s.n;
}

static bool read_suffix(struct str s, enum format *format, int *exponent)
{
	static const char si[] = "num kMGTPE", binary[] = "KMGTPE";
	int64_t e;

	*format = DECIMAL_SI;
	*exponent = 0;
	if (!s.n)
		return true;
	if (s.n == 1 && s.p[0] != ' ' && strchr(si, s.p[0])) {
		*exponent = 3 * (int)(strchr(si, s.p[0]) - si) - 9;
		return true;
	}
	if (s.n == 2 && s.p[1] == 'i' && strchr(binary, s.p[0])) {
		*format = BINARY_SI;
		*exponent = 10 * (int)(strchr(binary, s.p[0]) - binary) + 10;
		return true;
	}
	*format = DECIMAL_EXPONENT;
	if (s.n < 2 || (s.p[0] != 'e' && s.p[0] != 'E'))
		return false;
	s = str_from(s, 1);
	if (s.p[0] == '+')
		s = str_from(s, 1);
	if (!str_to_i64(s, &e) || e < -1000 || e > 1000)
		return false;
	*exponent = (int)e;
	return true;
}

static void add_digits(u128 *v, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		*v = *v * 10 + (unsigned)(s.p[i] - '0');
}

/* The digit k places before the last, the dot left out. */
static char digit_before(const struct parts *p, size_t k)
{
	if (k < p->denom.n)
		return p->denom.p[p->denom.n - 1 - k];
	k -= p->denom.n;
	return k < p->num.n ? p->num.p[p->num.n - 1 - k] : '1';
}

/* Whether upstream takes the text as canonical. */
static bool is_canonical(const struct parts *p, enum format format, int exponent)
{
	int scale = exponent - (int)p->denom.n;
	u128 v = 0;

	if (format == BINARY_SI) {
		add_digits(&v, p->num);
		return !p->denom.n && (v & 7) && 14 - (int)p->num.n - exponent * 3 / 10 >= 0;
	}
	if (p->num.n + p->denom.n > 18 || scale < -9 || scale % 3 || p->num.p[0] == '0')
		return false;
	return digit_before(p, 0) != '0' || digit_before(p, 1) != '0' || digit_before(p, 2) != '0';
}

static void to_amount(const struct parts *p, int exponent, struct amount *m)
{
	bool rest = false;

	add_digits(&m->mant, p->num);
	add_digits(&m->mant, p->denom);
	m->scale = -(int)p->denom.n;
	if (m->format == BINARY_SI)
		m->mant <<= exponent;
	else
		m->scale += exponent;
	while (m->scale < -9 && m->mant) {
		rest = rest || m->mant % 10;
		m->mant /= 10;
		m->scale++;
		if (m->scale == -9)
			m->mant += rest;
	}
	if (m->scale < -9 && rest)
		*m = (struct amount){ 1, -9, m->format };
}

static bool whole(const struct amount *m, u128 *out)
{
	u128 v = m->mant;
	bool exact = true;

	for (int s = m->scale; s < 0; s++) {
		exact = exact && v % 10 == 0;
		v = v / 10 + (v % 10 != 0);
	}
	for (int s = m->scale; s > 0; s--) {
		if (v > (u128)INT64_MAX)
			break;
		v *= 10;
	}
	*out = v > (u128)INT64_MAX ? (u128)INT64_MAX : v;
	return exact;
}

static void add_u128(struct buf *b, u128 v)
{
	char text[40];
	size_t n = sizeof(text);

	do {
		text[--n] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	buf_add(b, (struct str){ text + n, sizeof(text) - n });
}

static void add_decimal(struct buf *b, struct amount m)
{
	static const char si[] = "num\0kMGTPE";

	while (m.mant % 10 == 0) {
		m.mant /= 10;
		m.scale++;
	}
	for (; m.scale % 3; m.scale--)
		m.mant *= 10;
	add_u128(b, m.mant);
	if (!m.scale)
		return;
	if (m.format == DECIMAL_EXPONENT)
		buf_addf(b, "e%d", m.scale);
	else if (m.scale >= -9 && m.scale <= 18)
		buf_addc(b, si[(m.scale + 9) / 3]);
}

static struct str canonical(struct arena *a, bool neg, struct amount m)
{
	struct buf b;
	u128 v;
	int k = 0;

	if (!m.mant)
		return S("0");
	buf_init(&b, a);
	if (neg)
		buf_addc(&b, '-');
	if (m.format != BINARY_SI || !whole(&m, &v) || v < 1024) {
		if (m.format == BINARY_SI)
			m.format = DECIMAL_SI;
		add_decimal(&b, m);
		return buf_str(&b);
	}
	for (; v % 1024 == 0; k++)
		v /= 1024;
	add_u128(&b, v);
	if (k)
		buf_addf(&b, "%ci", "KMGTPE"[k - 1]);
	return buf_str(&b);
}

int quantity_parse(struct arena *a, struct str s, struct quantity *out, struct err *err)
{
	struct parts p = { 0 };
	struct amount m = { 0 };
	int exponent;
	u128 v;

	if (!split(s, &p))
		return err_set(err, ERR_INVALID,
			       "quantities must match the regular expression "
			       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
	if (!read_suffix(p.suffix, &m.format, &exponent))
		return err_set(err, ERR_INVALID, "unable to parse quantity's suffix");
	if (p.num.n + p.denom.n > DIGITS_MAX)
		return err_set(err, ERR_LIMIT, "quantity of more than %d digits", DIGITS_MAX);
	to_amount(&p, exponent, &m);
	if (m.format == BINARY_SI && !whole(&m, &v) && !v)
		m.format = DECIMAL_SI;
	if (m.format == BINARY_SI && whole(&m, &v) && v == (u128)INT64_MAX)
		m = (struct amount){ v, 0, BINARY_SI };
	(void)whole(&m, &v);
	out->sign = !m.mant ? 0 : p.neg ? -1 : 1;
	out->value = p.neg ? -(int64_t)v : (int64_t)v;
	out->text = m.mant && is_canonical(&p, m.format, exponent) ? s : canonical(a, p.neg, m);
	return 0;
}
