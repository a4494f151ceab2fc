#include "../test.h"

#include <errno.h>

#include "base/glob.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/utf8.h"

TEST comparing(void)
{
	ASSERT(str_eq(S("a"), S("a")));
	ASSERT(!str_eq(S("a"), S("b")));
	ASSERT(!str_eq(S("a"), S("ab")));
	ASSERT(str_eq(S(""), (struct str){ 0 }));
	ASSERT(str_cmp(S("a"), S("b")) < 0);
	ASSERT(str_cmp(S("ab"), S("a")) > 0);
	ASSERT(str_cmp(S("\xff"), S("a")) > 0);
	ASSERT(str_eq_fold(S("MoDe"), S("mode")));
	ASSERT(!str_eq_fold(S("mode"), S("mod")));
	ASSERT(!str_eq_fold(S("[ode"), S("{ode")));
	PASS();
}

TEST cutting(void)
{
	struct str a = S("?"), b = S("?");

	ASSERT(str_cut(S("ns/name"), '/', &a, &b));
	ASSERT_STR("ns", a);
	ASSERT_STR("name", b);
	ASSERT(str_cut(S("/"), '/', &a, &b));
	ASSERT_STR("", a);
	ASSERT_STR("", b);
	a = S("kept");
	ASSERT(!str_cut(S("none"), '/', &a, &b));
	ASSERT_STR("kept", a);
	ASSERT_STR("bc", str_sub(S("abcd"), 1, 3));
	ASSERT_STR("", str_sub(S("abcd"), 9, 3));
	ASSERT_STR("cd", str_from(S("abcd"), 2));
	ASSERT_STR("x y", str_trim(S(" \t\nx y\r\v ")));
	ASSERT_STR("", str_trim(S("  ")));
	PASS();
}

TEST finding(void)
{
	ASSERT_INT(1, str_chr(S("abab"), 'b'));
	ASSERT_INT(3, str_rchr(S("abab"), 'b'));
	ASSERT_INT(-1, str_chr(S("abab"), 'c'));
	ASSERT_INT(2, str_find(S("abcd"), S("cd")));
	ASSERT_INT(-1, str_find(S("abcd"), S("ce")));
	ASSERT_INT(0, str_find(S("abcd"), S("")));
	ASSERT(str_starts(S("abc"), S("ab")));
	ASSERT(!str_starts(S("a"), S("ab")));
	ASSERT(str_ends(S("abc"), S("bc")));
	ASSERT(!str_ends(S("c"), S("bc")));
	PASS();
}

TEST lines(void)
{
	struct str rest = S("a\n\nb"), line;

	ASSERT(str_line(&rest, &line));
	ASSERT_STR("a", line);
	ASSERT(str_line(&rest, &line));
	ASSERT_STR("", line);
	ASSERT(str_line(&rest, &line));
	ASSERT_STR("b", line);
	ASSERT(!str_line(&rest, &line));
	PASS();
}

TEST whole_numbers(void)
{
	static const struct {
		const char *in;
		bool ok;
		int64_t want;
	} cases[] = {
		{ "0", true, 0 },
		{ "007", true, 7 },
		{ "-12", true, -12 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "99999999999999999999999", false, 0 },
		{ "", false, 0 },
		{ "-", false, 0 },
		{ "+1", false, 0 },
		{ "1 ", false, 0 },
		{ "0x1", false, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t got = 0;

		ASSERT_INT_M(cases[i].in, cases[i].ok, str_to_i64(str_of(cases[i].in), &got));
		ASSERT_INT_M(cases[i].in, cases[i].want, got);
	}
	PASS();
}

TEST distances(void)
{
	ASSERT_INT(0, (long long)str_distance(S("pool"), S("pool")));
	ASSERT_INT(1, (long long)str_distance(S("pol"), S("pool")));
	ASSERT_INT(2, (long long)str_distance(S("pola"), S("pool")));
	ASSERT_INT(4, (long long)str_distance(S(""), S("pool")));
	PASS();
}

TEST building(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	ASSERT_STR("", buf_str(&b));
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i % 10);
	ASSERT_INT(2000, (long long)b.n);
	ASSERT_INT(0, b.p[b.n]);
	buf_init(&b, &a);
	buf_addc(&b, 'x');
	buf_fill(&b, '-', 3);
	buf_addz(&b, "y");
	buf_add(&b, S("z"));
	ASSERT_STR("x---yz", buf_str(&b));
	ASSERT_STR("7 a", str_fmt(&a, "%d %s", 7, "a"));
	ASSERT_STR("abc", str_clip(&a, S("abc"), 3));
	ASSERT_STR("ab…", str_clip(&a, S("abc"), 2));
	ASSERT_STR("a…", str_clip(&a, S("a\xc3\xa9z"), 2)); /* does not cut é in half */
	ASSERT_STR("…", str_clip(&a, S("abc"), 0));
	PASS();
}

/* Every length near the size of the stack buffer, into a buffer with enough room and
 * one without. */
