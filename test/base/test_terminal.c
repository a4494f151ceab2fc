/* Text for a terminal: control sequences are shown, never executed. */
#include "base/terminal.h"

#include "../test.h"

TEST texts(void)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
		{ "plain", "a b\n\tc ~\n", "a b\n\tc ~\n" },
		{ "letters of any script", "gr\u00fc\u00df \u4e2d \U0001F600",
		  "gr\u00fc\u00df \u4e2d \U0001F600" },
		{ "a title", "\x1b]0;x\x07y", "\\x1b]0;x\\x07y" },
		{ "a colour", "\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m" },
		{ "the line again", "good\rbad\r\n", "good\\rbad\\r\n" },
		{ "backspace and delete", "a\b\x7f", "a\\x08\\x7f" },
		{ "C1 in UTF-8",
		  "\xc2\x9b"
		  "31m",
		  "\\u009b31m" },
		{ "C1 as a byte",
		  "\x9b"
		  "31m",
		  "\\x9b31m" },
		{ "no UTF-8", "a\xffz", "a\\xffz" },
		{ "cut UTF-8", "a\xe4\xb8", "a\\xe4\\xb8" },
		{ "overlong ESC", "\xc0\x9b", "\\xc0\\x9b" },
		{ "right to left", "a\u202ecod.exe\u2066", "a\\u202ecod.exe\\u2066" },
		{ "another line", "a\u2028b", "a\\u2028b" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str text = str_of(cases[i].text);
		struct str got = terminal_safe(&a, text);

		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), got);
		ASSERT_STR_M(cases[i].name, got, terminal_safe(&a, got));
		if (str_eq(got, text))
			ASSERTm(cases[i].name, got.p == text.p);
	}
	ASSERT_STR_M("NUL", S("a\\x00b"), terminal_safe(&a, S("a\0b")));
	PASS();
}

TEST colours(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	ASSERT_STR("\x1b[31m-\\x1b[2J\x1b[0m\n",
		   terminal_safe_but_colours(&a, S("\x1b[31m-\x1b[2J\x1b[0m\n")));
	PASS();
}

/* For any input, the output has nothing that a terminal executes. */
TEST any_bytes(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct test_rng r = { 7 };

	for (int k = 0; k < 2000; k++) {
		char text[64];
		struct str got;

		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = (char)test_rand(&r, 256);
		got = terminal_safe(&a, (struct str){ text, sizeof(text) });
		for (size_t i = 0; i < got.n; i++) {
			unsigned char c = (unsigned char)got.p[i];

			ASSERT(c >= 0x20 || c == '\n' || c == '\t');
			ASSERT(c != 0x7F);
			ASSERT(c != 0xC2 || (unsigned char)got.p[i + 1] >= 0xA0);
		}
	}
	PASS();
}

SUITE(terminal)
{
	RUN_TEST(texts);
	RUN_TEST(colours);
	RUN_TEST(any_bytes);
}

TEST_MAIN(terminal)
