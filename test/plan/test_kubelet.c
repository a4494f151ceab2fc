/* Code of plan/kubelet and plan/runtime that the golden cases do not reach. */
#include "../test.h"

#include "mc/contents.h"
#include "mc/load.h"
#include "plan/config/kubelet.h"
#include "plan/config/runtime.h"

#define HEAD                                                 \
	"apiVersion: machineconfiguration.openshift.io/v1\n" \
	"kind: KubeletConfig\nmetadata: {name: k}\nspec: "
#define JSON_HEAD                                                            \
	"{\"apiVersion\":\"machineconfiguration.openshift.io/v1\",\"kind\":" \
	"\"KubeletConfig\",\"metadata\":{\"name\":\"k\"},\"spec\":"
#define RUNTIME_HEAD                                         \
	"apiVersion: machineconfiguration.openshift.io/v1\n" \
	"kind: ContainerRuntimeConfig\nmetadata: {name: c}\nspec: "

static struct mc_object *object(struct arena *a, const char *manifest)
{
	struct err err = ERR_INIT(a);
	struct mc_set set = { 0 };
	struct mc_fault f;

	if (mc_load(a, S("f"), str_of(manifest), &set, &f, &err) < 0 || !set.others.n) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
	return set.others.v[0];
}

static struct str file_of(struct arena *a, struct mc *mc, const char *path)
{
	struct err err = ERR_INIT(a);
	const struct ign_obj *f;
	struct str out = S("(absent)");

	if (mc_validate(a, mc, &err) < 0)
		return err.msg;
	f = mc_find_file(mc->ignition, str_of(path));
	if (f && mc_contents(a, f, &out, &err) < 0)
		return err.msg;
	return out;
}

