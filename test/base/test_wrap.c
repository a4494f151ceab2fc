#include "base/wrap.h"

#include "../test.h"

static const struct {
	const char *name, *in;
	size_t at, indent, width;
	const char *out;
} cases[] = {
	{ "a line that fits", "one two", 0, 0, 7, "one two\n" },
	{ "one column too many", "one two", 0, 0, 6, "one\ntwo\n" },
	{ "later lines are indented", "one two three", 4, 2, 9, "one\n  two\n  three\n" },
	{ "what the first line has counts", "one two", 4, 0, 10, "one\ntwo\n" },
	{ "line feeds are spaces", "one\ntwo  three", 0, 0, 20, "one two three\n" },
	{ "a long word stays whole", "a incomprehensible b", 0, 0, 5, "a\nincomprehensible\nb\n" },
	{ "no break within brackets", "x [-f FILE] [-o a b]", 0, 2, 10,
	  "x\n  [-f FILE]\n  [-o a b]\n" },
	{ "a bracket that is not closed", "[a b c", 0, 0, 3, "[a b c\n" },
	{ "a bracket that was not opened", "a] b", 0, 0, 3, "a]\nb\n" },
	{ "no words", " \n ", 3, 3, 10, "\n" },
};

TEST lines(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct buf b;

		buf_init(&b, &a);
		wrap_add(&b, str_of(cases[i].in), cases[i].at, cases[i].indent, cases[i].width);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].out), buf_str(&b));
	}
	PASS();
}

TEST paragraphs(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	wrap_paragraphs(&b, S("one two\nthree\n\n  as  it\n  is\n\nlast"), 9);
	ASSERT_STR("one two\nthree\n\n  as  it\n  is\n\nlast\n", buf_str(&b));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(lines);
	RUN_TEST(paragraphs);
}

TEST_MAIN(suite)
