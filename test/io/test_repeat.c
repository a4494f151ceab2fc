/* A repeated failure is logged once, then with back-off. */
#include "../test.h"

#include "io/repeat.h"

static struct repeats r;

static bool due(const char *object, const char *text, int64_t now)
{
	unsigned held;

	return repeat_due(&r, LOG_ERROR, str_of(object), str_of(text), now, &held);
}

TEST the_first_is_logged_and_repeats_back_off(void)
{
	int64_t at = 0, last = 0, wait = REPEAT_FIRST_MS;
	unsigned held, lines = 0;

	r = (struct repeats){ 0 };
	for (; at < 86400000; at += 1000) {
		if (!repeat_due(&r, LOG_INFO, S("pool"), S("bad"), at, &held))
			continue;
		ASSERT_INT(lines ? wait / 1000 - 1 : 0, held);
		ASSERT_INT(lines ? wait : 0, at - last);
		if (lines++)
			wait = wait * 2 < REPEAT_LAST_MS ? wait * 2 : REPEAT_LAST_MS;
		last = at;
	}
	ASSERT_INT(30, lines); /* for one failure per second during a day */
	PASS();
}

TEST another_text_or_object_is_logged_at_once(void)
{
	r = (struct repeats){ 0 };
	ASSERT(due("pool", "bad", 0));
	ASSERT(due("pool", "worse", 1));
	ASSERT(due("other", "bad", 2));
	/* alternating texts do not flood the log */
	ASSERT(!due("pool", "bad", 3));
	ASSERT(!due("pool", "worse", 4));
	PASS();
}

TEST what_was_well_in_between_is_logged_again(void)
{
	unsigned held;

	r = (struct repeats){ 0 };
	ASSERT(!repeat_over(&r, S("pool")));
	ASSERT(due("pool", "bad", 0));
	ASSERT(due("pool", "worse", 0));
	ASSERT(due("other", "bad", 0));
	ASSERT(repeat_over(&r, S("pool")));
	ASSERT(!repeat_over(&r, S("pool")));
	ASSERT(due("pool", "bad", 1));
	ASSERT(due("pool", "worse", 1));
	ASSERT(!due("other", "bad", 1));
	/* the end of an INFO wait is not logged */
	ASSERT(repeat_due(&r, LOG_INFO, S("wait"), S("for it"), 1, &held));
	ASSERT(!repeat_over(&r, S("wait")));
	ASSERT(repeat_due(&r, LOG_INFO, S("wait"), S("for it"), 1, &held));
	PASS();
}

TEST the_oldest_makes_room(void)
{
	char name[16];

	r = (struct repeats){ 0 };
	for (int i = 0; i < REPEATS; i++) {
		(void)snprintf(name, sizeof(name), "o%d", i);
		ASSERT(due(name, "bad", i));
	}
	ASSERT(!due("o0", "bad", REPEATS));
	ASSERT(due("one more", "bad", REPEATS));
	ASSERT(!due("o1", "bad", REPEATS));
	ASSERT(due("o0", "bad", REPEATS));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(the_first_is_logged_and_repeats_back_off);
	RUN_TEST(another_text_or_object_is_logged_at_once);
	RUN_TEST(what_was_well_in_between_is_logged_again);
	RUN_TEST(the_oldest_makes_room);
}

TEST_MAIN(suite)
