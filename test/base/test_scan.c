/*
 * The sixteen-byte scan finds what a byte-by-byte scan finds: every length,
 * every position, every byte.
 */
#include "../test.h"

#include "base/scan.h"

#define LONGEST 50

static size_t first(const char *p, size_t n, const char *set)
{
	size_t i = 0;

	while (i < n && !(p[i] && strchr(set, p[i])))
		i++;
	return i;
}

TEST one_of_some(void)
{
	char p[LONGEST];

	for (size_t n = 0; n <= LONGEST; n++)
		for (size_t at = 0; at <= n; at++) {
			memset(p, 'x', sizeof(p));
			if (at < n)
				p[at] = ':';
			ASSERT_INT(first(p, n, ":"), scan_byte(p, n, ':'));
			ASSERT_INT(first(p, n, ":"), scan_three(p, n, '\n', '#', ':'));
			ASSERT_INT(first(p, n, ":"), scan_three(p, n, ':', '\n', '#'));
			ASSERT_INT(n, scan_byte(p, n, '\n'));
		}
	PASS();
}

TEST text(void)
{
	char p[LONGEST];

	for (size_t at = 0; at < LONGEST; at++)
		for (int c = 0; c < 256; c++) {
			bool ok = (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t';

			memset(p, 'x', sizeof(p));
			p[at] = (char)c;
			ASSERT_INT(ok ? LONGEST : at, scan_text(p, LONGEST));
		}
	PASS();
}

TEST ranges(void)
{
	for (int low = 0; low < 256; low += 5)
		for (int high = low; high < 256; high += 7)
			for (int c = 0; c < 256; c++) {
				char p[SCAN];
				scan_v v;

				memset(p, c, sizeof(p));
				v = scan_in(scan_load(p), (unsigned char)low, (unsigned char)high);
				ASSERT_INT(c >= low && c <= high, scan_any(v));
				ASSERT_INT(c < low || c > high, scan_any(~v));
			}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(one_of_some);
	RUN_TEST(text);
	RUN_TEST(ranges);
}

TEST_MAIN(suite)
