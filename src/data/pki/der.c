/*
 * A reader of DER. It accepts nothing that has two encodings: lengths and integers must be in their
 * shortest form.
 */
#include "data/pki/der.h"

#include "base/rfc3339.h"

static unsigned byte(struct str s, size_t i)
{
	return (unsigned char)s.p[i];
}

/* The lengths of header and value; false when malformed. */
static bool header(struct str in, size_t *head, size_t *len)
{
	size_t n, v = 0;

	if (in.n < 2 || (byte(in, 0) & 0x1F) == 0x1F)
		return false;
	*len = byte(in, 1);
	*head = 2;
	if (*len >= 0x80) {
		n = *len & 0x7F;
		if (n == 0 || n > 4 || in.n < 2 + n)
			return false;
		for (size_t i = 0; i < n; i++)
			v = v << 8 | byte(in, 2 + i);
		if (v < 0x80 || v >> (8 * (n - 1)) == 0)
			return false;
		*len = v;
		*head = 2 + n;
	}
	return *len <= in.n - *head;
}

bool der_next(struct str *in, unsigned *tag, struct str *value)
{
	size_t head, len;

	if (!header(*in, &head, &len))
		return false;
	*tag = byte(*in, 0);
	*value = str_sub(*in, head, head + len);
	*in = str_from(*in, head + len);
	return true;
}

bool der_take_raw(struct str *in, unsigned tag, struct str *raw, struct str *value)
{
	struct str start = *in;
	unsigned got;

	if (!in->n || byte(*in, 0) != tag || !der_next(in, &got, value))
		return false;
	*raw = str_sub(start, 0, start.n - in->n);
	return true;
}

bool der_take(struct str *in, unsigned tag, struct str *value)
{
	struct str raw;

	return der_take_raw(in, tag, &raw, value);
}

bool der_take_uint(struct str *in, struct str *value)
{
	struct str rest = *in, v;

	if (!der_take(&rest, DER_INT, &v) || !v.n || byte(v, 0) & 0x80)
		return false;
	if (v.n > 1 && byte(v, 0) == 0) {
		if (!(byte(v, 1) & 0x80))
			return false; /* not the shortest form */
		v = str_from(v, 1);
	}
	*value = v;
	*in = rest;
	return true;
}

bool der_take_small(struct str *in, uint32_t *value)
{
	struct str rest = *in, v;

	if (!der_take_uint(&rest, &v) || v.n > 4)
		return false;
	*value = 0;
	for (size_t i = 0; i < v.n; i++)
		*value = *value << 8 | byte(v, i);
	*in = rest;
	return true;
}

bool der_take_bits(struct str *in, struct str *value)
{
	struct str rest = *in, v;

	if (!der_take(&rest, DER_BITS, &v) || v.n < 1 || byte(v, 0) != 0)
		return false;
	*value = str_from(v, 1);
	*in = rest;
	return true;
}

static bool digits(struct str *s, size_t n, int64_t *out)
{
	int64_t v = 0;

	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		v = v * 10 + (s->p[i] - '0');
	}
	*s = str_from(*s, n);
	*out = v;
	return true;
}

bool der_take_time(struct str *in, int64_t *value)
{
	struct str rest = *in, s;
	int64_t y, mo, d, h, mi, sec;
	unsigned tag;

	if (!der_next(&rest, &tag, &s) || (tag != DER_UTC_TIME && tag != DER_TIME) ||
	    !digits(&s, tag == DER_TIME ? 4 : 2, &y) || !digits(&s, 2, &mo) || !digits(&s, 2, &d) ||
	    !digits(&s, 2, &h) || !digits(&s, 2, &mi) || !digits(&s, 2, &sec) || !str_is(s, "Z"))
		return false;
	if (tag == DER_UTC_TIME)
		y += y < 50 ? 2000 : 1900;
	if (!rfc3339_is_date(y, mo, d) || h > 23 || mi > 59 || sec > 59)
		return false;
	*value = rfc3339_days(y, mo, d) * 86400 + h * 3600 + mi * 60 + sec;
	*in = rest;
	return true;
}