static const struct {
	const char *name, *base, *kc;
	const char *has; /* a line of kubelet.conf, or the error */
	const char *lacks;
} kubelet_cases[] = {
	{ "an empty list changes nothing", "clusterDNS: [a]\n",
	  HEAD "{kubeletConfig: {allowedUnsafeSysctls: [], tlsCipherSuites: "
	       "[x]}}",
	  "clusterDNS:\n- a\n", "allowedUnsafeSysctls" },
	{ "a list replaces the other", "tlsCipherSuites: [a, b]\n",
	  HEAD "{kubeletConfig: {tlsCipherSuites: [c]}}", "tlsCipherSuites:\n- c\ntlsMin", NULL },
	{ "nested objects merge", "authentication: {webhook: {enabled: true}}",
	  HEAD "{kubeletConfig: {authentication: {x509: {clientCAFile: f}, "
	       "webhook: {cacheTTL: 2m}}}}",
	  "  webhook:\n    cacheTTL: 2m0s\n    enabled: true\n  x509:\n"
	  "    clientCAFile: f\n",
	  NULL },
	{ "an optional object is taken whole, then merged", "tracing: {endpoint: e}\n",
	  HEAD "{kubeletConfig: {tracing: {samplingRatePerMillion: 0}, "
	       "userNamespaces: {idsPerPod: 0}}}",
	  "tracing:\n  endpoint: e\n  samplingRatePerMillion: 0\n"
	  "userNamespaces:\n  idsPerPod: 0\n",
	  NULL },
	{ "maps of lists merge by key", "staticPodURLHeader: {a: [x], b: [y]}\n",
	  HEAD "{kubeletConfig: {staticPodURLHeader: {b: [z], c: []}}}",
	  "staticPodURLHeader:\n  a:\n  - x\n  b:\n  - z\n  c: []\n", NULL },
	{ "a zero duration does not undo one", "syncFrequency: 30s\n",
	  HEAD "{kubeletConfig: {syncFrequency: 0s}}", "syncFrequency: 30s\n", NULL },
	{ "flushFrequency as nanoseconds", "logging: {flushFrequency: 5}\n",
	  HEAD "{kubeletConfig: {logging: {flushFrequency: 7}}}", "flushFrequency: 7\n", NULL },
	{ "flushFrequency as text stays text", "logging: {flushFrequency: 5s}\n",
	  HEAD "{kubeletConfig: {logging: {flushFrequency: 7000000000}}}", "flushFrequency: 7s\n",
	  NULL },
	{ "infoBufferSize is never merged", "logging: {options: {json: {infoBufferSize: 1Ki}}}\n",
	  HEAD "{kubeletConfig: {logging: {options: {json: {infoBufferSize: "
	       "2Ki}, text: {infoBufferSize: 3Ki, splitStream: true}}}}}",
	  "    json:\n      infoBufferSize: 1Ki\n    text:\n"
	  "      infoBufferSize: \"0\"\n      splitStream: true\n",
	  NULL },
	{ "floats are written as Go does", "",
	  HEAD "{kubeletConfig: {memoryThrottlingFactor: 0.80}}", "memoryThrottlingFactor: 0.8\n",
	  NULL },
	{ "lists of objects write their zeros", "",
	  HEAD "{kubeletConfig: {registerWithTaints: [{key: k}], "
	       "reservedMemory: [{numaNode: 0, limits: {memory: 1024Ki}}]}}",
	  "registerWithTaints:\n- effect: \"\"\n  key: k\nreservedMemory:\n"
	  "- limits:\n    memory: 1Mi\n  numaNode: 0\n",
	  NULL },
	{ "protectKernelDefaults: false is seen in YAML", "protectKernelDefaults: true\n",
	  HEAD "{kubeletConfig: {protectKernelDefaults: false}}",
	  "kind: ", "protectKernelDefaults" },
	{ "and in compact JSON", "protectKernelDefaults: true\n",
	  JSON_HEAD "{\"kubeletConfig\":{\"protectKernelDefaults\":false}}}",
	  "kind: ", "protectKernelDefaults" },
	{ "but not with a blank", "protectKernelDefaults: true\n",
	  JSON_HEAD "{\"kubeletConfig\":{\"protectKernelDefaults\": false}}}",
	  "protectKernelDefaults: true\n", NULL },
	{ "numbers become text where the templates' YAML has them",
	  "containerLogMaxSize: 50\nclusterDNS: [10, true]\n", HEAD "{autoSizingReserved: true}",
	  "clusterDNS:\n- \"10\"\n- \"true\"\ncontainerLogMaxSize: \"50\"\n", NULL },
	{ "but not in a KubeletConfig", "", HEAD "{kubeletConfig: {containerLogMaxSize: 50}}",
	  "KubeletConfig could not be unmarshalled, err: json: cannot "
	  "unmarshal number into Go struct field "
	  "KubeletConfiguration.containerLogMaxSize of type string",
	  NULL },
	{ "the first fault in order of keys", "",
	  HEAD "{kubeletConfig: {maxPods: x, kubeAPIBurst: y}}",
	  "KubeletConfig could not be unmarshalled, err: json: cannot "
	  "unmarshal bool into Go struct field "
	  "KubeletConfiguration.kubeAPIBurst of type int32",
	  NULL },
	{ "what the templates have must be readable", "maxPods: many\n", HEAD "{}",
	  "could not deserialize the Kubelet source: json: cannot unmarshal "
	  "string into Go struct field KubeletConfiguration.maxPods of type "
	  "int32",
	  NULL },
	{ "log level below the range", "", HEAD "{logLevel: -1}",
	  "KubeletConfig's LogLevel is not valid [0,10]: -1", NULL },
};

static struct str run_kubelet(struct arena *a, const char *base, const char *manifest)
{
	struct kubelet_in in = {
		.pool = S("worker"),
		.base = str_fmt(a,
				"kind: KubeletConfiguration\n"
				"tlsMinVersion: VersionTLS12\n%s",
				base),
	};
	struct err err = ERR_INIT(a);
	struct mc_object *kc = object(a, manifest);
	struct mc *mc;

