/*
 * mc/find: which object an argument names, and the message when there is none.
 */
#include "../test.h"

#include "mc/find.h"

#define MANIFESTS                                                                     \
	"apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\n" \
	"metadata:\n  name: worker\n---\n"                                            \
	"apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\n" \
	"metadata:\n  name: infra\n---\n"                                             \
	"apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n"     \
	"metadata:\n  name: 50-motd\n---\n"                                           \
	"apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  annotations:\n"          \
	"    machineconfiguration.openshift.io/currentConfig: 50-motd\n---\n"         \
	"apiVersion: v1\nkind: Node\nmetadata:\n  name: b\n  annotations:\n"          \
	"    machineconfiguration.openshift.io/currentConfig: rendered-gone\n---\n"   \
	"apiVersion: v1\nkind: Node\nmetadata:\n  name: c\n"

static const struct {
	const char *word, *mc, *pool, *error;
} cases[] = {
	{ "worker", "", "worker", "" },
	{ "mcp/infra", "", "infra", "" },
	{ "50-motd", "50-motd", "", "" },
	{ "mc/50-motd", "50-motd", "", "" },
	{ "node/a", "50-motd", "", "" },
	{ "node/b", "", "",
	  "node b: no MachineConfig \"rendered-gone\" among the manifests, which is its current "
	  "config" },
	{ "node/c", "", "",
	  "node c has no current config: the annotation "
	  "machineconfiguration.openshift.io/currentConfig is not set" },
	{ "node/d", "", "", "no Node \"d\" among the manifests" },
	{ "mcp/workers", "", "",
	  "no MachineConfigPool \"workers\" among the manifests (did you mean worker?): the "
	  "pools are worker, infra" },
	{ "mc/50-mot", "", "",
	  "no MachineConfig \"50-mot\" among the manifests (did you mean 50-motd?)" },
	{ "nothing-alike", "", "",
	  "\"nothing-alike\" is neither a MachineConfigPool nor a MachineConfig among the "
	  "manifests" },
};

TEST words(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_set set = { 0 };
	struct mc_fault fault;

	ASSERT_INT(0, mc_load(&a, S("x.yaml"), S(MANIFESTS), &set, &fault, &err));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err why = ERR_INIT(&a);
		struct mcp *pool = NULL;
		struct mc *mc = NULL;
		int rc = mc_find_named(&a, &set, str_of(cases[i].word), &mc, &pool, &why);

		ASSERT_INT_M(cases[i].word, *cases[i].error ? -ERR_NOTFOUND : 0, rc);
		ASSERT_STR_M(cases[i].word, str_of(cases[i].error), why.msg);
		ASSERT_STR_M(cases[i].word, str_of(cases[i].mc), mc ? mc->meta.name : S(""));
		ASSERT_STR_M(cases[i].word, str_of(cases[i].pool), pool ? pool->meta.name : S(""));
	}
	PASS();
}

TEST no_pool(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_set set = { .live = true };
	struct mcp *pool = NULL;

	ASSERT_INT(-ERR_NOTFOUND, mc_find_pool(&a, &set, S("worker"), &pool, &err));
	ASSERT_STR("no MachineConfigPool in the cluster", err.msg);
	PASS();
}

SUITE(find)
{
	RUN_TEST(words);
	RUN_TEST(no_pool);
}

TEST_MAIN(find)
