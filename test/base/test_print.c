/*
 * Our printf beside the C library's.
 */
#include "../test.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/print.h"

static int ours(char *to, size_t room, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = print_va(to, room, fmt, ap);
	va_end(ap);
	return n;
}

/* By a file, since snprintf may be ours. */
static int theirs(char *to, const char *fmt, ...)
{
	va_list ap;
	FILE *f = fmemopen(to, 8192, "w");
	int n;

	va_start(ap, fmt);
	n = vfprintf(f, fmt, ap);
	va_end(ap);
	(void)fclose(f);
	to[n] = '\0';
	return n;
}

#define CHECK(...)                                                         \
	do {                                                               \
		static char x[8192], y[8192];                              \
		int n_ = theirs(x, __VA_ARGS__);                           \
		ASSERT_INT_M(x, n_, ours(y, sizeof(y), __VA_ARGS__));      \
		ASSERT_STR_M(#__VA_ARGS__, str_of(x), str_of(y));          \
		/* with less room: what fits, and an end */                \
		memset(y, '#', sizeof(y));                                 \
		ASSERT_INT_M(x, n_, ours(y, 4, __VA_ARGS__));              \
		ASSERT_STR_M(#__VA_ARGS__,                                 \
			     ((struct str){ x, n_ < 3 ? (size_t)n_ : 3 }), \
			     str_of(y));                                   \
		ASSERT_INT('#', y[4]);                                     \
		ASSERT_INT_M(x, n_, ours(NULL, 0, __VA_ARGS__));           \
	} while (0)

TEST texts(void)
{
	CHECK("%s", "");
	CHECK("nothing");
	CHECK("%%|");
	CHECK("%s|%10s|%-10s|%.2s|%.0s|%*s|%-*s|%.*s|", "abc", "abc", "abc",
	      "abc", "abc", 5, "abc", -5, "abc", 2, "abcdef");
	CHECK("%c%c|%3c|%-3c|", 'a', 'b', 'c', 'd');
	CHECK("%.*s", 3, "no end here");
	CHECK("%.*s|", -1, "all of it");
	CHECK("%s %d %s %zu", "many", 1, "of them", (size_t)2);
	PASS();
}

TEST whole_numbers(void)
{
	static const long long values[] = {
		0, 1, -1, 7, 42, -12345, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		long long v = values[i];

#define ALL(flags)                                                            \
	CHECK("%" flags "d|%" flags "i|%" flags "u|%" flags "x|%" flags       \
	      "X|%" flags "o",                                                \
	      (int)v, (int)v, (unsigned)v, (unsigned)v, (unsigned)v,          \
	      (unsigned)v);                                                   \
	CHECK("%" flags "lld|%" flags "llu|%" flags "llx|%" flags "llo", v,   \
	      (unsigned long long)v, (unsigned long long)v,                   \
	      (unsigned long long)v);                                         \
	CHECK("%" flags "hhd|%" flags "hhu|%" flags "hd|%" flags "hu|%" flags \
	      "hx",                                                           \
	      (signed char)v, (unsigned char)v, (short)v, (unsigned short)v,  \
	      (unsigned short)v);                                             \
	CHECK("%" flags "ld|%" flags "zu|%" flags "zx|%" flags "jd|%" flags   \
	      "td",                                                           \
	      (long)v, (size_t)v, (size_t)v, (intmax_t)v, (ptrdiff_t)v)
		ALL("");
		ALL("5");
		ALL("05");
		ALL("-5");
		ALL(".3");
		ALL(".0");
		ALL("8.3");
		ALL("-8.3");
		ALL("25");
		ALL("025");
		CHECK("%+d|% d|%+5d|%+05d|% 05d", (int)v, (int)v, (int)v,
		      (int)v, (int)v);
		CHECK("%#x|%#X|%#o|%#10x|%#010x|%#-10x|", (unsigned)v,
		      (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v,
		      (unsigned)v);
		CHECK("%0*d|%-*d|%.*d", 7, (int)v, 7, (int)v, 7, (int)v);
	}
	PASS();
}

TEST floats(void)
{
	static const double values[] = { 0.0,
					 -0.0,
					 1,
					 0.5,
					 1.5,
					 2.5,
					 -1,
					 9.5,
					 0.05,
					 0.25,
					 0.1,
					 9.99,
					 99.5,
					 999999.5,
					 1e5,
					 1e6,
					 1e15,
					 1e16,
					 123456.789,
					 1e22,
					 1e23,
					 1e100,
					 1.7976931348623157e308,
					 2.2250738585072014e-308,
					 5e-324,
					 1e-5,
					 0.0001,
					 0.00012345,
					 1.0 / 3,
					 INFINITY,
					 -INFINITY,
					 0.95,
					 0.99999,
					 4.35,
					 1e-7,
					 12345678901234567.0 };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		double v = values[i];

		CHECK("%e|%f|%g", v, v, v);
		CHECK("%.0e|%.0f|%.0g", v, v, v);
		CHECK("%#.0e|%#.0f|%#.3g", v, v, v); /* %#g: glibc errs */
		CHECK("%20.3e|%-20.3f|%020.3g|", v, v, v);
		CHECK("%+.2e|% .2f|%+020.2f|% -20.2f|", v, v, v, v);
		for (int p = 0; p < 25; p++)
			CHECK("%.*e|%.*f|%.*g", p, v, p, v, p, v);
		CHECK("%.400f", v);
		CHECK("%.1200e", v);
	}
	PASS();
}

TEST any_float(void)
{
	struct test_rng rng = { 3 };

	for (int i = 0; i < 1000; i++) {
		uint64_t bits = 0;
		int p = (int)test_rand(&rng, 30);
		double v;

		for (int k = 0; k < 4; k++)
			bits = bits << 16 | test_rand(&rng, 1 << 16);
		if (i % 2) /* of a usual size */
			bits = (bits & 0x800FFFFFFFFFFFFF) |
			       (uint64_t)(1000 + test_rand(&rng, 50)) << 52;
		memcpy(&v, &bits, sizeof(v));
		if (isnan(v))
			continue;
		CHECK("%.*e|%.*f|%.*g", p, v, p, v, p, v);
	}
	PASS();
}

TEST what_is_none(void)
{
	char to[8];
	const char *fmt = "%y"; /* not seen by the compiler */

	ASSERT_INT(-1, ours(to, sizeof(to), fmt));
	fmt = "%";
	ASSERT_INT(-1, ours(to, sizeof(to), fmt));
	fmt = "%n";
	ASSERT_INT(-1, ours(to, sizeof(to), fmt, NULL));
	PASS();
}

SUITE(print)
{
	RUN_TEST(texts);
	RUN_TEST(whole_numbers);
	RUN_TEST(floats);
	RUN_TEST(any_float);
	RUN_TEST(what_is_none);
}

TEST_MAIN(print)