	if (kubelet_validate(a, kc, &err) < 0 || kubelet_config(a, &in, kc, S("n"), &mc, &err) < 0)
		return err.msg;
	return file_of(a, mc, KUBELET_CONF);
}

TEST kubelet_configs(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(kubelet_cases); i++) {
		struct str got = run_kubelet(&a, kubelet_cases[i].base, kubelet_cases[i].kc);

		if (str_find(got, str_of(kubelet_cases[i].has)) < 0)
			ASSERT_STR_M(kubelet_cases[i].name, str_of(kubelet_cases[i].has), got);
		if (kubelet_cases[i].lacks && str_find(got, str_of(kubelet_cases[i].lacks)) >= 0)
			ASSERT_STR_M(kubelet_cases[i].name, S("(absent)"), got);
	}
	PASS();
}

TEST kernel_arguments_of_cgroups(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str v[] = { S("quiet"), S("systemd.unified_cgroup_hierarchy=0"),
			   S("systemd.legacy_systemd_cgroup_controller=1"),
			   S("cgroup_no_v1=\"all\"") };
	struct strs now = { v, 4, 4 };
	struct kubelet_in in = { .pool = S("master"),
				 .base = S("kind: KubeletConfiguration\n"),
				 .hash = S("h") };
	struct mc *mc;

	ASSERT_INT(0, kubelet_node(&a, &in, &now, &mc, &err));
	ASSERT_STR("97-master-generated-kubelet", mc->meta.name);
	ASSERT_STR("h", mc_annotation(&mc->meta, ANNO_BY_CONTROLLER));
	ASSERT_INT(3, mc->kargs.n);
	ASSERT_STR("quiet", mc->kargs.v[0]);
	ASSERT_STR("cgroup_no_v1=\"all\"", mc->kargs.v[1]);
	ASSERT_STR("systemd.unified_cgroup_hierarchy=1", mc->kargs.v[2]);
	ASSERT_INT(3, json_len(json_at(mc->doc.tree, "spec.kernelArguments")));

	/* in a running cluster those of a custom pool stay unchanged */
	ASSERT_INT(0, kubelet_node(&a, &in, NULL, &mc, &err));
	ASSERT_INT(0, mc->kargs.n);
	PASS();
}

TEST an_unknown_profile_stops_only_the_node_config(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct strs now = { 0 };
	struct mc_object *node = object(&a, "apiVersion: config.openshift.io/v1\nkind: Node\n"
					    "spec: {workerLatencyProfile: Never}\n");
	struct kubelet_in in = {
		.pool = S("worker"),
		.base = S("nodeStatusUpdateFrequency: 9s\n"),
		.node = node->tree,
	};
	struct mc *mc;

	ASSERT_INT(-ERR_INVALID, kubelet_node(&a, &in, &now, &mc, &err));
	ASSERT_INT(0, kubelet_features(&a, &in, &mc, &err));
	ASSERT(str_find(file_of(&a, mc, KUBELET_CONF), S("nodeStatusUpdateFrequency: 9s\n")) >= 0);
	in.pool = S("master"); /* the master pool does not use it */
	ASSERT_INT(0, kubelet_node(&a, &in, &now, &mc, &err));
	PASS();
}

#define STORAGE_HEAD "[storage]\n  driver = \"\"\n  runroot = \"\"\n  graphroot = \"\"\n"
#define STORAGE_OPTIONS(first, last)                                      \
	STORAGE_HEAD "  [storage.options]\n" first "    force_mask = 0\n" \
		     "    auto-userns-min-size = 0\n"                     \
		     "    auto-userns-max-size = 0\n" last

