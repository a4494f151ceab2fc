/* Scopes of registry rules, and the MachineConfigs that controllers generate. */
#include "mc/generated.h"
#include "mc/made_by.h"
#include "mc/scope.h"
#include "../test.h"

static const struct {
	const char *sub, *super;
	bool inside;
} scopes[] = {
	{ "h.example", "h.example", true },
	{ "h.example/a", "h.example", true },
	{ "h.example/ab", "h.example/a", false },
	{ "h.example/a/b", "h.example/a", true },
	{ "h.example", "h.example/a", false },
	{ "h.example:5000", "h.example", false },
	{ "a.h.example", "*.h.example", true },
	{ "b.a.h.example/x", "*.h.example", true },
	{ "*.a.h.example", "*.h.example", true },
	{ "*.h.example/x", "*.h.example", true },
	{ "h.example", "*.h.example", false },
	{ "ah.example", "*.h.example", false },
	{ "a.h.example:5000/x", "*.h.example", true },
	{ "q/a.h.example", "*.h.example", false },
	{ "q/a.h.example:400", "*.h.example", false },
	{ ".h.example", "*.h.example", true },
	{ "/a", "", true },
};

TEST nesting(void)
{
	for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct str sub = str_of(scopes[i].sub);
		struct scope_set set;

		ASSERT_INT_M(scopes[i].sub, scopes[i].inside,
			     scope_inside(sub, str_of(scopes[i].super)));
		/* a set of scopes gives the same answer */
		scope_set_init(&set, &a);
		scope_set_add(&set, S("other.example"), NULL);
		scope_set_add(&set, str_of(scopes[i].super), NULL);
		ASSERT_INT_M(scopes[i].sub, scopes[i].inside, scope_set_has(&set, sub));
	}
	PASS();
}

TEST valid_scopes(void)
{
	ASSERT(scope_is_valid(S("h.example/a:b@c")));
	ASSERT(scope_is_valid(S("*.example")));
	ASSERT(scope_is_valid(S("*.")));
	ASSERT(!scope_is_valid(S("")));
	ASSERT(!scope_is_valid(S("h.*.example")));
	ASSERT(!scope_is_valid(S("*example")));
	ASSERT(!scope_is_valid(S("*.example/a")));
	ASSERT(!scope_is_valid(S("*.*.example")));
	ASSERT(scope_is_source(S("*.example")));
	ASSERT(scope_is_source(S("h:1/a")));
	ASSERT(!scope_is_source(S("*.example:1")));
	ASSERT(!scope_is_source(S("*.example/a")));
	ASSERT(!scope_is_source(S("*")));
	PASS();
}

#define ZEROS                                                               \
	"\"osImageURL\":\"\",\"baseOSExtensionsContainerImage\":\"\","      \
	"\"kernelType\":\"\",\"kernelArguments\":null,\"extensions\":null," \
	"\"fips\":false"

TEST a_generated_config(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_files files = { 0 };
	struct mc *mc;
	struct buf b;

	mc_files_add(&a, &files, "/etc/x", S("hi"));
	mc = mc_generated(&a, mc_generated_name(&a, "99", S("infra"), "registries"), S("infra"),
			  &files);
	mc_annotate(&a, mc, S("k"), S("v"));
	mc_annotate(&a, mc, S("k"), S("w"));
	mc_set_owner(&a, mc, S("config.openshift.io/v1"), S("Image"), S(""), S(""), false);
	ASSERT_STR("w", mc_annotation(&mc->meta, "k"));
	ASSERT_STR("99-infra-generated-registries", mc->meta.name);
	buf_init(&b, &a);
	json_encode(&b, mc->doc.tree, 0);
	ASSERT_STR("{\"apiVersion\":\"machineconfiguration.openshift.io/v1\","
		   "\"kind\":\"MachineConfig\",\"metadata\":{\"labels\":"
		   "{\"machineconfiguration.openshift.io/role\":\"infra\"},"
		   "\"name\":\"99-infra-generated-registries\",\"annotations\":"
		   "{\"k\":\"w\"},\"ownerReferences\":[{\"apiVersion\":"
		   "\"config.openshift.io/v1\",\"kind\":\"Image\",\"name\":\"\","
		   "\"uid\":\"\"}]},\"spec\":{\"config\":{\"ignition\":"
		   "{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"contents\":"
		   "{\"compression\":\"\",\"source\":\"data:text/plain;charset="
		   "utf-8;base64,aGk=\"},\"mode\":420,\"overwrite\":true,\"path\":"
		   "\"/etc/x\"}]}}," ZEROS "}}",
		   buf_str(&b));
	ASSERT(str_starts(mc_config_text(&a, mc), S("{\"ignition\"")));
	PASS();
}

