/* Doubling delays, jitter, and the retries of a work queue. */
#include "../test.h"

#include "base/backoff.h"

TEST waits_double_up_to_the_cap(void)
{
	static const struct {
		const char *name;
		int64_t first, cap;
		unsigned n;
		int64_t want;
	} cases[] = {
		{ "the first", 800, 30000, 0, 800 },
		{ "the second", 800, 30000, 1, 1600 },
		{ "below the cap", 800, 30000, 5, 25600 },
		{ "beyond the cap", 800, 30000, 6, 30000 },
		{ "far beyond", 800, 30000, UINT32_MAX, 30000 },
		{ "a cap that is a power", 1, 8, 3, 8 },
		{ "a cap below the first", 10, 5, 0, 5 },
		{ "nothing stays nothing", 0, 30000, UINT32_MAX, 0 },
		{ "no cap", 5000, BACKOFF_NO_CAP, 4, 80000 },
		{ "no cap, no overflow", 5000, BACKOFF_NO_CAP, 1000, INT64_MAX },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_INT_M(cases[i].name, cases[i].want,
			     backoff_ms(cases[i].first, cases[i].cap, cases[i].n));
	PASS();
}

TEST jitter_adds_less_than_its_share(void)
{
	ASSERT_INT(1000, backoff_jitter(1000, 100, 0));
	ASSERT_INT(1999, backoff_jitter(1000, 100, 999));
	ASSERT_INT(1000, backoff_jitter(1000, 100, 1000));
	ASSERT_INT(26000 + 31199, backoff_jitter(26000, 120, 31199));
	ASSERT_INT(26000, backoff_jitter(26000, 120, 31200));
	ASSERT_INT(1000 + (int64_t)(UINT64_MAX % 1000), backoff_jitter(1000, 100, UINT64_MAX));
	ASSERT_INT(1000, backoff_jitter(1000, 0, 77));
	ASSERT_INT(0, backoff_jitter(0, 100, 77));
	PASS();
}

TEST keys_are_retried_as_upstreams(void)
{
	unsigned failures = 0;
	int64_t sum = 0;

	ASSERT_INT(5, backoff_next(&failures, BACKOFF_RETRIES));
	ASSERT_INT(10, backoff_next(&failures, BACKOFF_RETRIES));
	for (int i = 2; i < BACKOFF_RETRIES; i++)
		sum = backoff_next(&failures, BACKOFF_RETRIES);
	ASSERT_INT(81920, sum);
	ASSERT_INT(60000, backoff_next(&failures, BACKOFF_RETRIES));
	ASSERT_INT(5, backoff_next(&failures, BACKOFF_RETRIES));
	failures = 17;
	ASSERT_INT(655360, backoff_next(&failures, BACKOFF_RETRIES_KUBELET));
	failures = 30;
	ASSERT_INT(1000000, backoff_next(&failures, 99));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(waits_double_up_to_the_cap);
	RUN_TEST(jitter_adds_less_than_its_share);
	RUN_TEST(keys_are_retried_as_upstreams);
}

TEST_MAIN(suite)
