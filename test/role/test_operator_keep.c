/* What the operator's caches keep of objects: what a step needs, and nothing else. */
#include "../test.h"
#include "plan/operator/op_apply.h"
#include "plan/operator_manifests.h"
#include "role/operator/operator_state.h"

static const struct {
	const char *name;
	enum operator_kind kind;
	const char *in, *want; /* ' for "; want "": the object is ignored */
} cases[] = {
	{ "a Node without what changes often", OPERATOR_NODES,
	  "{'kind':'Node','metadata':{'name':'a','uid':'u','resourceVersion':'7','labels':{'l':''},"
	  "'annotations':{'machineconfiguration.openshift.io/desiredConfig':'r','x':'y'}},"
	  "'spec':{'taints':[]},'status':{'nodeInfo':{'osImage':'CoreOS','kernelVersion':'6'},"
	  "'conditions':[]}}",
	  "{'kind':'Node','metadata':{'name':'a','uid':'u','labels':{'l':''},'annotations':{"
	  "'machineconfiguration.openshift.io/desiredConfig':'r'}},'status':{'nodeInfo':{"
	  "'osImage':'CoreOS'}}}" },
	{ "a MachineConfigNode without its status", OPERATOR_CONFIG_NODES,
	  "{'metadata':{'name':'a','managedFields':[]},'spec':{'pool':{'name':'p'}},"
	  "'status':{'conditions':[]}}",
	  "{'metadata':{'name':'a'},'spec':{'pool':{'name':'p'}}}" },
	{ "a MachineConfig without its Ignition config", OPERATOR_MACHINE_CONFIGS,
	  "{'metadata':{'name':'a','annotations':{'k':'v'}},'spec':{'osImageURL':'u','config':{}}}",
	  "{'metadata':{'name':'a','annotations':{'k':'v'}},'spec':{'osImageURL':'u'}}" },
	{ "our ClusterOperator, whole", OPERATOR_CLUSTER_OPERATORS,
	  "{'metadata':{'name':'machine-config','resourceVersion':'1'},'status':{'versions':[]}}",
	  "{'metadata':{'name':'machine-config'},'status':{'versions':[]}}" },
	{ "that the registry's exists", OPERATOR_CLUSTER_OPERATORS,
	  "{'metadata':{'name':'image-registry'},'status':{'versions':[]}}",
	  "{'metadata':{'name':'image-registry'}}" },
	{ "no other ClusterOperator", OPERATOR_CLUSTER_OPERATORS, "{'metadata':{'name':'dns'}}",
	  "" },
	{ "no ClusterRole of others", OPERATOR_CLUSTER_ROLES, "{'metadata':{'name':'admin'}}", "" },
	{ "no dashboard", OPERATOR_CONFIG_MAPS_MANAGED, "{'metadata':{'name':'dashboard'}}", "" },
	{ "the boot images without the stream", OPERATOR_CONFIG_MAPS,
	  "{'metadata':{'name':'coreos-bootimages'},'data':{'stream':'{}','MCOVersionHash':'h'}}",
	  "{'metadata':{'name':'coreos-bootimages'},'data':{'MCOVersionHash':'h'}}" },
	{ "a Secret without its data", OPERATOR_SECRETS,
	  "{'metadata':{'name':'key'},'type':'Opaque','data':{'a':'Yg=='}}",
	  "{'metadata':{'name':'key'},'type':'Opaque'}" },
	{ "a pull secret with its data", OPERATOR_SECRETS,
	  "{'metadata':{'name':'p'},'type':'kubernetes.io/dockercfg','data':{'a':'Yg=='}}",
	  "{'metadata':{'name':'p'},'type':'kubernetes.io/dockercfg','data':{'a':'Yg=='}}" },
	{ "a copy that is compared, of whatever type", OPERATOR_SECRETS,
	  "{'metadata':{'name':'global-pull-secret-copy'},'type':'Opaque','data':{'a':'Yg=='}}",
	  "{'metadata':{'name':'global-pull-secret-copy'},'type':'Opaque','data':{'a':'Yg=='}}" },
	{ "no credentials of the machine API", OPERATOR_SECRETS_MACHINE_API,
	  "{'metadata':{'name':'aws-cloud-credentials'},'data':{'a':'Yg=='}}", "" },
	{ "the user data", OPERATOR_SECRETS_MACHINE_API,
	  "{'metadata':{'name':'worker-user-data-managed'},'data':{'a':'Yg=='}}",
	  "{'metadata':{'name':'worker-user-data-managed'},'data':{'a':'Yg=='}}" },
};

static struct str quoted(struct arena *a, const char *text)
{
	char *z = str_z(a, str_of(text));

	for (char *p = z; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return str_of(z);
}

TEST keeps_what_steps_read(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct json *in = NULL, *got;

		ASSERT_INT_M(cases[i].name, 0,
			     json_parse(&a, quoted(&a, cases[i].in), NULL, &in, &err));
		got = operator_keep(&a, cases[i].kind, in);
		ASSERT_STR_M(cases[i].name, quoted(&a, cases[i].want),
			     got ? json_format(&a, got, 0) : S(""));
	}
	PASS();
}

/* A manifest's object that the cache ignores would be created again and again. */
TEST keeps_every_object_of_the_manifests(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str names[] = { S("OSStreams"), S("NoRegistryClusterInstall"),
			       S("ManagedBootImagesCPMS") };
	struct mc_gates gates = { .enabled = { .v = names, .n = ARRAY_LEN(names) } };
	struct operator_values values = { .machineConfigOperator = S("i"),
					  .kubeRbacProxy = S("k"),
					  .gates = &gates };
	struct operator_file files[COMPONENTS];
	size_t n = 0;

	operator_manifests(&a, files);
	for (int c = 0; c < COMPONENTS; c++) {
		struct operator_objects list = { 0 };

		operator_objects(&a, &files[c], &values, &list);
		for (size_t i = 0; i < list.n; i++, n++) {
			struct str name = json_str(list.v[i], "metadata.name");
			enum operator_kind kind = operator_kind_of(list.v[i]);

			ASSERTm(str_z(&a, name), kind != OPERATOR_KINDS);
			ASSERTm(str_z(&a, name), operator_keep(&a, kind, list.v[i]));
		}
	}
	ASSERT(n > 50);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(keeps_what_steps_read);
	RUN_TEST(keeps_every_object_of_the_manifests);
}

TEST_MAIN(suite)