TEST formatting(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	char want[1100];

	for (int n = 0; n < 1000; n += n < 250 || n > 260 ? 7 : 1) {
		for (size_t room = 0; room <= 2048; room += 512) {
			struct buf b;

			buf_init(&b, &a);
			buf_addz(&b, "before ");
			buf_reserve(&b, room);
			buf_addf(&b, "%*d|", n, 7);
			(void)snprintf(want, sizeof(want), "before %*d|", n, 7);
			ASSERT_STR(want, buf_str(&b));
			ASSERT_INT(0, b.p[b.n]);
		}
		ASSERT_STR(want + 7, str_fmt(&a, "%*d|", n, 7));
	}
	PASS();
}

TEST errors_say_what_and_where(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	ASSERT_INT(-ERR_CONFLICT, err_set(&err, ERR_CONFLICT, "version %d", 3));
	ASSERT_STR("version 3", err.msg);
	ASSERT_INT(-ERR_CONFLICT, err_wrap(&err, "node %s", "a"));
	ASSERT_STR("node a: version 3", err.msg);
	errno = ENOENT;
	ASSERT_INT(-ERR_NOTFOUND, err_sys(&err, "open %s", "/x"));
	ASSERT_STR("open /x: No such file or directory", err.msg);
	errno = EACCES;
	ASSERT_INT(-ERR_SYS, err_sys(&err, "open"));
	ASSERT_STR("open: Permission denied", err.msg);
	PASS();
}

TEST utf8_as_go_sees_it(void)
{
	static const struct {
		const char *in;
		uint32_t rune;
		size_t len;
	} cases[] = {
		{ "a", 'a', 1 },
		{ "\xC3\xA9", 0xE9, 2 },
		{ "\xE6\x97\xA5", 0x65E5, 3 },
		{ "\xF0\x9F\x98\x80", 0x1F600, 4 },
		{ "\xEF\xBF\xBD", 0xFFFD, 3 },
		{ "\x80", UTF8_BAD, 1 },
		{ "\xC0\x80", UTF8_BAD, 1 }, /* overlong encoding */
		{ "\xE0\x80\x80", UTF8_BAD, 1 },
		{ "\xED\xA0\x80", UTF8_BAD, 1 }, /* a surrogate */
		{ "\xF4\x90\x80\x80", UTF8_BAD, 1 }, /* above U+10FFFF */
		{ "\xE6\x97", UTF8_BAD, 1 }, /* truncated */
		{ "\xFF", UTF8_BAD, 1 },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t len = 0;

		ASSERT_INT_M(cases[i].in, cases[i].rune, utf8_at(str_of(cases[i].in), 0, &len));
		ASSERT_INT_M(cases[i].in, (long long)cases[i].len, (long long)len);
	}
	buf_init(&b, &a);
	utf8_add(&b, 0xD800);
	utf8_add(&b, 0x110000);
	utf8_add(&b, 0x20AC);
	ASSERT_STR("\xEF\xBF\xBD\xEF\xBF\xBD\xE2\x82\xAC", buf_str(&b));
	ASSERT(utf8_valid(S("日本")));
	ASSERT(!utf8_valid(S("\xE6\x97")));
	PASS();
}

TEST letters_and_digits_of_any_script(void)
{
	ASSERT(utf8_is_letter('a') && utf8_is_letter('Z'));
	ASSERT(!utf8_is_letter('0') && !utf8_is_letter('_'));
	ASSERT(utf8_is_letter(0xE9) && utf8_is_letter(0x65E5));
	ASSERT(!utf8_is_letter(0xA0) && !utf8_is_letter(0xFEFF));
	ASSERT(!utf8_is_letter(0x1F600) && utf8_is_letter(0x20000));
	ASSERT(utf8_is_digit('7') && utf8_is_digit(0x0665));
	ASSERT(!utf8_is_digit(0xB2) && !utf8_is_digit('a'));
	PASS();
}

TEST globs(void)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} cases[] = {
		{ "*", "", true },
		{ "*.service", "a.service", true },
		{ "*.service", "a.socket", false },
		{ "a*b*c", "aXbYbZc", true },
		{ "a*b*c", "aXcYb", false },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "[a-c]x", "bx", true },
		{ "[!a-c]x", "bx", false },
		{ "[]x]", "]", true },
		{ "[ab", "[ab", true },
		{ "getty@*.service", "getty@tty1.service", true },
		{ "", "x", false },
		{ "****", "x", true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_INT_M(cases[i].pattern, cases[i].fits,
			     glob_match(str_of(cases[i].pattern), str_of(cases[i].text)));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(globs);
	RUN_TEST(comparing);
	RUN_TEST(cutting);
	RUN_TEST(finding);
	RUN_TEST(lines);
	RUN_TEST(whole_numbers);
	RUN_TEST(distances);
	RUN_TEST(building);
	RUN_TEST(formatting);
	RUN_TEST(errors_say_what_and_where);
	RUN_TEST(utf8_as_go_sees_it);
	RUN_TEST(letters_and_digits_of_any_script);
}

TEST_MAIN(suite)
