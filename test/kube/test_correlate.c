/* Which events are aggregated and which are dropped, over time. */
#include "../test.h"
#include "kube/correlate.h"

#define MIN 60000

TEST alike_within_ten_minutes(void)
{
	static struct correlator c;
	int64_t now = 5 * MIN;

	c = (struct correlator){ 0 };
	for (uint64_t i = 1; i <= 9; i++)
		ASSERT(!correlate_combines(&c, 7, i, now));
	ASSERT(correlate_combines(&c, 7, 10, now));
	ASSERT(correlate_combines(&c, 7, 10, now));
	ASSERT(!correlate_combines(&c, 7, 9, now));
	ASSERT(!correlate_combines(&c, 8, 10, now));
	/* each event extends the aggregation by ten minutes */
	ASSERT(correlate_combines(&c, 7, 11, now += 10 * MIN));
	ASSERT(correlate_combines(&c, 7, 12, now += 10 * MIN));
	ASSERT(!correlate_combines(&c, 7, 13, now += 10 * MIN + 1));
	ASSERT(!correlate_combines(&c, 7, 14, now));
	PASS();
}

TEST allowed_of_an_object(void)
{
	static struct correlator c;
	int64_t now = 1000;

	c = (struct correlator){ 0 };
	for (int i = 0; i < 25; i++)
		ASSERT(correlate_allows(&c, 7, now));
	ASSERT(!correlate_allows(&c, 7, now));
	ASSERT(correlate_allows(&c, 8, now));
	ASSERT(!correlate_allows(&c, 7, now + 5 * MIN - 1));
	ASSERT(correlate_allows(&c, 7, now + 5 * MIN));
	ASSERT(!correlate_allows(&c, 7, now + 5 * MIN));
	/* never more than 25 at once */
	now += 10000 * (int64_t)MIN;
	for (int i = 0; i < 25; i++)
		ASSERT(correlate_allows(&c, 7, now));
	ASSERT(!correlate_allows(&c, 7, now));
	PASS();
}

/* The least recently used entry is evicted. */
TEST the_oldest_make_room(void)
{
	static struct correlator c;

	c = (struct correlator){ 0 };
	for (uint64_t i = 0; i < 25; i++)
		ASSERT(correlate_allows(&c, 1, 1));
	for (uint64_t i = 0; i < 9; i++)
		ASSERT(!correlate_combines(&c, 1, i, 1));
	for (uint64_t i = 2; i <= CORRELATE_KEPT; i++) {
		ASSERT(correlate_allows(&c, i, (int64_t)i));
		ASSERT(!correlate_combines(&c, i, 1, (int64_t)i));
	}
	ASSERT(!correlate_allows(&c, 1, CORRELATE_KEPT + 1));
	ASSERT(correlate_combines(&c, 1, 99, CORRELATE_KEPT + 1));
	/* 2 is the oldest now */
	ASSERT(correlate_allows(&c, 1000, CORRELATE_KEPT + 2));
	ASSERT(!correlate_combines(&c, 1000, 1, CORRELATE_KEPT + 2));
	ASSERT(!correlate_allows(&c, 1, CORRELATE_KEPT + 3));
	ASSERT(correlate_combines(&c, 1, 99, CORRELATE_KEPT + 3));
	PASS();
}

SUITE(correlate)
{
	RUN_TEST(alike_within_ten_minutes);
	RUN_TEST(allowed_of_an_object);
	RUN_TEST(the_oldest_make_room);
}

TEST_MAIN(correlate)
