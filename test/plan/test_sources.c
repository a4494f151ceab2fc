/* The MachineConfigs that a rendered config came from, and a pool's last config. */
#include "plan/sources.h"
#include "../test.h"

#define API "---\napiVersion: machineconfiguration.openshift.io/v1\n"
#define MC(name, role)                                      \
	API "kind: MachineConfig\nmetadata:\n  name: " name \
	    "\n  labels: {machineconfiguration.openshift.io/role: " role "}\nspec: {fips: true}\n"
#define POOL(name, more)                                        \
	API "kind: MachineConfigPool\nmetadata: {name: " name   \
	    "}\nspec:\n  machineConfigSelector: {matchLabels: " \
	    "{machineconfiguration.openshift.io/role: worker}}\n" more
#define HEX "0123456789abcdef0123456789abcdef"

static const char cluster[] = MC("50-b", "worker") MC("40-a", "worker") MC("60-x", "other")
	MC("rendered-worker-" HEX, "none") MC("rendered-worker-old", "none")
		MC("rendered-worker-x-" HEX, "none") MC("rendered-owned", "none")
			MC("rendered-nobody-" HEX, "none")
				POOL("worker",
				     "  configuration: {name: rendered-worker-old, source: [{name: "
				     "60-x}, {name: gone}]}\n"
				     "status:\n  configuration: {name: rendered-worker-" HEX "}\n")
					POOL("worker-x", "")
						POOL("empty", "  configuration: {name: gone}\n");

static void load(struct arena *a, struct mc_set *set)
{
	struct err err = ERR_INIT(a);
	struct mc_fault fault = { 0 };
	struct json *meta;

	if (mc_load(a, S("x"), str_of(cluster), set, &fault, &err) < 0)
		(void)printf("load: %.*s\n", STRF(fault.problem));
	/* rendered-owned belongs to the pool only by its owner reference */
	meta = json_at(set->mcs.v[6]->doc.tree, "metadata");
	json_set(meta, S("ownerReferences"), json_new(a, JSON_ARRAY));
	json_push(json_at(meta, "ownerReferences"), json_new(a, JSON_OBJECT));
	json_add_str(a, json_first(json_at(meta, "ownerReferences")), "kind",
		     S("MachineConfigPool"));
	json_add_str(a, json_first(json_at(meta, "ownerReferences")), "name", S("worker-x"));
}

static const struct {
	size_t mc;
	const char *want; /* pool: sources / missing */
} cases[] = {
	{ 0, ": 50-b /" }, /* no rendered config */
	{ 3, "worker: 40-a 50-b /" }, /* no list: the configs that the pool selects */
	{ 4, "worker: 60-x / gone" }, /* the list that the pool stores */
	{ 5, "worker-x: 40-a 50-b /" }, /* not of pool worker */
	{ 6, "worker-x: 40-a 50-b /" },
	{ 7, ": rendered-nobody-" HEX " /" }, /* its pool was deleted */
};

TEST where_configs_come_from(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 };

	load(&a, &set);
	ASSERT_EQ(8, set.mcs.n);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rendered_from f;
		struct buf b;

		plan_sources(&a, &set, set.mcs.v[cases[i].mc], &f);
		buf_init(&b, &a);
		if (f.pool)
			buf_add(&b, f.pool->meta.name);
		buf_addz(&b, ":");
		for (size_t k = 0; k < f.mcs.n; k++)
			buf_addf(&b, " %.*s", STRF(f.mcs.v[k]->meta.name));
		buf_addz(&b, " /");
		for (size_t k = 0; k < f.missing.n; k++)
			buf_addf(&b, " %.*s", STRF(f.missing.v[k]));
		ASSERT_STR(cases[i].want, buf_str(&b));
	}
	PASS();
}

TEST the_last_config(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 };

	load(&a, &set);
	ASSERT_STR("rendered-worker-old", plan_last_good(&set, set.pools.v[0])->meta.name);
	/* its target was deleted: the config of its nodes */
	set.mcs.v[4]->meta.name = S("another");
	ASSERT_STR("rendered-worker-" HEX, plan_last_good(&set, set.pools.v[0])->meta.name);
	ASSERT_EQ(NULL, plan_last_good(&set, set.pools.v[1]));
	ASSERT_EQ(NULL, plan_last_good(&set, set.pools.v[2]));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(where_configs_come_from);
	RUN_TEST(the_last_config);
}

TEST_MAIN(suite)
