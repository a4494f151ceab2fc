/*
 * Upstream's golden cases of the running operator, in process: what the steps write must equal what
 * upstream wrote.
 */
#include "operator_case.h"

static void load(const char *name, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;
	size_t *bad = ctx;

	operator_case_load(&a, name, CASE_AT_REST, &c);
	if (!operator_case_get(&c.view, OPERATOR_CLUSTER_OPERATORS, S("machine-config")) ||
	    !c.view.gates.enabled.n || !c.view.images.n) {
		(void)printf("%s: not complete\n", name);
		(*bad)++;
	}
}

TEST every_case_loads(void)
{
	size_t bad = 0;
	size_t n = operator_cases(load, &bad);

	(void)printf("%zu cases\n", n);
	ASSERT_INT(0, (int)bad);
	ASSERT_INT(61, (int)n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(every_case_loads);
}

TEST_MAIN(suite)
