/* rfc3339, semver and num: parse text into values. */
#include "../test.h"

#include <math.h>

#include "base/num.h"
#include "base/rfc3339.h"
#include "base/semver.h"

TEST times_read_and_written(void)
{
	static const struct {
		const char *in;
		int64_t sec;
		const char *want, *micro;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z",
		  "1970-01-01T00:00:00.000000Z" },
		{ "2026-11-16T02:10:46.123456Z", 1794795046, "2026-11-16T02:10:46Z",
		  "2026-11-16T02:10:46.123456Z" },
		{ "2000-02-29t23:59:59+01:00", 951865199, "2000-02-29T22:59:59Z",
		  "2000-02-29T22:59:59.000000Z" },
		{ "1969-12-31T23:59:59-00:30", 1799, "1970-01-01T00:29:59Z",
		  "1970-01-01T00:29:59.000000Z" },
		{ "0000-01-01T00:00:00Z", -62167219200, "0000-01-01T00:00:00Z",
		  "0000-01-01T00:00:00.000000Z" },
		{ "9999-12-31T23:59:59.9999999999Z", 253402300799, "9999-12-31T23:59:59Z",
		  "9999-12-31T23:59:59.999999Z" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct instant t;
		struct buf b;

		ASSERTm(cases[i].in, rfc3339_parse(str_of(cases[i].in), &t));
		ASSERT_INT_M(cases[i].in, cases[i].sec, t.sec);
		buf_init(&b, &a);
		rfc3339_add(&b, t);
		ASSERT_STR(cases[i].want, buf_str(&b));
		buf_init(&b, &a);
		rfc3339_add_micro(&b, t);
		ASSERT_STR(cases[i].micro, buf_str(&b));
	}
	PASS();
}

TEST times_refused(void)
{
	static const char *const cases[] = {
		"",
		"2026-11-16",
		"2026-11-16T02:10:46",
		"2026-11-16T02:10:46.Z",
		"2026-11-16T02:10:46ZZ",
		"2026-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-01-32T00:00:00Z",
		"2026-01-01T24:00:00Z",
		"2026-01-01T00:60:00Z",
		"2026-01-01T00:00:60Z",
		"2026-01-01 00:00:00Z",
		"2026-1-1T00:00:00Z",
		"2026-01-01T00:00:00+24:00",
		"1900-02-29T00:00:00Z",
	};
	struct instant t;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_FALSEm(cases[i], rfc3339_parse(str_of(cases[i]), &t));
	PASS();
}

TEST every_day_of_four_centuries(void)
{
	struct instant t = { 0 };
	struct civil before = rfc3339_civil((struct instant){ -86400, 0 });

	for (int64_t day = 0; day < 146097; day++) {
		struct civil c;

		t.sec = day * 86400;
		c = rfc3339_civil(t);
		ASSERT(rfc3339_is_date(c.year, c.month, c.day));
		ASSERT(c.day == before.day + 1 || c.day == 1);
		before = c;
	}
	ASSERT_INT(2369, before.year);
	ASSERT_INT(12, before.month);
	ASSERT_INT(31, before.day);
	PASS();
}

TEST versions(void)
{
	static const struct {
		const char *in;
		bool ok;
	} cases[] = {
		{ "3.5.0", true },	{ "3.05.0", true },    { "3.5.0-rc.1", true },
		{ "3.5.0+meta", true }, { "3.5.0-a+b", true }, { "3.5", false },
		{ "3", false },		{ "", false },	       { "3.5.0.0", false },
		{ "v3.5.0", false },	{ "3.5.x", false },    { "3.5.0-a..b", false },
		{ "3.5.0-a_b", false }, { "3.5.0-", true },    { "3..0", false },
	};
	struct semver v;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_INT_M(cases[i].in, cases[i].ok, semver_parse(str_of(cases[i].in), &v));
	PASS();
}

