/* The arguments that name configs. */
#include "mc/ref.h"
#include "../test.h"

#define GROUP "machineconfiguration.openshift.io"
#define USE ": use mcp/NAME, mc/NAME or node/NAME"

static const struct {
	const char *word;
	enum mc_ref_type type;
	const char *name, *error;
} cases[] = {
	{ "worker", MC_REF_ANY, "worker", NULL },
	{ "mcp/worker", MC_REF_POOL, "worker", NULL },
	{ "machineconfigpool/worker", MC_REF_POOL, "worker", NULL },
	{ "machineconfigpools/worker", MC_REF_POOL, "worker", NULL },
	{ "MachineConfigPool/worker", MC_REF_POOL, "worker", NULL },
	{ "mc/a", MC_REF_CONFIG, "a", NULL },
	{ "machineconfigs/a", MC_REF_CONFIG, "a", NULL },
	{ "machineconfig." GROUP "/a", MC_REF_CONFIG, "a", NULL },
	{ "machineconfigs.v1." GROUP "/a", MC_REF_CONFIG, "a", NULL },
	{ "no/n1", MC_REF_NODE, "n1", NULL },
	{ "nodes/n1", MC_REF_NODE, "n1", NULL },
	{ "nodes.v1./n1", MC_REF_NODE, "n1", NULL },
	{ "node." GROUP "/n1", MC_REF_ANY, NULL,
	  "no resource type \"node." GROUP "\" has configs" USE },
	{ "machineconfig.config.openshift.io/a", MC_REF_ANY, NULL,
	  "no resource type \"machineconfig.config.openshift.io\" has "
	  "configs" USE },
	{ "nod/n1", MC_REF_ANY, NULL,
	  "no resource type \"nod\" has configs (did you mean node?)" USE },
	{ "machineconfigpol/w", MC_REF_ANY, NULL,
	  "no resource type \"machineconfigpol\" has configs (did you mean "
	  "machineconfigpool?)" USE },
	{ "secret/x", MC_REF_ANY, NULL, "no resource type \"secret\" has configs" USE },
	{ "mcp/", MC_REF_ANY, NULL, "\"mcp/\" has no name" USE },
	{ "mcp/a/b", MC_REF_ANY, NULL, "\"mcp/a/b\" has no name" USE },
	{ "", MC_REF_ANY, NULL, "\"\" has no name" USE },
};

TEST words(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct mc_ref ref = { MC_REF_NODE, S("untouched") };
		int rc = mc_ref_parse(str_of(cases[i].word), &ref, &err);

		ASSERT_INT_M(cases[i].word, cases[i].error ? -ERR_INVALID : 0, rc);
		if (cases[i].error) {
			ASSERT_STR(cases[i].error, err.msg);
			ASSERT_STR("untouched", ref.name);
			continue;
		}
		ASSERT_INT_M(cases[i].word, cases[i].type, ref.type);
		ASSERT_STR(cases[i].name, ref.name);
		ASSERT_INT_M(cases[i].word, cases[i].type != MC_REF_ANY,
			     mc_ref_typed(str_of(cases[i].word)));
	}
	PASS();
}

static const struct {
	const char *words[4], *joined[4];
} joins[] = {
	{ { "mcp", "worker" }, { "mcp/worker" } },
	{ { "node", "n1:/etc/x" }, { "node/n1:/etc/x" } },
	{ { "node", "n1", "/etc/x" }, { "node/n1", "/etc/x" } },
	{ { "mcp", "worker", "kernelArguments" }, { "mcp/worker", "kernelArguments" } },
	/* a pool with the name of a type */
	{ { "node", "/etc/x" }, { "node", "/etc/x" } },
	{ { "mc", "unit/kubelet.service" }, { "mc", "unit/kubelet.service" } },
	{ { "mcp" }, { "mcp" } },
	{ { "worker", "mcp" }, { "worker", "mcp" } },
	{ { NULL }, { NULL } },
};

TEST types_before_names(void)
{
	for (size_t i = 0; i < ARRAY_LEN(joins); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct strs in = { 0 }, out;
		size_t n = 0;

		for (size_t k = 0; k < 4 && joins[i].words[k]; k++)
			VEC_PUSH(&a, &in, str_of(joins[i].words[k]));
		out = mc_ref_join(&a, &in);
		for (; n < 4 && joins[i].joined[n]; n++) {
			ASSERT(n < out.n);
			ASSERT_STR(joins[i].joined[n], out.v[n]);
		}
		ASSERT_EQ(n, out.n);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(words);
	RUN_TEST(types_before_names);
}

TEST_MAIN(suite)