static const struct {
	const char *name, *base, *spec;
	const char *storage; /* storage.conf, or the message instead */
} runtime_cases[] = {
	{ "a file without anything", "", "{overlaySize: 8Gi}",
	  STORAGE_OPTIONS("    size = \"8Gi\"\n", "") },
	{ "a size replaces another; comments go", "# x\n[storage.options]\nsize = \"1G\" # y\n",
	  "{overlaySize: 1.5G}", STORAGE_OPTIONS("    size = \"1500M\"\n", "") },
	{ "unknown keys go, names count in any case",
	  "[Storage.Options]\nMountOpt = \"m\"\nodd = 1\n"
	  "[other]\nx = 1\n",
	  "{overlaySize: 1G}", STORAGE_OPTIONS("    size = \"1G\"\n", "    mountopt = \"m\"\n") },
	{ "tables keep upstream's order",
	  "[storage.options]\ndisable-volatile = true\n"
	  "[storage.options.zfs]\nfsname = \"z\"\n"
	  "[storage.options.overlay]\nforce_mask = \"700\"\nmountopt = \"\"\n"
	  "[storage.options.aufs]\n",
	  "{overlaySize: 1G}",
	  STORAGE_OPTIONS("    size = \"1G\"\n", "    disable-volatile = true\n"
						 "    [storage.options.overlay]\n"
						 "      force_mask = \"700\"\n"
						 "    [storage.options.zfs]\n"
						 "      fsname = \"z\"\n") },
	{ "layers that have :ref keep it once", "",
	  "{additionalLayerStores: [{path: /a}, {path: '/b:ref'}]}",
	  STORAGE_OPTIONS("    additionallayerstores = [\"/a:ref\", "
			  "\"/b:ref\"]\n",
			  "") },
	{ "a wrong type leaves the file out", "[storage.options]\nforce_mask = \"0700\"\n",
	  "{overlaySize: 1G}",
	  "could not update container runtime config with new changes: error "
	  "decoding crio config: toml: (last key \"storage.options.force_mask\"): "
	  "incompatible types: TOML value has type string; destination has "
	  "type integer" },
	{ "so does what is no TOML", "[", "{overlaySize: 1G}",
	  "could not update container runtime config with new changes: error "
	  "decoding crio config: toml: line 1: expected a key" },
	{ "nothing to store, no file", "", "{pidsLimit: 20}", "(absent)" },
};

TEST runtime_configs(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(runtime_cases); i++) {
		struct runtime_in in = { .pool = S("worker"),
					 .storage = str_of(runtime_cases[i].base),
					 .more_stores = true };
		struct err err = ERR_INIT(&a);
		struct str note, got;
		struct mc *mc;
		struct mc_object *crc =
			object(&a, str_fmt(&a, RUNTIME_HEAD "{containerRuntimeConfig: %s}",
					   runtime_cases[i].spec)
					   .p);

		ASSERT_INT_M(runtime_cases[i].name, 0,
			     runtime_config(&a, &in, crc, S("n"), &mc, &note, &err));
		got = note.n ? note : file_of(&a, mc, STORAGE_CONF);
		ASSERT_STR_M(runtime_cases[i].name, str_of(runtime_cases[i].storage), got);
	}
	PASS();
}

TEST runtime_configs_that_say_nothing(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct runtime_in in = { .pool = S("worker") };
	struct mc_object *crc = object(&a, RUNTIME_HEAD "{}");
	struct str note;
	struct mc *mc;

	ASSERT_INT(0, runtime_validate(&a, crc, &err));
	ASSERT_INT(-ERR_INVALID, runtime_config(&a, &in, crc, S("n"), &mc, &note, &err));
	ASSERT_STR("ContainerRuntimeConfig c has no "
		   "spec.containerRuntimeConfig",
		   err.msg);
	PASS();
}

SUITE(kubelet)
{
	RUN_TEST(kubelet_configs);
	RUN_TEST(kernel_arguments_of_cgroups);
	RUN_TEST(an_unknown_profile_stops_only_the_node_config);
	RUN_TEST(runtime_configs);
	RUN_TEST(runtime_configs_that_say_nothing);
}

TEST_MAIN(kubelet)
