/* Which pools a change wakes. */
#include "plan/trigger.h"

#include "fixture.h"

#define POOL(n)                                                              \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"       \
	"'MachineConfigPool','metadata':{'name':'" n "','uid':'uid-" n "'}," \
	"'spec':{'machineConfigSelector':{'matchLabels':{'role':'" n "'}}}}"
#define MC(role, spec, owner)                                            \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"   \
	"'MachineConfig','metadata':{'name':'m','labels':{'role':'" role \
	"'},'ownerReferences':[" owner "]},'spec':{" spec "}}"
#define OWNED(kind, uid) "{'controller':true,'kind':'" kind "','name':'b','uid':'" uid "'}"

struct mc_case {
	const char *name, *old, *new, *want;
};

static const struct mc_case cases[] = {
	{ "a new one", NULL, MC("a", "", ""), "a" },
	{ "one that went", MC("b", "", ""), NULL, "b" },
	{ "no change", MC("a", "", ""), MC("a", "", ""), "" },
	{ "another spec", MC("a", "", ""), MC("a", "'fips':true", ""), "a" },
	{ "moved to another pool", MC("a", "", ""), MC("b", "", ""), "a b" },
	{ "of no pool", NULL, MC("x", "", ""), "" },
	{ "a rendered one is its owner's", NULL, MC("a", "", OWNED("MachineConfigPool", "uid-b")),
	  "b" },
	{ "unless that is another pool of that name", NULL,
	  MC("a", "", OWNED("MachineConfigPool", "uid-x")), "a" },
	{ "or no pool at all", NULL, MC("a", "", OWNED("K", "uid-b")), "a" },
};

TEST machine_configs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		static const char *const texts[] = { POOL("a"), POOL("b") };
		struct mcp_list pools = { 0 }, queue = { 0 };
		struct err err = ERR_INIT(&a);
		struct buf b;

		for (size_t k = 0; k < 2; k++) {
			struct doc d = fx_doc(&a, texts[k]);
			struct mcp *p = ARENA_NEW(&a, struct mcp);

			ASSERT_INT(0, mcp_decode(&a, &d, p, &err));
			VEC_PUSH(&a, &pools, p);
		}
		trigger_mc(&a, &pools, cases[i].old ? fx_mc(&a, cases[i].old) : NULL,
			   cases[i].new ? fx_mc(&a, cases[i].new) : NULL, &queue);
		buf_init(&b, &a);
		for (size_t k = 0; k < queue.n; k++)
			buf_addf(&b, "%s%.*s", k ? " " : "", STRF(queue.v[k]->meta.name));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), buf_str(&b));
	}
	PASS();
}

#define MADE(name, role, owner)                                                           \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"                    \
	"'MachineConfig','metadata':{'name':'" name "','labels':{'" LABEL_ROLE "':'" role \
	"'},'annotations':{'" ANNO_BY_CONTROLLER "':'h'}" owner "},'spec':{}}"
#define BY(kind, name) ",'ownerReferences':[{'kind':'" kind "','name':'" name "'}]"

static struct mc_object *kubelet_of(struct arena *a, const char *text)
{
	struct mc_object *o = ARENA_NEW(a, struct mc_object);

	o->kind = MC_KUBELET_CONFIG;
	o->doc = fx_doc(a, text);
	o->tree = o->doc.tree;
	o->meta.name = json_str(o->tree, "metadata.name");
	o->meta.annotations = json_at(o->tree, "metadata.annotations");
	return o;
}

/* "kind:name" of the keys that a change wakes. */
static struct str makers_of(struct arena *a, const char *was, const char *is, bool selected)
{
	struct mc_object_list kubelets = { 0 }, runtimes = { 0 };
	struct generate_keys keys = { 0 };
	struct buf b;

	VEC_PUSH(a, &kubelets, kubelet_of(a, "{'metadata':{'name':'k'}}"));
	trigger_makers(a, was ? fx_mc(a, was) : NULL, is ? fx_mc(a, is) : NULL, selected, &kubelets,
		       &runtimes, &keys);
	buf_init(&b, a);
	for (size_t i = 0; i < keys.n; i++)
		buf_addf(&b, "%s%d:%.*s", i ? " " : "", keys.v[i].kind, STRF(keys.v[i].name));
	return buf_str(&b);
}

TEST makers(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const char *template = MADE("00-worker", "worker", BY("ControllerConfig", "cc"));
	const char *kubelet =
		MADE("99-worker-generated-kubelet", "worker", BY("KubeletConfig", "x"));
	const char *features = MADE("98-infra-generated-kubelet", "infra", "");
	struct str keys[] = {
		str_fmt(&a, "%d:cc", GENERATE_TEMPLATES),
		str_fmt(&a, "%d:x", GENERATE_KUBELET),
		str_fmt(&a, "%d:x %d:k", GENERATE_KUBELET, GENERATE_KUBELET),
		str_fmt(&a, "%d:pool/infra %d:pool/infra", GENERATE_NODE, GENERATE_FEATURES),
	};

	ASSERT_STR_M("a new one", S(""), makers_of(&a, NULL, template, true));
	ASSERT_STR_M("edited", keys[0], makers_of(&a, template, template, true));
	ASSERT_STR_M("deleted", keys[0], makers_of(&a, template, NULL, true));
	ASSERT_STR_M("of no pool", S(""), makers_of(&a, template, NULL, false));
	ASSERT_STR_M("edited, of a KubeletConfig", keys[1], makers_of(&a, kubelet, kubelet, true));
	ASSERT_STR_M("deleted: others have the name", keys[2], makers_of(&a, kubelet, NULL, true));
	ASSERT_STR_M("without an owner", keys[3], makers_of(&a, features, NULL, true));
	ASSERT_STR_M("a rendered one", S(""),
		     makers_of(&a, MADE("rendered-w-1", "worker", ""), NULL, true));
	PASS();
}

