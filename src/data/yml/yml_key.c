/*
 * The order in which go-yaml v2 writes keys: natural, so that "a2" comes before "a10".
 */
#include "base/utf8.h"
#include "data/yml.h"

/* The number whose digits begin at i, added to start; *len is their count. */
static int64_t number_at(struct str s, size_t i, int64_t start, size_t *len)
{
	uint64_t n = (uint64_t)start; /* wraps as in upstream */
	size_t w;

	*len = 0;
	for (; i < s.n; i += w) {
		uint32_t r = utf8_at(s, i, &w);

		if (!utf8_is_digit(r))
			break;
		n = n * 10 + (uint64_t)r - '0';
		++*len;
	}
	return (int64_t)n;
}

/* Whether the digits right before i contain one other than 0. */
static bool in_number(struct str s, size_t i)
{
	while (i > 0) {
		size_t len;
		uint32_t r;

		do
			i--;
		while (i > 0 && ((unsigned char)s.p[i] & 0xC0) == 0x80);
		r = utf8_at(s, i, &len);
		if (!utf8_is_digit(r))
			return false;
		if (r != '0')
			return true;
	}
	return false;
}

static int cmp_numbers(struct str x, struct str y, size_t i, uint32_t p, uint32_t q)
{
	int64_t start = (p == '0' || q == '0') && in_number(x, i);
	size_t len_x, len_y;
	int64_t nx = number_at(x, i, start, &len_x);
	int64_t ny = number_at(y, i, start, &len_y);

	if (nx != ny)
		return nx < ny ? -1 : 1;
	if (len_x != len_y)
		return len_x < len_y ? -1 : 1;
	return p < q ? -1 : 1;
}

int yml_key_cmp(struct str x, struct str y)
{
	size_t i = 0;

	while (i < x.n && i < y.n) {
		size_t lx, ly;
		uint32_t p = utf8_at(x, i, &lx), q = utf8_at(y, i, &ly);
		bool lp, lq;

		if (p == q && lx == ly) {
			i += lx;
			continue;
		}
		lp = utf8_is_letter(p);
		lq = utf8_is_letter(q);
		if (lp && lq)
			return p < q ? -1 : 1;
		if (lp || lq)
			return lq ? -1 : 1;
		return cmp_numbers(x, y, i, p, q);
	}
	return (x.n > y.n) - (x.n < y.n);
}
