/*
 * UTF-8 as Go decodes it: an invalid byte is one rune U+FFFD of length 1, so decoding
 * always advances.
 */
#include "base/utf8.h"

#include "base/scan.h"

static bool cont(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

uint32_t utf8_at(struct str s, size_t i, size_t *len)
{
	const unsigned char *p = (const unsigned char *)s.p + i;
	size_t room = s.n - i;
	uint32_t r;

	*len = 1;
	if (p[0] < 0x80)
		return p[0];
	if (p[0] >= 0xC2 && p[0] <= 0xDF && room >= 2 && cont(p[1])) {
		*len = 2;
		return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
	}
	if ((p[0] & 0xF0) == 0xE0 && room >= 3 && cont(p[1]) && cont(p[2])) {
		r = (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
		if (r < 0x800 || (r >= 0xD800 && r <= 0xDFFF))
			return UTF8_BAD;
		*len = 3;
		return r;
	}
	if ((p[0] & 0xF8) == 0xF0 && room >= 4 && cont(p[1]) && cont(p[2]) && cont(p[3])) {
		r = (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 |
		    (p[3] & 0x3Fu);
		if (r < 0x10000 || r > 0x10FFFF)
			return UTF8_BAD;
		*len = 4;
		return r;
	}
	return UTF8_BAD;
}

static size_t valid_prefix(struct str s)
{
	size_t i = 0, len;

	while (i < s.n) {
		if (s.n - i >= SCAN && !scan_any(scan_in(scan_load(s.p + i), 0x80, 0xFF))) {
			i += SCAN;
			continue;
		}
		if ((unsigned char)s.p[i] < 0x80) {
			i++;
			continue;
		}
		if (utf8_at(s, i, &len) == UTF8_BAD && len == 1)
			break;
		i += len;
	}
	return i;
}

bool utf8_valid(struct str s)
{
	return valid_prefix(s) == s.n;
}

void utf8_add(struct buf *b, uint32_t r)
{
	char c[4];
	size_t n;

	if (r > 0x10FFFF || (r >= 0xD800 && r <= 0xDFFF))
		r = UTF8_BAD;
	if (r < 0x80) {
		buf_addc(b, (char)r);
		return;
	}
	if (r < 0x800) {
		c[0] = (char)(0xC0 | r >> 6);
		n = 2;
	} else if (r < 0x10000) {
		c[0] = (char)(0xE0 | r >> 12);
		n = 3;
	} else {
		c[0] = (char)(0xF0 | r >> 18);
		n = 4;
	}
	for (size_t i = n - 1; i > 0; i--, r >>= 6)
		c[i] = (char)(0x80 | (r & 0x3F));
	buf_add(b, (struct str){ c, n });
}
