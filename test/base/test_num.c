/*
 * Reads floats from text and writes them with the fewest digits that read back.
 * Both are compared with the C library.
 */
#include "../test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"

static bool as_libc(const char *text)
{
	char *end;
	double want = strtod(text, &end), got = 7;
	bool ok = *text && *end == '\0' && isfinite(want);
	bool read = num_parse_float(str_of(text), &got);

	if (ok == read && (!ok || memcmp(&want, &got, sizeof(got)) == 0))
		return true;
	(void)printf("%.80s: expected %d %a, got %d %a\n", text, ok, want, read, got);
	return false;
}

TEST edges(void)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"+0",
		".0",
		"0.",
		"00e9",
		"0e999999999999",
		"1",
		"-1",
		"+1",
		"0.1",
		".1",
		"1.",
		"123456789012345678901234567890",
		"1e22",
		"1e23",
		"8.5e-3",
		"1E+5",
		"1e5",
		"9007199254740993",
		"9007199254740993.00000000000000000000000000000000000000001",
		"9007199254740992.99999999999999999999999999999999999999999",
		"1.7976931348623157e308",
		"1.7976931348623158e308",
		"1.7976931348623159e308",
		"1e308",
		"1e309",
		"-1e309",
		"179769313486231580793728971405303415079934132710037826936173"
		"778980444968292764750946649017977587207096330286416692887910"
		"946555547851940402630657488671505820681908902000708383676273"
		"854845817711531764475730270069855571366959622842914819860834"
		"936475292719074168444365510704342711559699508093042880",
		"2.2250738585072014e-308",
		"2.2250738585072011e-308",
		"2.2250738585072009e-308",
		"4.9e-324",
		"5e-324",
		"3e-324",
		"2.4703282292062327e-324",
		"2.4703282292062328e-324",
		"2.47e-324",
		"1e-324",
		"1e-400",
		"1e-99999999999999999999999",
		"1e99999999999999999999999",
		"0.000001e6",
		"1000000e-6",
		/* not numbers */
		"",
		".",
		"-",
		"+",
		"e5",
		".e5",
		"1e",
		"1e+",
		"1e-",
		"1.2.3",
		"--1",
		"1-1",
		"1e5e5",
		"1e5.",
		"+-1",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		ASSERTm(texts[i], as_libc(texts[i]));
	/* the C library accepts these; ours must not */
	for (size_t i = 0; i < 5; i++) {
		static const char *const others[] = { "inf", "nan", "0x10", " 1", "1 " };
		double v;

		ASSERT_FALSEm(others[i], num_parse_float(str_of(others[i]), &v));
	}
	PASS();
}

/* Very many digits, with zeros before and after them. */
TEST long_ones(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	static const char *const heads[] = { "1", "9007199254740993", "0." };
	static const int lengths[] = { 20, 767, 800, 801, 5000, 100000 };

	for (size_t h = 0; h < 3; h++)
		for (size_t i = 0; i < 6; i++) {
			struct buf b;

			buf_init(&b, &a);
			buf_addz(&b, heads[h]);
			buf_fill(&b, '0', (size_t)lengths[i]);
			ASSERT(as_libc(b.p));
			buf_addf(&b, "e-%d", lengths[i]);
			ASSERT(as_libc(b.p));
			b.n -= (size_t)snprintf(NULL, 0, "e-%d", lengths[i]);
			b.p[b.n] = '\0';
			buf_addf(&b, "1e-%d", lengths[i]);
			ASSERT(as_libc(b.p));
			buf_addz(&b, "e");
			ASSERT(as_libc(b.p));
		}
	PASS();
}

static double any_double(struct test_rng *rng)
{
	uint64_t bits = 0;
	double v;

	for (int i = 0; i < 4; i++)
		bits = bits << 16 | test_rand(rng, 1 << 16);
	memcpy(&v, &bits, sizeof(v));
	return isfinite(v) ? v : 1;
}

/* Printed short, in full, and as the midpoint between two floats. */
TEST any(void)
{
	struct test_rng rng = { 7 };

	for (int i = 0; i < 2000; i++) {
		double v = any_double(&rng), next = nextafter(v, DBL_MAX);
		char text[900];

		(void)snprintf(text, sizeof(text), "%.*e", (int)test_rand(&rng, 19), v);
		ASSERTm(text, as_libc(text));
		if (i % 20)
			continue;
		(void)snprintf(text, sizeof(text), "%.780Le",
			       ((long double)v + (long double)next) / 2);
		ASSERTm(text, as_libc(text));
	}
	PASS();
}

/* The fewest digits that read back, and not fewer. */
TEST written(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct test_rng rng = { 9 };

	for (int i = 0; i < 500; i++) {
		double v = any_double(&rng);
		float f = (float)v;
		char fewer[40];
		struct buf b;
		int prec = 0;

		buf_init(&b, &a);
		num_add_float_g(&b, v, 64);
		ASSERT_FALSEm(b.p, strtod(b.p, NULL) != v);
		do
			(void)snprintf(fewer, sizeof(fewer), "%.*e", prec++, v);
		while (strtod(fewer, NULL) != v);
		ASSERTm(b.p, strlen(b.p) <= strlen(fewer) + 3);
		if (!isfinite(f))
			continue;
		b.n = 0;
		num_add_float_g(&b, (double)f, 32);
		ASSERT_FALSEm(b.p, strtof(b.p, NULL) != f);
	}
	PASS();
}

SUITE(num)
{
	RUN_TEST(edges);
	RUN_TEST(long_ones);
	RUN_TEST(any);
	RUN_TEST(written);
}

TEST_MAIN(num)
