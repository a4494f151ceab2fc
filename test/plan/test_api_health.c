/* The state of a machine's own API server, from its health checks. */
#include "../test.h"

#include "plan/api_health.h"

struct health_case {
	const char *name;
	const char *checks; /* + success, - failure */
	const char *changes; /* after which check: U up, D down */
};

static const struct health_case cases[] = {
	{ "one success is up", "+", "U" },
	{ "up once", "+++", "U  " },
	{ "seven failures change nothing", "-------", "       " },
	{ "the eighth is down", "---------", "       D " },
	{ "seven failures of an API server that was up", "+-------+-------", "U               " },
	{ "the eighth in a row", "+--------", "U       D" },
	{ "a success counts anew", "+-------+--------", "U               D" },
	{ "up again with one success", "+--------+", "U       DU" },
	{ "down once", "+---------", "U       D " },
};

TEST changes(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct api_health h = { 0 };
		struct buf b;

		buf_init(&b, &a);
		for (const char *c = cases[i].checks; *c; c++)
			buf_addc(&b, !api_health_note(&h, *c == '+') ? ' '
				     : h.state == API_HEALTH_UP	     ? 'U'
								     : 'D');
		ASSERT_STR_M(cases[i].name, str_of(cases[i].changes), buf_str(&b));
	}
	PASS();
}

SUITE(api_health)
{
	RUN_TEST(changes);
}

TEST_MAIN(api_health)