TEST version_order(void)
{
	static const char *const ascending[] = {
		"1.0.0-alpha",	"1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
		"1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",	     "1.0.0",
		"1.0.1",	"1.2.0",	 "1.10.0",	     "2.0.0",
	};
	size_t n = ARRAY_LEN(ascending);
	struct semver x, y;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			int c;

			ASSERT(semver_parse(str_of(ascending[i]), &x));
			ASSERT(semver_parse(str_of(ascending[k]), &y));
			c = semver_cmp(x, y);
			ASSERT_INT_M(ascending[i], (i > k) - (i < k), (c > 0) - (c < 0));
		}
	ASSERT(semver_parse(S("3.5.0+a"), &x) && semver_parse(S("3.5.0"), &y));
	ASSERT_INT(0, semver_cmp(x, y));
	ASSERT(!semver_eq(x, y));
	ASSERT(semver_parse(S("3.05.0"), &x) && semver_eq(x, y));
	PASS();
}

TEST integers_in_any_base(void)
{
	static const struct {
		const char *in, *want; /* NULL: none */
	} cases[] = {
		{ "0", "0" },
		{ "-0", "0" },
		{ "+7", "7" },
		{ "0644", "420" },
		{ "0o644", "420" },
		{ "0x1A4", "420" },
		{ "0b101", "5" },
		{ "-0x10", "-16" },
		{ "18446744073709551615", "18446744073709551615" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "18446744073709551616", NULL },
		{ "-9223372036854775809", NULL },
		{ "08", NULL },
		{ "0x", NULL },
		{ "", NULL },
		{ "-", NULL },
		{ "1_0", NULL },
		{ "1.0", NULL },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct num_int v;
		struct buf b;

		ASSERT_INT_M(cases[i].in, cases[i].want != NULL,
			     num_parse_int(str_of(cases[i].in), &v));
		if (!cases[i].want)
			continue;
		buf_init(&b, &a);
		num_add_int(&b, v);
		ASSERT_STR(cases[i].want, buf_str(&b));
	}
	PASS();
}

TEST floats_as_go_writes_them(void)
{
	static const struct {
		double v;
		const char *g, *json;
	} cases[] = {
		{ 0, "0", "0" },
		{ -0.0, "-0", "-0" },
		{ 1, "1", "1" },
		{ 0.1, "0.1", "0.1" },
		{ 1e6, "1e+06", "1000000" },
		{ 123456, "123456", "123456" },
		{ 1234567.5, "1.2345675e+06", "1234567.5" },
		{ 1e20, "1e+20", "100000000000000000000" },
		{ 1e21, "1e+21", "1e+21" },
		{ 1e-4, "0.0001", "0.0001" },
		{ 1e-5, "1e-05", "0.00001" },
		{ 1e-7, "1e-07", "1e-7" },
		{ 5e-324, "5e-324", "5e-324" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	double v;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b;

		buf_init(&b, &a);
		num_add_float_g(&b, cases[i].v, 64);
		ASSERT_STR(cases[i].g, buf_str(&b));
		buf_init(&b, &a);
		num_add_float_json(&b, cases[i].v);
		ASSERT_STR(cases[i].json, buf_str(&b));
	}
	ASSERT(num_parse_float(S("1e3"), &v) && v == 1000);
	ASSERT(!num_parse_float(S("1e999"), &v));
	ASSERT(!num_parse_float(S("0x1p3"), &v));
	ASSERT(!num_parse_float(S("inf"), &v));
	ASSERT(!num_parse_float(S(""), &v));
	ASSERT(!num_parse_float(S("1e"), &v));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(times_read_and_written);
	RUN_TEST(times_refused);
	RUN_TEST(every_day_of_four_centuries);
	RUN_TEST(versions);
	RUN_TEST(version_order);
	RUN_TEST(integers_in_any_base);
	RUN_TEST(floats_as_go_writes_them);
}

TEST_MAIN(suite)