TEST objects(void)
{
	const unsigned kubelets =
		TRIGGER(GENERATE_NODE) | TRIGGER(GENERATE_FEATURES) | TRIGGER(GENERATE_KUBELET);
	const struct {
		enum mc_kind kind;
		bool has_node;
		unsigned want;
	} kinds[] = {
		{ MC_CLUSTER_VERSION, false, TRIGGER(GENERATE_REGISTRIES) },
		{ MC_IMAGE, true, TRIGGER(GENERATE_REGISTRIES) },
		{ MC_CONTENT_POLICY, false, TRIGGER(GENERATE_REGISTRIES) },
		{ MC_DIGEST_MIRRORS, false, TRIGGER(GENERATE_REGISTRIES) },
		{ MC_TAG_MIRRORS, false, TRIGGER(GENERATE_REGISTRIES) },
		{ MC_CLUSTER_IMAGE_POLICY, false, TRIGGER(GENERATE_REGISTRIES) },
		{ MC_IMAGE_POLICY, false, TRIGGER(GENERATE_REGISTRIES) },
		{ MC_CREDENTIALS, false, TRIGGER(GENERATE_CREDENTIALS) },
		{ MC_SECRET, true, TRIGGER(GENERATE_TEMPLATES) },
		{ MC_INTERNAL_RELEASE, true, TRIGGER(GENERATE_TEMPLATES) },
		{ MC_NODE_CONFIG, false, kubelets },
		{ MC_API_SERVER, false, TRIGGER(GENERATE_TEMPLATES) },
		{ MC_API_SERVER, true, TRIGGER(GENERATE_TEMPLATES) | kubelets },
		{ MC_KUBELET_CONFIG, true, 0 },
		{ MC_OTHER, true, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		ASSERT_INT((int)kinds[i].want,
			   (int)trigger_object(kinds[i].kind, kinds[i].has_node));
	PASS();
}

TEST others(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mcn m = { .pool = S("w"), .conditions = 1 }, n = m;
	struct mcn open = { .pool = S(MCN_NOT_YET_SET) };
	struct os_config c = { .pool = S("w") }, d = c;
	struct os_build b = { .pool = S("w") }, e = b;
	const struct json *x = fx_quote(&a, "{'spec':{'a':1},'status':{}}");
	const struct json *y = fx_quote(&a, "{'spec':{'a':1},'status':{'b':1}}");
	const struct json *z = fx_quote(&a, "{'spec':{'a':2}}");
	const struct json *gone =
		fx_quote(&a, "{'metadata':{'deletionTimestamp':'t'},'spec':{'a':1}}");

	ASSERT_STR("w", trigger_mcn(NULL, &m));
	ASSERT_STR("w", trigger_mcn(&m, NULL));
	ASSERT_STR("", trigger_mcn(&m, &n));
	n.conditions = 2;
	ASSERT_STR("w", trigger_mcn(&m, &n));
	ASSERT_STR("", trigger_mcn(NULL, &open));
	ASSERT_STR("", trigger_os_config(&c, &d));
	d.image = S("i");
	ASSERT_STR("w", trigger_os_config(&c, &d));
	ASSERT_STR("w", trigger_os_config(&c, NULL));
	ASSERT_STR("", trigger_os_build(&b, &e));
	e.failed = true;
	ASSERT_STR("w", trigger_os_build(&b, &e));
	ASSERT_STR("", trigger_os_build(&b, NULL));
	ASSERT(trigger_spec(NULL, x));
	ASSERT(!trigger_spec(x, y));
	ASSERT(trigger_spec(x, z));
	ASSERT(trigger_spec(x, gone));
	ASSERT(!trigger_spec(x, NULL));
	PASS();
}

/* Configs change every 100 ms: each pool is rendered when five times the quiet period
 * has passed since its first change, independent of other pools. */
TEST waits(void)
{
	int64_t a = 0, b = 0;

	ASSERT_INT(300, trigger_wait(&a, 1000, 1000, 300));
	for (int64_t now = 1100; now < 2500; now += 100) {
		ASSERT(trigger_wait(&a, now, now, 300) > 0);
		if (now >= 1200) /* the other pool starts later */
			ASSERT(trigger_wait(&b, now, now, 300) > 0);
	}
	ASSERT_INT(0, trigger_wait(&a, 2500, 2500, 300));
	ASSERT_INT(200, trigger_wait(&b, 2500, 2500, 300));
	/* the rendered pool starts a new wait, the other does not */
	ASSERT_INT(300, trigger_wait(&a, 2600, 2600, 300));
	ASSERT_INT(0, trigger_wait(&b, 2700, 2700, 300));
	/* then no more changes come */
	ASSERT_INT(100, trigger_wait(&a, 2900, 2700, 300));
	ASSERT_INT(0, trigger_wait(&a, 3000, 2700, 300));
	ASSERT_INT(0, trigger_wait(&a, 9000, 2700, 300));
	PASS();
}

SUITE(trigger)
{
	RUN_TEST(machine_configs);
	RUN_TEST(makers);
	RUN_TEST(objects);
	RUN_TEST(others);
	RUN_TEST(waits);
}

TEST_MAIN(trigger)
