/* The API types, and through them data/shape: how Go decodes and encodes a document. */
#include "../test.h"

#include <dirent.h>

#include "data/docs.h"
#include "data/yml.h"
#include "mc/types.h"

#define GOLDEN "test/golden/controllers"

struct hold_case {
	const char *name;
	uint16_t type;
	unsigned mode;
	const char *in;
	const char *out; /* marshalled, or the error */
	bool fails;
};

static const struct hold_case cases[] = {
	{ "zero values without omitempty are written", MC_T_MachineConfigPoolSpec, 0, "{}",
	  "{\"paused\":false,\"configuration\":{}}", false },
	{ "omitted: zero scalars, empty lists and maps; kept: pointers to zero",
	  MC_T_KubeletConfigSpec, 0,
	  "{\"autoSizingReserved\":false,\"logLevel\":0,"
	  "\"machineConfigPoolSelector\":{\"matchLabels\":{}}}",
	  "{\"autoSizingReserved\":false,\"logLevel\":0,"
	  "\"machineConfigPoolSelector\":{}}",
	  false },
	{ "unknown members go, null is absent", MC_T_NodeSpec, 0,
	  "{\"x\":1,\"cgroupMode\":null,\"workerLatencyProfile\":\"Default\"}",
	  "{\"workerLatencyProfile\":\"Default\",\"minimumKubeletVersion\":\"\"}", false },
	{ "names are exact", MC_T_NodeSpec, 0, "{\"CgroupMode\":\"v2\"}",
	  "{\"minimumKubeletVersion\":\"\"}", false },
	{ "names in any case with encoding/json", MC_T_NodeSpec, SHAPE_FOLD,
	  "{\"CGROUPmode\":\"v2\"}", "{\"cgroupMode\":\"v2\",\"minimumKubeletVersion\":\"\"}",
	  false },
	{ "of a repeated member the last counts", MC_T_NodeSpec, 0,
	  "{\"cgroupMode\":\"v1\",\"cgroupMode\":\"v2\"}",
	  "{\"cgroupMode\":\"v2\",\"minimumKubeletVersion\":\"\"}", false },
	{ "a repeated object adds to the first", MC_T_KubeletAuthentication, 0,
	  "{\"x509\":{\"clientCAFile\":\"a\"},\"x509\":{},"
	  "\"anonymous\":{\"enabled\":false}}",
	  "{\"x509\":{\"clientCAFile\":\"a\"},\"webhook\":{\"cacheTTL\":"
	  "\"0s\"},\"anonymous\":{\"enabled\":false}}",
	  false },
	{ "maps are sorted, lists stay", MC_T_ObjectMeta, 0,
	  "{\"labels\":{\"b\":\"2\",\"a\":\"1\"},\"finalizers\":[\"z\",\"y\"]}",
	  "{\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"finalizers\":[\"z\",\"y\"]}", false },
	{ "times are UTC and whole seconds", MC_T_ObjectMeta, 0,
	  "{\"creationTimestamp\":\"2026-11-16T12:30:01.9+02:00\"}",
	  "{\"creationTimestamp\":\"2026-11-16T10:30:01Z\"}", false },
	{ "an absent time without omitzero is null", MC_T_KubeletConfigCondition, 0,
	  "{\"type\":\"Success\"}", "{\"type\":\"Success\",\"lastTransitionTime\":null}", false },
	{ "bytes are base64, nil is null", MC_T_ImageRegistryBundle, 0, "{\"file\":\"a\"}",
	  "{\"file\":\"a\",\"data\":null}", false },
	{ "base64 is written anew", MC_T_ImageRegistryBundle, 0,
	  "{\"file\":\"a\",\"data\":\"Z2\\n9v\"}", "{\"file\":\"a\",\"data\":\"Z29v\"}", false },
	{ "int or string", MC_T_MachineConfigPoolSpec, 0, "{\"maxUnavailable\":\"10%\"}",
	  "{\"paused\":false,\"maxUnavailable\":\"10%\",\"configuration\":{}}", false },
	{ "durations and quantities in their own form", MC_T_ContainerRuntimeConfiguration, 0,
	  "{\"logSizeMax\":8192,\"overlaySize\":\"1.5G\"}",
	  "{\"logSizeMax\":\"8192\",\"overlaySize\":\"1500M\"}", false },
	{ "raw JSON stays as it is", MC_T_MachineConfigSpec, 0,
	  "{\"config\":{\"z\":1.50,\"a\":[null]}}",
	  "{\"osImageURL\":\"\",\"baseOSExtensionsContainerImage\":\"\","
	  "\"config\":{\"z\":1.50,\"a\":[null]},\"kernelArguments\":null,"
	  "\"extensions\":null,\"fips\":false,\"kernelType\":\"\"}",
	  false },
	{ "no raw JSON is null", MC_T_MachineConfigSpec, 0, "{\"fips\":true}",
	  "{\"osImageURL\":\"\",\"baseOSExtensionsContainerImage\":\"\","
	  "\"config\":null,\"kernelArguments\":null,\"extensions\":null,"
	  "\"fips\":true,\"kernelType\":\"\"}",
	  false },

	{ "a string for a bool", MC_T_MachineConfig, 0, "{\"spec\":{\"fips\":\"yes\"}}",
	  "json: cannot unmarshal string into Go struct field "
	  "MachineConfigSpec.spec.fips of type bool",
	  true },
	{ "a bool for a name", MC_T_MachineConfig, 0, "{\"metadata\":{\"name\":true}}",
	  "json: cannot unmarshal bool into Go struct field "
	  "ObjectMeta.metadata.name of type string",
	  true },
	{ "a number for a list element", MC_T_MachineConfig, 0,
	  "{\"spec\":{\"kernelArguments\":[\"a\",1]}}",
	  "json: cannot unmarshal number into Go struct field "
	  "MachineConfigSpec.spec.kernelArguments of type string",
	  true },
	{ "an object for a list", MC_T_MachineConfig, 0, "{\"spec\":{\"kernelArguments\":{}}}",
	  "json: cannot unmarshal object into Go struct field "
	  "MachineConfigSpec.spec.kernelArguments of type []string",
	  true },
	{ "a list for a map", MC_T_MachineConfig, 0, "{\"metadata\":{\"labels\":[]}}",
	  "json: cannot unmarshal array into Go struct field "
	  "ObjectMeta.metadata.labels of type map[string]string",
	  true },
	{ "a string for a struct", MC_T_MachineConfigPool, 0,
	  "{\"spec\":{\"machineConfigSelector\":\"x\"}}",
	  "json: cannot unmarshal string into Go struct field "
	  "MachineConfigPoolSpec.spec.machineConfigSelector of type "
	  "v1.LabelSelector",
	  true },
	{ "the document itself", MC_T_MachineConfigPool, 0, "[]",
	  "json: cannot unmarshal array into Go value of type "
	  "v1.MachineConfigPool",
	  true },
	{ "named types have their names", MC_T_Node, 0, "{\"spec\":{\"cgroupMode\":1}}",
	  "json: cannot unmarshal number into Go struct field "
	  "NodeSpec.spec.cgroupMode of type v1.CgroupMode",
	  true },
	{ "an integer that is too large", MC_T_KubeletConfig, 0,
	  "{\"spec\":{\"logLevel\":2147483648}}",
	  "json: cannot unmarshal number 2147483648 into Go struct field "
	  "KubeletConfigSpec.spec.logLevel of type int32",
	  true },
	{ "a fraction for an integer", MC_T_KubeletConfig, 0, "{\"spec\":{\"logLevel\":1.5}}",
	  "json: cannot unmarshal number 1.5 into Go struct field "
	  "KubeletConfigSpec.spec.logLevel of type int32",
	  true },
	{ "the first of two faults, in the order of the text", MC_T_MachineConfig, 0,
	  "{\"spec\":{\"osImageURL\":1,\"fips\":1}}",
	  "json: cannot unmarshal number into Go struct field "
	  "MachineConfigSpec.spec.osImageURL of type string",
	  true },
	{ "the first of two faults, in the order of the keys", MC_T_MachineConfig, SHAPE_SORTED,
	  "{\"spec\":{\"osImageURL\":1,\"fips\":1}}",
	  "json: cannot unmarshal number into Go struct field "
	  "MachineConfigSpec.spec.fips of type bool",
	  true },
	{ "a duration's fault comes before a type's", MC_T_KubeletConfiguration, 0,
	  "{\"maxPods\":\"x\",\"syncFrequency\":\"often\"}", "time: invalid duration \"often\"",
	  true },
	{ "null is no duration", MC_T_KubeletConfiguration, 0, "{\"syncFrequency\":null}",
	  "time: invalid duration \"\"", true },
	{ "a number is no duration", MC_T_KubeletConfiguration, 0, "{\"syncFrequency\":10}",
	  "json: cannot unmarshal number into Go struct field "
	  "KubeletConfiguration.syncFrequency of type string",
	  true },
	{ "bad base64", MC_T_ImageRegistryBundle, 0, "{\"data\":\"Z2!v\"}",
	  "illegal base64 data at input byte 2", true },
	{ "a bad time", MC_T_ObjectMeta, 0, "{\"creationTimestamp\":\"2026-11-x\"}",
	  "parsing time \"2026-11-x\" as \"2006-01-02T15:04:05Z07:00\": "
	  "cannot parse \"x\" as \"02\"",
	  true },
	{ "a bad quantity", MC_T_ContainerRuntimeConfiguration, 0, "{\"logSizeMax\":\"5xi\"}",
	  "quantities must match the regular expression "
	  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
	  true },
	{ "a fraction is no int or string", MC_T_MachineConfigPoolSpec, 0,
	  "{\"maxUnavailable\":1.5}",
	  "json: cannot unmarshal number 1.5 into Go struct field "
	  "MachineConfigPoolSpec.maxUnavailable of type int32",
	  true },
};

