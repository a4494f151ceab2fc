#include "../test.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

TEST allocations_are_zeroed_and_aligned(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t n = 0; n < 5000; n += 37) {
		unsigned char *p = arena_alloc(&a, n);

		ASSERT_INT(0, (long long)((uintptr_t)p % 16));
		for (size_t i = 0; i < n; i++) {
			ASSERT_INT(0, p[i]);
			p[i] = 0xFF;
		}
	}
	PASS();
}

TEST growing_keeps_the_contents(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	char *p = arena_dup(&a, "abc", 3);

	p = arena_grow(&a, p, 4, 100);
	ASSERT_STR_EQ("abc", p);
	(void)arena_alloc(&a, 1); /* p is no longer the newest allocation */
	p = arena_grow(&a, p, 100, 100000);
	ASSERT_STR_EQ("abc", p);
	PASS();
}

TEST large_requests_get_their_own_block(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	char *p = arena_alloc(&a, 5u << 20);

	p[(5u << 20) - 1] = 1;
	memset(arena_alloc(&a, 10), 1, 10);
	PASS();
}

TEST a_freed_arena_can_be_used_again(void)
{
	struct arena a = ARENA_INIT;

	(void)arena_alloc(&a, 100);
	arena_free(&a);
	ASSERT_STR_EQ("x", arena_dup(&a, "x", 1));
	arena_free(&a);
	arena_free(&a);
	PASS();
}

/* Not when each allocation is a malloc of its own. */
#ifndef ARENA_MALLOC
TEST blocks_of_an_odd_size_are_reused(void)
{
	struct arena a = ARENA_INIT, b = ARENA_INIT;
	const void *first = arena_alloc(&a, 3000), *second = arena_alloc(&a, 5000);

	arena_free(&a);
	ASSERT_EQ(first, arena_alloc(&b, 3000));
	ASSERT_EQ(second, arena_alloc(&b, 5000));
	arena_free(&b);
	PASS();
}
#endif

TEST a_vector_grows(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	VEC(int) v = { 0 };

	for (int i = 0; i < 1000; i++)
		VEC_PUSH(&a, &v, i);
	ASSERT_INT(1000, (long long)v.n);
	for (int i = 0; i < 1000; i++)
		ASSERT_INT(i, v.v[i]);
	PASS();
}

TEST a_map_finds_and_keeps_order(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	static int values[2000];
	struct map m;

	map_init(&m, &a);
	ASSERT(!map_get(&m, S("none")));
	for (size_t i = 0; i < 2000; i++)
		ASSERT(map_put(&m, str_fmt(&a, "key-%zu", i), &values[i]));
	for (size_t i = 0; i < 2000; i++) {
		struct str key = str_fmt(&a, "key-%zu", i);

		ASSERT(map_get(&m, key) == &values[i]);
		ASSERT_STR_M("order", key, m.v[i].key);
	}
	ASSERT(!map_put(&m, S("key-7"), &values[0]));
	ASSERT(map_get(&m, S("key-7")) == &values[0]);
	ASSERT_INT(2000, (long long)m.n);
	ASSERT(!map_find(&m, S("key-2000")));
	ASSERT(map_put(&m, S(""), &values[1]));
	ASSERT(map_get(&m, S("")) == &values[1]);
	PASS();
}

TEST what_is_used_again_is_zero(void)
{
	for (int round = 0; round < 3; round++) {
		struct arena a = ARENA_INIT;

		for (size_t n = 100; n < 400000; n += n / 2) {
			unsigned char *p = arena_alloc(&a, n);

			for (size_t i = 0; i < n; i++)
				ASSERT_EQ(0, p[i]);
			memset(p, 0xff, n);
		}
		arena_free(&a);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(what_is_used_again_is_zero);
	RUN_TEST(allocations_are_zeroed_and_aligned);
	RUN_TEST(growing_keeps_the_contents);
	RUN_TEST(large_requests_get_their_own_block);
	RUN_TEST(a_freed_arena_can_be_used_again);
#ifndef ARENA_MALLOC
	RUN_TEST(blocks_of_an_odd_size_are_reused);
#endif
	RUN_TEST(a_vector_grows);
	RUN_TEST(a_map_finds_and_keeps_order);
}

TEST_MAIN(suite)
