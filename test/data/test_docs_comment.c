/* Comments in manifests, and text that only looks like a comment. */
#include "data/docs.h"
#include "../test.h"

static const struct {
	const char *text;
	size_t line;
} cases[] = {
	{ "a: 1\n", 0 },
	{ "", 0 },
	{ "# all\n", 1 },
	{ "a: 1\nb: 2 # why\n", 2 },
	{ "a: 1\n\t# tab\n", 2 },
	{ "a: 1\n---\n# second\nb: 1\n", 3 },
	{ "--- # start\na: 1\n", 1 },
	{ "a: [1, # one\n 2]\n", 1 },
	{ "a: b#c\n", 0 },
	{ "a: \"b # c\"\n", 0 },
	{ "a: 'b # c'\n", 0 },
	{ "\"# k\": v\n", 0 },
	{ "a: |\n  # of a script\n  x\n", 0 },
	{ "a: |\n  # of a script\n# of the manifest\nb: 1\n", 3 },
	{ "a: >\n  folded\n  # text\n", 0 },
	{ "a: \"x\n  # y\"\n", 0 },
	{ "a: &x \"# y\"\nb: *x\nc: 1 # z\n", 3 },
	{ "a: | # of a header\n  x\n", 1 },
	{ "{\"a\": \" # b\"}\n", 0 },
	{ "a: 1\r\n# dos\r\n", 2 },
};

TEST comments(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		ASSERT_INT_M(cases[i].text, cases[i].line, docs_comment(&a, str_of(cases[i].text)));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(comments);
}

TEST_MAIN(suite)
