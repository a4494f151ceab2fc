/* Unified diffs: a table, and generated diffs applied as patch(1) would. */
#include "../test.h"

#include "base/vec.h"
#include "view/udiff.h"

TEST small_diffs(void)
{
	static const struct {
		const char *x, *y, *want;
	} cases[] = {
		{ "a\n", "a\n", "" },
		{ "", "a\n", "--- x\n+++ y\n@@ -0,0 +1,1 @@\n+a\n" },
		{ "a\n", "", "--- x\n+++ y\n@@ -1,1 +0,0 @@\n-a\n" },
		{ "a\nb\nc\n", "a\nB\nc\n", "--- x\n+++ y\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n" },
		{ "a", "a\n",
		  "--- x\n+++ y\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n" },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nX\n",
		  "--- x\n+++ y\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+X\n" },
		{ "A\n1\n2\n3\n4\n5\n6\n7\nB\n", "1\n2\n3\n4\n5\n6\n7\n",
		  "--- x\n+++ y\n@@ -1,4 +1,3 @@\n-A\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-B\n" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct udiff_opts o = { .from = "x", .to = "y" };
		struct buf b;

		buf_init(&b, &a);
		udiff(&b, str_of(cases[i].x), str_of(cases[i].y), &o);
		ASSERT_STR_M(cases[i].y, str_of(cases[i].want), buf_str(&b));
	}
	PASS();
}

/* Applies a diff of whole lines to x; the result must be y. */
static struct str patched(struct arena *a, struct str x, struct str diff)
{
	struct str line;
	struct buf b;
	size_t at = 0, n;

	buf_init(&b, a);
	while (str_line(&diff, &line)) {
		if (str_starts(line, S("---")) || str_starts(line, S("+++")))
			continue;
		if (line.p[0] == '@') {
			long from = strtol(line.p + 4, NULL, 10);
			const char *comma = strchr(line.p, ',');
			long count = strtol(comma + 1, NULL, 10);

			/* text before the hunk is kept */
			for (n = (size_t)(count ? from - 1 : from); at < n; at++) {
				struct str keep;

				(void)str_line(&x, &keep);
				buf_addf(&b, "%.*s\n", STRF(keep));
			}
			continue;
		}
		if (line.p[0] != '+') {
			struct str old;

			if (!str_line(&x, &old) || !str_eq(old, str_from(line, 1)))
				return S("hunk does not fit");
			at++;
		}
		if (line.p[0] != '-')
			buf_addf(&b, "%.*s\n", STRF(str_from(line, 1)));
	}
	buf_add(&b, x);
	return buf_str(&b);
}

TEST generated_diffs_apply(void)
{
	struct test_rng rng = { 3 };

	for (int i = 0; i < 3000; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct udiff_opts o = { .from = "x", .to = "y" };
		struct buf x, y, d;
		uint32_t n = test_rand(&rng, 40);

		buf_init(&x, &a);
		buf_init(&y, &a);
		buf_init(&d, &a);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t w = test_rand(&rng, 6);

			if (test_rand(&rng, 5))
				buf_addf(&x, "%u\n", w);
			if (test_rand(&rng, 5))
				buf_addf(&y, "%u\n", test_rand(&rng, 8) ? w : w + 10);
		}
		udiff(&d, buf_str(&x), buf_str(&y), &o);
		ASSERT_STR_M("patched", buf_str(&y), patched(&a, buf_str(&x), buf_str(&d)));
	}
	PASS();
}

TEST very_different_texts_are_quick(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct udiff_opts o = { .from = "x", .to = "y", .colour = true };
	struct buf x, y, d;

	buf_init(&x, &a);
	buf_init(&y, &a);
	buf_init(&d, &a);
	for (int i = 0; i < 50000; i++) {
		buf_addf(&x, "x%d\n", i);
		buf_addf(&y, "y%d\n", i);
	}
	udiff(&d, buf_str(&x), buf_str(&y), &o);
	ASSERT(str_find(buf_str(&d), S("@@ -1,50000 +1,50000 @@")) > 0);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(small_diffs);
	RUN_TEST(generated_diffs_apply);
	RUN_TEST(very_different_texts_are_quick);
}

TEST_MAIN(suite)
