/*
 * Documents of manifests, and the positions of faults in them.
 */
#include "../test.h"

#include "data/docs.h"

struct docs_case {
	const char *name, *in;
	/* "kind@line" of each document, "!line:col" of each fault */
	const char *want;
};

static const struct docs_case cases[] = {
	{ "all is well", "k: a\n---\nk: b\n", "a@1 b@3" },
	{ "a fault between", "k: a\n---\nk: [\n---\nk: b\n", "a@1 b@5 !4:1" },
	{ "faults only", "[\n---\n{\n", "!2:1 !4:1" },
	{ "a stream of JSON ends at its fault", "{\"k\":\"a\"}\n{\"k\" 1}\n", "a@1 !2:6" },
	{ "flow style is YAML", "{k: a}\n", "a@1" },
	{ "nothing", "", "" },
};

TEST all_documents_that_can_be_parsed(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct docs_case *c = &cases[i];
		struct err err = ERR_INIT(&a);
		struct docs_faults faults = { 0 };
		struct docs docs = { 0 };
		struct buf b;

		ASSERT_INT_M(c->name, 0, docs_parse_all(&a, str_of(c->in), &docs, &faults, &err));
		buf_init(&b, &a);
		for (size_t k = 0; k < docs.n; k++)
			buf_addf(&b, "%s%.*s@%zu", b.n ? " " : "",
				 STRF(json_str_or(docs.v[k].tree, "k", S("?"))), docs.v[k].line);
		for (size_t k = 0; k < faults.n; k++) {
			buf_addf(&b, "%s!%zu:%zu", b.n ? " " : "", faults.v[k].line,
				 faults.v[k].col);
			ASSERT(faults.v[k].problem.n);
		}
		ASSERT_STR_M(c->name, str_of(c->want), buf_str(&b));
	}
	PASS();
}

static void suite(void)
{
	RUN_TEST(all_documents_that_can_be_parsed);
}

TEST_MAIN(suite)
