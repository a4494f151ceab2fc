/* Files that are part of the program: every file, and bytes that the script does not write. */
#include "../test.h"
#include "data/packed.h"

static struct str paths(struct arena *a, const char *text)
{
	struct str rest = str_of(text), path, bytes;
	struct buf b;

	buf_init(&b, a);
	while (packed_next(&rest, &path, &bytes))
		buf_addf(&b, "[%.*s=%.*s]", STRF(path), STRF(bytes));
	return buf_str(&b);
}

TEST files_are_taken_in_order(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" },
		{ "a\n0\n", "[a=]" },
		{ "a\n2\nxyb/c\n1\n\n", "[a=xy][b/c=\n]" },
		{ "a\n3\nxy", "" },
		{ "a\n-1\nxy", "" },
		{ "a\nx\nxy", "" },
		{ "a\n99999999999999999999\nxy", "" },
		{ "a\n1\nxb", "[a=x]" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		ASSERT_STR_M(rows[i].text, str_of(rows[i].want), paths(&a, rows[i].text));
	}
	PASS();
}

TEST bytes_that_are_not_compressed_are_no_files(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	static const unsigned char bytes[] = { 'a', '\n', '0', '\n' };

	ASSERT_STR("", PACKED(&a, bytes));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(files_are_taken_in_order);
	RUN_TEST(bytes_that_are_not_compressed_are_no_files);
}

TEST_MAIN(suite)
