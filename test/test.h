/*
 * Shared by all tests: greatest, and assertions on our types that print the expected and the actual
 * value.
 */
#ifndef TEST_TEST_H
#define TEST_TEST_H

#include <greatest.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

/* Prints bytes so that each can be identified. */
static inline void test_show(const char *what, struct str s)
{
	(void)printf("  %-9s\"", what);
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '\n')
			(void)printf("\\n");
		else if (c < 0x20 || c == 0x7F || c == '"' || c == '\\')
			(void)printf("\\x%02x", c);
		else
			(void)putchar(c);
	}
	(void)printf("\"\n");
}

static inline bool test_same(const char *name, struct str want, struct str got)
{
	if (str_eq(want, got))
		return true;
	(void)printf("%s\n", name);
	test_show("expected", want);
	test_show("got", got);
	return false;
}

/* For tables: name is that of the case. */
#define ASSERT_STR_M(name, want, got)                  \
	do {                                           \
		if (!test_same((name), (want), (got))) \
			FAILm(name);                   \
	} while (0)
#define ASSERT_STR(want, got) ASSERT_STR_M(#got, str_of(want), (got))

#define ASSERT_INT_M(name, want, got)                                                       \
	do {                                                                                \
		long long want_ = (want), got_ = (got);                                     \
		if (want_ != got_) {                                                        \
			(void)printf("%s: expected %lld, got %lld\n", (name), want_, got_); \
			FAILm(name);                                                        \
		}                                                                           \
	} while (0)
#define ASSERT_INT(want, got) ASSERT_INT_M(#got, (want), (got))

/* A pseudo-random generator with a seed, for generated cases. */
struct test_rng {
	uint64_t state;
};

static inline uint32_t test_rand(struct test_rng *r, uint32_t below)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(r->state >> 33) % below;
}

/* A whole file; aborts when it cannot be read. */
static inline struct str test_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct buf b;

	buf_init(&b, a);
	if (!f) {
		(void)fprintf(stderr, "cannot open %s\n", path);
		abort();
	}
	for (;;) {
		size_t n;

		buf_reserve(&b, 65536);
		n = fread(b.p + b.n, 1, 65536, f);
		b.n += n;
		if (n == 0)
			break;
	}
	(void)fclose(f);
	return buf_str(&b);
}

#define TEST_MAIN(suite_name)           \
	GREATEST_MAIN_DEFS();           \
	int main(int argc, char **argv) \
	{                               \
		GREATEST_MAIN_BEGIN();  \
		RUN_SUITE(suite_name);  \
		GREATEST_MAIN_END();    \
	}

#endif
