/*
 * The [Install] section of unit files: an administrator's words that become
 * names of links. The first line is the unit's name.
 */
#include "fuzz.h"

#include "plan/install.h"

static void check(const struct strs *l, size_t max)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].n > max)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str text = { (const char *)data, n }, unit = S("");
	struct install out = { 0 };

	(void)str_line(&text, &unit);
	install_parse(&a, text, unit, &out);
	/* a specifier of two bytes expands to at most the unit's name */
	check(&out.wanted, n * (unit.n + 1));
	check(&out.alias, n * (unit.n + 1));
	check(&out.also, n * (unit.n + 1));
	return 0;
}