TEST documents_are_held_and_written_as_go_does(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct hold_case *c = &cases[i];
		struct err err = ERR_INIT(&a);
		struct json *in, *held = NULL;
		struct buf b;
		int rc;

		ASSERT_INT_M(c->name, 0, json_parse(&a, str_of(c->in), NULL, &in, &err));
		rc = shape_hold(&a, &mc_shapes, c->type, c->mode, in, &held, &err);
		if (c->fails) {
			ASSERT_INT_M(c->name, -ERR_INVALID, rc);
			ASSERT_STR_M(c->name, str_of(c->out), err.msg);
			ASSERT_INT_M(c->name, -ERR_INVALID,
				     shape_hold(&a, &mc_shapes, c->type, c->mode, in, NULL, &err));
			ASSERT_STR_M(c->name, str_of(c->out), err.msg);
			continue;
		}
		ASSERT_STR_M(c->name, S(""), err.msg);
		ASSERT_INT_M(c->name, 0, rc);
		buf_init(&b, &a);
		json_encode(&b, shape_marshal(&a, &mc_shapes, c->type, held), 0);
		ASSERT_STR_M(c->name, str_of(c->out), buf_str(&b));
	}
	PASS();
}

TEST members_nobody_knows_are_told(void)
{
	static const struct {
		const char *path, *meant;
	} want[] = {
		{ "speck", "spec" },
		{ "spec.Paused", "paused" },
		{ "spec.machineConfigSelector.matchExpressions.1.operater", "operator" },
		{ "metadata.colour", "" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct shape_unknowns got = { 0 };
	struct json *in;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"speck\":1,\"spec\":{\"Paused\":true,"
				   "\"machineConfigSelector\":{\"matchLabels\":"
				   "{\"any\":\"x\"},\"matchExpressions\":[{},"
				   "{\"operater\":\"In\"}]}},"
				   "\"metadata\":{\"colour\":\"red\"}}"),
				 NULL, &in, &err));
	shape_find_unknown(&a, &mc_shapes, MC_T_MachineConfigPool, 0, in, S(""), &got);
	ASSERT_INT(4, got.n);
	for (size_t i = 0; i < 4; i++) {
		ASSERT_STR(want[i].path, got.v[i].path);
		ASSERT_STR(want[i].meant, got.v[i].meant);
	}
	PASS();
}

