#include "../test.h"

#include "base/rate.h"

#define SECOND 1000000u

static struct rate_slot slots[16];

static struct rate fresh(uint64_t every, uint64_t burst)
{
	memset(slots, 0, sizeof(slots));
	return (struct rate){ slots, 16, 42, every, burst };
}

TEST a_burst_then_steadily(void)
{
	struct rate r = fresh(SECOND, 3);
	uint64_t wait = 0, now = 77 * SECOND;

	for (int i = 0; i < 3; i++)
		ASSERT(rate_allow(&r, S("a"), now, &wait));
	ASSERT(!rate_allow(&r, S("a"), now, &wait));
	ASSERT_INT(SECOND, wait);
	ASSERT(!rate_allow(&r, S("a"), now + SECOND - 1, &wait));
	ASSERT_INT(1, wait);
	ASSERT(rate_allow(&r, S("a"), now + SECOND, &wait));
	ASSERT(!rate_allow(&r, S("a"), now + SECOND, &wait));
	/* a refused request takes no token */
	ASSERT(rate_allow(&r, S("a"), now + 2 * SECOND, &wait));
	/* idle time refills the burst, and not more */
	now += 1000 * SECOND;
	for (int i = 0; i < 3; i++)
		ASSERT(rate_allow(&r, S("a"), now, &wait));
	ASSERT(!rate_allow(&r, S("a"), now, &wait));
	PASS();
}

TEST keys_do_not_share(void)
{
	struct rate r = fresh(SECOND, 1);
	uint64_t wait, now = SECOND;

	ASSERT(rate_allow(&r, S("a"), now, &wait));
	ASSERT(rate_allow(&r, S("b"), now, &wait));
	ASSERT(!rate_allow(&r, S("a"), now, &wait));
	ASSERT(!rate_allow(&r, S("b"), now, &wait));
	PASS();
}

TEST more_keys_than_slots(void)
{
	struct rate r = fresh(SECOND, 1);
	uint64_t wait, now = SECOND;
	int allowed = 0;

	for (int i = 0; i < 10000; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		allowed += rate_allow(&r, str_fmt(&a, "k%d", i), now, &wait);
	}
	ASSERT_INT(10000, allowed);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(a_burst_then_steadily);
	RUN_TEST(keys_do_not_share);
	RUN_TEST(more_keys_than_slots);
}

TEST_MAIN(suite)
