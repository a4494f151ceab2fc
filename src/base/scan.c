/*
 * The portable part of scan.h: loops over sixteen bytes, then the rest one by one. No
 * read goes beyond the input.
 */
#include "base/scan.h"

size_t scan_byte(const char *p, size_t n, char c)
{
	size_t i = 0, k;

	for (; n - i >= SCAN; i += SCAN) {
		k = scan_first(scan_is(scan_load(p + i), (unsigned char)c));
		if (k < SCAN)
			return i + k;
	}
	while (i < n && p[i] != c)
		i++;
	return i;
}

size_t scan_three(const char *p, size_t n, char c, char d, char e)
{
	size_t i = 0, k;

	for (; n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(p + i);

		k = scan_first(scan_is(v, (unsigned char)c) | scan_is(v, (unsigned char)d) |
			       scan_is(v, (unsigned char)e));
		if (k < SCAN)
			return i + k;
	}
	while (i < n && p[i] != c && p[i] != d && p[i] != e)
		i++;
	return i;
}

static bool is_text(unsigned char c)
{
	return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t';
}

size_t scan_text(const char *p, size_t n)
{
	size_t i = 0;

	for (; n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(p + i);
		size_t k = scan_first(~(scan_in(v, 0x20, 0x7E) | scan_in(v, '\t', '\n')));

		if (k < SCAN)
			return i + k;
	}
	while (i < n && is_text((unsigned char)p[i]))
		i++;
	return i;
}