TEST names_in_any_case_are_known_when_folded(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct shape_unknowns got = { 0 };
	struct json *in;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"maxPodz\":1,\"MAXPODS\":2,"
				   "\"logging\":{\"colour\":\"red\"}}"),
				 NULL, &in, &err));
	shape_find_unknown(&a, &mc_shapes, MC_T_KubeletConfiguration, SHAPE_FOLD, in,
			   S("spec.kubeletConfig"), &got);
	ASSERT_INT(2, got.n);
	ASSERT_STR("spec.kubeletConfig.maxPodz", got.v[0].path);
	ASSERT_STR("maxPods", got.v[0].meant);
	ASSERT_STR("spec.kubeletConfig.logging.colour", got.v[1].path);
	PASS();
}

/* Of one case: the input file of that kind, and what upstream wrote for it. */
static enum greatest_test_res round_trip(struct arena *a, const char *name, const char *in,
					 const char *out, uint16_t type)
{
	struct err err = ERR_INIT(a);
	struct docs docs = { 0 };
	struct json *held;
	struct buf b;

	ASSERT_INT_M(name, 0, docs_parse(a, test_file(a, in), &docs, NULL, &err));
	ASSERT_INT_M(name, 0,
		     shape_hold(a, &mc_shapes, type, SHAPE_SORTED, docs.v[0].tree, &held, &err));
	buf_init(&b, a);
	ASSERT_INT_M(name, 0, yml_emit(&b, shape_marshal(a, &mc_shapes, type, held), &err));
	ASSERT_STR_M(name, test_file(a, out), buf_str(&b));
	PASS();
}

