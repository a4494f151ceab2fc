/*
 * TOML: values, faults, and writing.
 */
#include "../test.h"

#include "data/toml.h"

static const struct {
	const char *name, *json, *toml;
} cases[] = {
	{ "scalars come before tables", "{\"a\":{\"t\":{\"x\":1},\"s\":\"v\"},\"n\":0,\"b\":true}",
	  "n = 0\nb = true\n\n[a]\n  s = \"v\"\n  [a.t]\n    x = 1\n" },
	{ "no blank line at the start", "{\"crio\":{\"runtime\":{\"pids_limit\":0}}}",
	  "[crio]\n  [crio.runtime]\n    pids_limit = 0\n" },
	{ "tables without members are written", "{\"crio\":{\"runtime\":{}}}",
	  "[crio]\n  [crio.runtime]\n" },
	{ "lists on one line", "{\"l\":[\"a\",\"b\"],\"e\":[]}", "l = [\"a\", \"b\"]\ne = []\n" },
	{ "arrays of tables with a blank line each",
	  "{\"r\":[{\"l\":\"x\",\"m\":[{\"l\":\"y\"},{\"l\":\"z\"}]},{\"l\":"
	  "\"w\"}]}",
	  "[[r]]\n  l = \"x\"\n\n  [[r.m]]\n    l = \"y\"\n\n  [[r.m]]\n"
	  "    l = \"z\"\n\n[[r]]\n  l = \"w\"\n" },
	{ "keys are quoted where they must be", "{\"a b\":1,\"\":2,\"c.d\":{\"e\":3}}",
	  "\"a b\" = 1\n\"\" = 2\n\n[\"c.d\"]\n  e = 3\n" },
	{ "strings are escaped",
	  "{\"s\":\"q\\\" b\\\\ \\t\\n\\r\\b\\f \\u0000\\u000b\\u001f\\u007f "
	  "\xC3\xA9\"}",
	  "s = \"q\\\" b\\\\ \\t\\n\\r\\b\\f \\u0000\\u000b\\u001f\\u007f "
	  "\xC3\xA9\"\n" },
	{ "null is left out", "{\"a\":null,\"b\":1}", "b = 1\n" },
	{ "a table among other things is inline", "{\"l\":[1,{\"a\":2,\"b\":[3]}]}",
	  "l = [1, {a = 2, b = [3]}]\n" },
};

TEST trees_are_written_as_the_reference_does(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct json *j;
		struct buf b;

		ASSERT_INT_M(cases[i].name, 0,
			     json_parse(&a, str_of(cases[i].json), NULL, &j, &err));
		buf_init(&b, &a);
		toml_emit(&b, j);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].toml), buf_str(&b));
		/* and parses to the same again, except nulls */
		if (str_find(str_of(cases[i].json), S("null")) >= 0)
			continue;
		struct json *again = NULL;
		int rc = toml_parse(&a, buf_str(&b), &again, &err);

		ASSERT_INT_M(cases[i].name, 0, rc);
		ASSERT_INT_M(cases[i].name, true, json_eq(j, again));
	}
	PASS();
}

TEST dots_stand_between_digits(void)
{
	static const char *const bad[] = { "a = .5", "a = 5.", "a = -.5", "a = 5.e3" };
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = ERR_INIT(&a);
		struct json *j;

		ASSERT_INT_M(bad[i], -ERR_INVALID, toml_parse(&a, str_of(bad[i]), &j, &err));
		ASSERT_STR_M(bad[i],
			     str_fmt(&a,
				     "toml: line 1 (last key \"a\"): expected "
				     "value but found \"%s\" instead",
				     bad[i] + 4),
			     err.msg);
	}
	PASS();
}

SUITE(toml)
{
	RUN_TEST(dots_stand_between_digits);
	RUN_TEST(trees_are_written_as_the_reference_does);
}

TEST_MAIN(toml)