/* As upstream writes it: no empty section. */
TEST a_generated_config_without_files(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_files files = { 0 };
	struct mc *mc = mc_generated(&a, S("n"), S("infra"), &files);
	struct buf b;

	buf_init(&b, &a);
	json_encode(&b, json_at(mc->doc.tree, "spec"), 0);
	ASSERT_STR("{\"config\":{\"ignition\":{\"version\":\"3.5.0\"}}," ZEROS "}", buf_str(&b));
	PASS();
}

static struct mc *made(struct arena *a, const char *name, const char *owner, const char *hash)
{
	struct err err = ERR_INIT(a);
	struct mc *mc = ARENA_NEW(a, struct mc);

	(void)json_parse(a,
			 str_fmt(a,
				 "{\"metadata\":{\"ownerReferences\":[{"
				 "\"kind\":\"%s\"}],\"annotations\":{\"%s\":"
				 "\"%s\"}}}",
				 owner, ANNO_BY_CONTROLLER, hash),
			 NULL, &mc->doc.tree, &err);
	mc->meta.name = str_of(name);
	mc->meta.annotations = json_at(mc->doc.tree, "metadata.annotations");
	return mc;
}

/* The cluster's version, next to objects that older versions left behind. */
TEST who_made_a_cluster(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mcp pool = { 0 };
	struct mcp_list pools = { 0 };
	struct mc_list mcs = { 0 };
	struct json *j = NULL;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"spec\":{\"configuration\":{\"name\":"
				   "\"rendered-w-2\"}}}"),
				 NULL, &j, &err));
	pool.tree = j;
	VEC_PUSH(&a, &pools, &pool);
	ASSERT_STR("", made_by(NULL, &mcs, &pools).hash);
	ASSERT_STR("", made_by(NULL, &mcs, &pools).raw);
	VEC_PUSH(&a, &mcs, made(&a, "50-mine", "", ""));
	ASSERT_STR("", made_by(NULL, &mcs, &pools).hash);
	VEC_PUSH(&a, &mcs, made(&a, "rendered-w-1", "MachineConfigPool", "old"));
	ASSERT_STR("old", made_by(NULL, &mcs, &pools).hash);
	VEC_PUSH(&a, &mcs, made(&a, "99-w-generated", "KubeletConfig", "gen"));
	ASSERT_STR("gen", made_by(NULL, &mcs, &pools).hash);
	VEC_PUSH(&a, &mcs, made(&a, "rendered-w-2", "MachineConfigPool", "now"));
	ASSERT_STR("now", made_by(NULL, &mcs, &pools).hash);
	ASSERT_STR("gen", made_by(NULL, &mcs, NULL).hash);
	VEC_PUSH(&a, &mcs, made(&a, "00-worker", "ControllerConfig", "new"));
	VEC_PUSH(&a, &mcs, made(&a, "rendered-z", "MachineConfigPool", "old"));
	ASSERT_STR("new", made_by(NULL, &mcs, &pools).hash);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(nesting);
	RUN_TEST(valid_scopes);
	RUN_TEST(a_generated_config);
	RUN_TEST(a_generated_config_without_files);
	RUN_TEST(who_made_a_cluster);
}

TEST_MAIN(suite)