static bool is_file(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (f)
		(void)fclose(f);
	return f != NULL;
}

TEST golden_objects_come_back_as_upstream_wrote_them(void)
{
	static const struct {
		const char *in, *out;
		uint16_t type;
		int at_least;
	} kinds[] = {
		{ "input/controllerconfig.yaml",
		  "expected/controller-config/machine-config-controller.yaml",
		  MC_T_ControllerConfig, 50 },
		{ "input/apiserver.yaml", "expected/api-server/api-server.yaml", MC_T_APIServer,
		  2 },
	};
	int seen[2] = { 0 };
	DIR *d = opendir(GOLDEN);

	ASSERT(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		for (size_t k = 0; k < 2; k++) {
			AUTO(arena) struct arena a = ARENA_INIT;
			char *in =
				str_z(&a, str_fmt(&a, "%s/%s/%s", GOLDEN, e->d_name, kinds[k].in));
			char *out =
				str_z(&a, str_fmt(&a, "%s/%s/%s", GOLDEN, e->d_name, kinds[k].out));

			if (e->d_name[0] == '.' || !is_file(in) || !is_file(out))
				continue;
			CHECK_CALL(round_trip(&a, e->d_name, in, out, kinds[k].type));
			seen[k]++;
		}
	(void)closedir(d);
	for (size_t k = 0; k < 2; k++)
		ASSERT(seen[k] >= kinds[k].at_least);
	PASS();
}

SUITE(types)
{
	RUN_TEST(documents_are_held_and_written_as_go_does);
	RUN_TEST(members_nobody_knows_are_told);
	RUN_TEST(names_in_any_case_are_known_when_folded);
	RUN_TEST(golden_objects_come_back_as_upstream_wrote_them);
}

TEST_MAIN(types)
