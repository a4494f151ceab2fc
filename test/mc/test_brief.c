/* MachineConfigs without their contents. */
#include "mc/brief.h"

#include "../test.h"

#define DOC                                                                             \
	"{\"kind\":\"MachineConfig\",\"metadata\":{\"name\":\"rendered-w-1\","          \
	"\"managedFields\":[1],\"annotations\":{\"a\":\"b\"}},\"spec\":{\"fips\":true," \
	"\"config\":{\"ignition\":{\"version\":\"3.5.0\"},\"x\":1}}}"

static struct json *parse(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	if (json_parse(a, str_of(text), NULL, &j, &err) < 0)
		abort();
	return j;
}

TEST which(void)
{
	static const struct {
		const char *text;
		bool may;
	} cases[] = {
		{ DOC, true },
		{ "{\"metadata\":{\"name\":\"rendered-w-1\",\"labels\":{}}}", true },
		{ "{\"metadata\":{\"name\":\"rendered-w-1\",\"labels\":{\"a\":\"b\"}}}", false },
		{ "{\"metadata\":{\"name\":\"99-worker-ssh\"}}", false },
		{ "{}", false },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_INT_M(cases[i].text, cases[i].may,
			     mc_may_be_brief(parse(&a, cases[i].text)));
	PASS();
}

TEST contents(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *tree = parse(&a, DOC);
	struct mc mc = { .doc.tree = mc_brief_tree(&a, tree) };

	ASSERT_STR("{\"kind\":\"MachineConfig\",\"metadata\":{\"name\":\"rendered-w-1\","
		   "\"annotations\":{\"a\":\"b\"}},\"spec\":{\"fips\":true}}",
		   json_format(&a, mc.doc.tree, 0));
	ASSERT_STR("{\"kind\":\"MachineConfig\",\"metadata\":{\"name\":\"rendered-w-1\","
		   "\"annotations\":{\"a\":\"b\"}},\"spec\":{\"fips\":true,\"config\":{"
		   "\"ignition\":{\"version\":\"3.5.0\"},\"x\":1}}}",
		   json_format(&a, mc_brief_complete(&a, &mc, tree), 0));
	ASSERT_INT(1, json_len(json_at(tree, "spec.config.ignition")));
	PASS();
}

TEST digests(void)
{
	static const struct {
		const char *text;
		bool same;
	} cases[] = {
		{ "{\"spec\":{\"config\":{\"x\":1,\"ignition\":{\"version\":\"3.5.0\"}}}}", true },
		{ "{\"spec\":{\"config\":{\"x\":2,\"ignition\":{\"version\":\"3.5.0\"}}}}", false },
		{ "{\"spec\":{}}", false },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str want = mc_config_digest(&a, parse(&a, DOC));

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_INT_M(cases[i].text, cases[i].same,
			     str_eq(want, mc_config_digest(&a, parse(&a, cases[i].text))));
	PASS();
}

SUITE(brief)
{
	RUN_TEST(which);
	RUN_TEST(contents);
	RUN_TEST(digests);
}

TEST_MAIN(brief)
