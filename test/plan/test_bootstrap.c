/*
 * Upstream's golden bootstrap cases, in process: the same files, byte for byte,
 * or the same refusal. Also what the controllers would generate from a dump.
 */
#include "../test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "mc/contents.h"
#include "plan/bootstrap.h"
#include "plan/config/config_lint.h"
#include "plan/preview.h"
#include "plan/render.h"

#define GOLDEN "test/golden/"
#define HASH "0123456789abcdef0123456789abcdef01234567"

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Calls see with every file and directory below dir, by name. */
static void walk(struct arena *a, const char *dir, struct str below,
		 void (*see)(void *ctx, struct str path, struct str text), void *ctx)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, visible, alphasort);

	for (int i = 0; i < n; i++) {
		const char *p = str_fmt(a, "%s/%s", dir, list[i]->d_name).p;
		struct str name = str_fmt(a, "%.*s%s", STRF(below), list[i]->d_name);

		if (is_dir(p)) {
			name = str_fmt(a, "%.*s/", STRF(name));
			see(ctx, name, S(""));
			walk(a, p, name, see, ctx);
		} else {
			see(ctx, name, test_file(a, p));
		}
		free(list[i]);
	}
	free(list);
}

struct gather {
	struct arena *a;
	struct template_tree tree;
	struct bootstrap_files files;
};

static void see_template(void *ctx, struct str path, struct str text)
{
	struct gather *g = ctx;
	struct template_file f = { path, text };

	VEC_PUSH(g->a, &g->tree, f);
}

static void see_manifest(void *ctx, struct str path, struct str text)
{
	struct gather *g = ctx;
	struct bootstrap_file f = { str_fmt(g->a, "input/%.*s", STRF(path)), text };

	VEC_PUSH(g->a, &g->files, f);
}

static void see_file(void *ctx, struct str path, struct str text)
{
	struct gather *g = ctx;
	struct bootstrap_file f = { path, text };

	if (!str_ends(path, S("/")))
		VEC_PUSH(g->a, &g->files, f);
}

static bool same_files(struct arena *a, const char *dir, const struct bootstrap_files *got)
{
	struct gather want = { .a = a };
	struct map files;
	size_t found = 0;

	map_init(&files, a);
	for (size_t i = 0; i < got->n; i++)
		(void)map_put(&files, got->v[i].path, &got->v[i]);
	walk(a, str_fmt(a, "%s/expected", dir).p, S(""), see_file, &want);
	for (size_t i = 0; i < want.files.n; i++) {
		struct str path = want.files.v[i].path;
		struct bootstrap_file *f = map_get(&files, path);

		if (!f) {
			(void)printf("%s: no %.*s\n", dir, STRF(path));
			return false;
		}
		found++;
		if (!test_same(str_fmt(a, "%s/%.*s", dir, STRF(path)).p, want.files.v[i].text,
			       f->text))
			return false;
	}
	return found > 0;
}

static bool check_case(const char *dir, const struct template_tree *tree, const char *secret)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct gather g = { .a = &a };
	struct bootstrap_in in = { .manifest_dir = S("input"),
				   .templates = tree,
				   .raw = S("v4.22.0"),
				   .hash = S(HASH),
				   .release = S("4.22.0") };
	struct bootstrap_out out = { 0 };
	const char *error = str_fmt(&a, "%s/expected/error.txt", dir).p;
	int rc;

	walk(&a, str_fmt(&a, "%s/input", dir).p, S(""), see_manifest, &g);
	in.manifests = g.files;
	in.pull_secret = test_file(&a, str_fmt(&a, "%s/%s", dir, secret).p);
	rc = plan_bootstrap(&a, &in, &out, &err);
	if (access(error, R_OK) == 0)
		return test_same(dir, test_file(&a, error),
				 str_fmt(&a,
					 "error running MCC[BOOTSTRAP]: "
					 "%.*s\n",
					 STRF(rc < 0 ? err.msg : S("done"))));
	if (rc < 0) {
		(void)printf("%s: %.*s\n", dir, STRF(err.msg));
		return false;
	}
	return same_files(&a, dir, &out.files);
}

TEST golden_controllers(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct gather g = { .a = &a };
	struct dirent **list = NULL;
	int n = scandir(GOLDEN "controllers", &list, visible, alphasort);
	int bad = 0, run = 0;

	if (n < 0)
		FAILm("no " GOLDEN "controllers");
	g.tree.dir = S("../../templates-controllers");
	walk(&a, GOLDEN "templates-controllers", S(""), see_template, &g);
	for (int i = 0; i < n; i++) {
		const char *dir = str_fmt(&a, GOLDEN "controllers/%s", list[i]->d_name).p;

		if (is_dir(dir)) {
			run++;
			bad += !check_case(dir, &g.tree, "input/pull-secret.yaml");
		}
		free(list[i]);
	}
	free(list);
	(void)printf("%d golden cases, %d differ\n", run, bad);
	ASSERT_INT(91, run);
	ASSERT_INT(0, bad);
	PASS();
}

/* The golden render cases that include configs from templates. */
TEST golden_render(void)
{
	static const char *const cases[] = {
		GOLDEN "render/031-custom-pool-inherits-worker",
		GOLDEN "render/032-master-and-worker-from-templates",
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct gather g = { .a = &a };

	if (!is_dir(cases[0]))
		FAILm("no " GOLDEN "render");
	g.tree.dir = S("../../templates-mini");
	walk(&a, GOLDEN "templates-mini", S(""), see_template, &g);
	for (size_t i = 0; i < 2; i++)
		ASSERTm(cases[i], check_case(cases[i], &g.tree, "../../pull-secret.yaml"));
	PASS();
}

/* ---- refusals that have no golden case ----------------------------------- */

#define GATES(on)                                                            \
	"{apiVersion: config.openshift.io/v1, kind: FeatureGate, metadata: " \
	"{name: cluster}, status: {featureGates: [{version: 4.22.0, "        \
	"enabled: [" on "]}]}}\n"
#define CC                                                               \
	"---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: " \
	"ControllerConfig, metadata: {name: c}, spec: {infra: {status: " \
	"{platformStatus: {type: None}}}}}\n"
#define SECRET                                                \
	"{apiVersion: v1, kind: Secret, type: kubernetes.io/" \
	"dockerconfigjson, data: {.dockerconfigjson: e30=}}"

static const struct {
	const char *name, *secret, *manifest, *error;
} faults[] = {
	{ "no secret", "", "", "Object 'Kind' is missing in 'null'" },
	{ "another kind for the secret", "{apiVersion: apps/v1, kind: Deployment}", "",
	  "expected *corev1.Secret found *v1.Deployment" },
	{ "not base64", "{apiVersion: v1, kind: Secret, data: {a: '*'}}", "",
	  "illegal base64 data at input byte 0" },
	{ "no gates", SECRET, CC, "error: no featuregate found in dir: \"d\"" },
	{ "a list is passed over", SECRET,
	  "{apiVersion: v1, kind: List, items: [{apiVersion: "
	  "config.openshift.io/v1, kind: FeatureGate, metadata: {name: "
	  "cluster}}]}\n" CC,
	  "error: no featuregate found in dir: \"d\"" },
	{ "OS streams", SECRET, GATES("{name: OSStreams}") CC,
	  "feature gate OSStreams is on: choosing OS images needs access to registries, "
	  "which is not supported; turn it off or render with upstream's controller" },
	{ "an internal release image", SECRET,
	  GATES("{name: NoRegistryClusterInstall}") CC
	  "---\n{apiVersion: "
	  "machineconfiguration.openshift.io/v1alpha1, kind: "
	  "InternalReleaseImage, metadata: {name: cluster}}\n",
	  "feature gate NoRegistryClusterInstall is on and there is an InternalReleaseImage: "
	  "generating its MachineConfigs is not supported" },
	{ "documents are counted without empty ones", SECRET,
	  "---\n---\n{apiVersion: v1, kind: Pod}\n---\n# none\n---\n{kind: "
	  "Pod}\n",
	  "error parsing \"f.yaml\" [2] manifest: Object 'apiVersion' is "
	  "missing in '{\"kind\":\"Pod\"}'" },
};

TEST refusals(void)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct template_tree tree = { .dir = S("t") };
		struct bootstrap_file f = { S("f.yaml"), str_of(faults[i].manifest) };
		struct bootstrap_in in = { .manifest_dir = S("d"),
					   .manifests = { &f, 1, 1 },
					   .pull_secret = str_of(faults[i].secret),
					   .templates = &tree,
					   .release = S("4.22.0") };
		struct bootstrap_out out;

		ASSERT_INT_M(faults[i].name, -ERR_INVALID, plan_bootstrap(&a, &in, &out, &err));
		ASSERT_STR_M(faults[i].name, str_of(faults[i].error), err.msg);
	}
	PASS();
}

/* ---- previews ------------------------------------------------------------ */

static void load(struct arena *a, struct mc_set *set, struct str text)
{
	struct err err = ERR_INIT(a);
	struct mc_fault fault = { 0 };

	if (mc_load(a, S("t"), text, set, &fault, &err) < 0)
		(void)printf("%.*s\n", STRF(err.msg));
}

/* The text of a file in the MachineConfig of that name, or "". */
static struct str text_in(struct arena *a, const struct mc_set *set, const char *name,
			  const char *path)
{
	struct err err = ERR_INIT(a);
	struct str out = S("");

	for (size_t i = 0; i < set->mcs.n; i++) {
		struct ign_obj *config = NULL;
		const struct ign_obj *file;

		if (!str_is(set->mcs.v[i]->meta.name, name) ||
		    ign_parse_35(a, mc_config_text(a, set->mcs.v[i]), &config, &err) < 0)
			continue;
		file = mc_find_file(config, str_of(path));
		if (file)
			(void)mc_contents(a, file, &out, &err);
	}
	return out;
}

/* What the controllers would generate; prints what they refuse. */
static struct preview preview_of(struct arena *a, const struct mc_set *set,
				 const struct mc_set *change)
{
	struct preview_in in = { .set = set, .touched = change, .hash = S("abc") };
	struct preview out;

	plan_preview(a, &in, &out);
	for (size_t i = 0; i < out.refused.n; i++)
		test_show("refused", out.refused.v[i].message);
	return out;
}

#define POOL(name, labels)                                               \
	"---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: " \
	"MachineConfigPool, metadata: {name: " name ", labels: {" labels \
	"}}, spec: {machineConfigSelector: {matchLabels: {r: x}}}}\n"
#define MC(name, role, path, text)                                                    \
	"---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: "              \
	"MachineConfig, metadata: {name: " name ", labels: {"                         \
	"machineconfiguration.openshift.io/role: " role                               \
	"}, annotations: {machineconfiguration.openshift.io/generated-by-"            \
	"controller-version: abc}}, spec: {config: {ignition: {version: "             \
	"3.5.0}, storage: {files: [{path: " path ", contents: {source: \"data:," text \
	"\"}}]}}}}\n"
#define KC(name, extra, config)                                          \
	"---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: " \
	"KubeletConfig, metadata: {name: " name extra                    \
	"}, spec: {machineConfigPoolSelector: {matchLabels: {k: v}}, "   \
	"kubeletConfig: {" config "}}}\n"
#define IDMS                                                  \
	"---\n{apiVersion: config.openshift.io/v1, kind: "    \
	"ImageDigestMirrorSet, metadata: {name: m}, spec: "   \
	"{imageDigestMirrors: [{source: s.example, mirrors: " \
	"[m.example]}]}}\n"
#define DUMP                                                                        \
	POOL("worker", "k: v, machineconfiguration.openshift.io/"                   \
		       "mco-built-in: ''")                                          \
	POOL("infra", "k: w")                                                       \
	MC("01-worker-kubelet", "worker", "/etc/kubernetes/kubelet.conf",           \
	   "kind:%20KubeletConfiguration%0AmaxPods:%207")                           \
	MC("98-worker-generated-kubelet", "worker", "/etc/kubernetes/kubelet.conf", \
	   "kind:%20KubeletConfiguration%0AmaxPods:%208")                           \
	MC("01-worker-r", "worker", "/etc/containers/registries.conf", "")          \
	MC("02-worker-p", "worker", "/etc/containers/policy.json", "%7B%7D")        \
	MC("03-worker-s", "worker", "/etc/containers/storage.conf", "")

TEST previews(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 };
	struct preview out;

	load(&a, &set,
	     S(DUMP IDMS KC("one", "", "podsPerCore: 3")
		       KC("two",
			  ", annotations: {machineconfiguration.openshift.io/"
			  "mc-name-suffix: '4'}",
			  "podsPerCore: 2")));
	out = preview_of(&a, &set, NULL);
	for (size_t i = 0; i < out.notes.n; i++)
		test_show("note", out.notes.v[i]);
	ASSERT_INT(0, out.notes.n + out.refused.n);
	/* without the FeatureGate object, what the cluster generated from it is the base */
	ASSERT(str_find(text_in(&a, &out.set, "99-worker-generated-kubelet-4",
				"/etc/kubernetes/kubelet.conf"),
			S("maxPods: 8\n")) >= 0);
	/* the next free number */
	ASSERT(str_find(text_in(&a, &out.set, "99-worker-generated-kubelet-5",
				"/etc/kubernetes/kubelet.conf"),
			S("podsPerCore: 3\n")) >= 0);
	ASSERT(str_find(text_in(&a, &out.set, "99-worker-generated-registries",
				"/etc/containers/registries.conf"),
			S("location = \"m.example\"")) >= 0);
	/* only the built-in pools get registries */
	ASSERT_INT(0, text_in(&a, &out.set, "99-infra-generated-registries",
			      "/etc/containers/registries.conf")
			      .n);
	ASSERT_INT(set.mcs.n + 3, out.set.mcs.n);
	PASS();
}

/* Keeps what the cluster generated, except what comes from changed objects. */
TEST previews_of_a_change(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 }, change = { 0 };
	struct preview out;

	load(&a, &set,
	     S(DUMP MC("99-worker-generated-kubelet", "worker", "/etc/kubernetes/kubelet.conf",
		       "old") MC("99-worker-generated-registries", "worker",
				 "/etc/containers/registries.conf", "old")));
	load(&a, &change, S(IDMS KC("one", "", "podsPerCore: 3")));
	set = mc_overlay(&a, &set, &change);
	out = preview_of(&a, &set, NULL);
	ASSERT_INT(0, out.notes.n + out.refused.n);
	ASSERT_INT(set.mcs.n, out.set.mcs.n);
	ASSERT_STR("old", text_in(&a, &out.set, "99-worker-generated-kubelet",
				  "/etc/kubernetes/kubelet.conf"));
	ASSERT_STR("old", text_in(&a, &out.set, "99-worker-generated-registries",
				  "/etc/containers/registries.conf"));
	out = preview_of(&a, &set, &change);
	ASSERT_INT(0, out.refused.n);
	ASSERT_INT(1, out.notes.n);
	ASSERT_STR("99-worker-generated-registries is generated without its source "
		   "objects: give a complete dump (mcoctl dump)",
		   out.notes.v[0]);
	ASSERT(str_find(text_in(&a, &out.set, "99-worker-generated-kubelet",
				"/etc/kubernetes/kubelet.conf"),
			S("podsPerCore: 3\n")) >= 0);
	ASSERT(str_find(text_in(&a, &out.set, "99-worker-generated-registries",
				"/etc/containers/registries.conf"),
			S("m.example")) >= 0);
	PASS();
}

#define GATE_LIST(on)                                                   \
	"---\n{apiVersion: config.openshift.io/v1, kind: FeatureGate, " \
	"metadata: {name: cluster}, spec: {}, status: {featureGates: [" \
	"{version: '4.22', enabled: [" on "], disabled: []}]}}\n"
#define NODE(profile)                                                      \
	"---\n{apiVersion: config.openshift.io/v1, kind: Node, metadata: " \
	"{name: cluster}, spec: {workerLatencyProfile: " profile "}}\n"
#define SETTLED_KC(suffix, config)                                            \
	"---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: "      \
	"KubeletConfig, metadata: {name: one, generation: 2, finalizers: ["   \
	"99-worker-generated-kubelet" suffix "], annotations: {"              \
	"machineconfiguration.openshift.io/mc-name-suffix: '" suffix          \
	"'}}, spec: {machineConfigPoolSelector: {matchLabels: {k: "           \
	"v}}, kubeletConfig: {" config "}}, status: {observedGeneration: 2, " \
	"conditions: [{type: Success, status: 'True', message: Success}]}}\n"
#define LATE POOL("late", "k: v")
#define CONF "/etc/kubernetes/kubelet.conf"

struct running_case {
	const char *name, *change;
	const char *mc; /* "": none is generated */
	const char *want; /* a line of its kubelet.conf */
};

/* A cluster whose KubeletConfig is settled, and a pool created after it. */
#define RUNNING                                                             \
	DUMP LATE GATE_LIST("") NODE("''") SETTLED_KC("", "podsPerCore: 3") \
		MC("97-worker-generated-kubelet", "worker", CONF, "old97")  \
			MC("99-worker-generated-kubelet", "worker", CONF,   \
			   "kind:%20KubeletConfiguration%0AmaxPods:%209")

static const struct running_case running[] = {
	{ "a settled one stays", NULL, "99-worker-generated-kubelet", "maxPods: 9" },
	{ "so does 97", NULL, "97-worker-generated-kubelet", "old97" },
	{ "a late pool has no 97", NULL, "97-late-generated-kubelet", "" },
	{ "nor 98", NULL, "98-late-generated-kubelet", "" },
	{ "nor one of the KubeletConfig", NULL, "99-late-generated-kubelet", "" },
	{ "another Node config: 97 is new", NODE("Default"), "97-worker-generated-kubelet",
	  "nodeStatusUpdateFrequency: 10s" },
	{ "so is 98", NODE("Default"), "98-worker-generated-kubelet",
	  "nodeStatusUpdateFrequency: 10s" },
	{ "the settled one stays", NODE("Default"), "99-worker-generated-kubelet", "maxPods: 9" },
	{ "the late pool gets 97", NODE("Default"), "97-late-generated-kubelet", "maxPods: 7" },
	{ "and 99", NODE("Default"), "99-late-generated-kubelet", "podsPerCore: 3" },
	{ "other gates: all are new", GATE_LIST("{name: Fresh}"), "99-worker-generated-kubelet",
	  "Fresh: true" },
	{ "a KubeletConfig that is the same", KC("one", "", "podsPerCore: 3"),
	  "99-worker-generated-kubelet", "maxPods: 9" },
	{ "an edit of it", KC("one", "", "podsPerCore: 4"), "99-worker-generated-kubelet",
	  "podsPerCore: 4" },
	{ "which reaches the late pool", KC("one", "", "podsPerCore: 4"),
	  "99-late-generated-kubelet", "podsPerCore: 4" },
	{ "a new one beside it", KC("two", "", "podsPerCore: 5"), "99-worker-generated-kubelet-1",
	  "podsPerCore: 5" },
	{ "two new ones: the first",
	  KC("two", "", "podsPerCore: 5") KC("three", "", "podsPerCore: 6"),
	  "99-worker-generated-kubelet-1", "podsPerCore: 5" },
	{ "two new ones: the second",
	  KC("two", "", "podsPerCore: 5") KC("three", "", "podsPerCore: 6"),
	  "99-worker-generated-kubelet-2", "podsPerCore: 6" },
};

TEST previews_of_a_running_cluster(void)
{
	for (size_t i = 0; i < ARRAY_LEN(running); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct running_case *c = &running[i];
		struct mc_set set = { 0 }, change = { 0 };
		struct preview out;
		struct str got;

		load(&a, &set, S(RUNNING));
		if (c->change) {
			load(&a, &change, str_of(c->change));
			change = mc_applied(&a, &set, &change);
			set = mc_overlay(&a, &set, &change);
		}
		out = preview_of(&a, &set, c->change ? &change : NULL);
		ASSERT_INT_M(c->name, 0, out.refused.n);
		got = text_in(&a, &out.set, c->mc, CONF);
		if (c->want[0] ? str_find(got, str_of(c->want)) < 0 : got.n) {
			test_show("got", got);
			FAILm(c->name);
		}
	}
	PASS();
}

/* Upstream's workers gave both the same name. */
TEST previews_tell_of_conflicts(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 };
	struct mc_findings found = { 0 };
	struct preview out;

	load(&a, &set,
	     S(DUMP SETTLED_KC("", "podsPerCore: 3")
		       KC("two",
			  ", annotations: {machineconfiguration.openshift.io/"
			  "mc-name-suffix: ''}",
			  "podsPerCore: 2") MC("99-worker-generated-kubelet", "worker", CONF, "")));
	out = preview_of(&a, &set, NULL);
	ASSERT_INT(0, out.refused.n);
	ASSERT_INT(1, out.notes.n);
	ASSERT_STR("KubeletConfig one and two share MachineConfig "
		   "99-worker-generated-kubelet, which contains only the settings of one of "
		   "them: edit the other one, and it gets its own MachineConfig",
		   out.notes.v[0]);
	config_lint_set(&a, &set, &set.others, &found);
	ASSERT_INT(1, found.n);
	ASSERT_INT(0, found.v[0].error);
	ASSERT_STR("KubeletConfig two", found.v[0].object);
	ASSERT(str_eq(out.notes.v[0], found.v[0].message));
	PASS();
}

TEST previews_say_what_is_missing(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 };
	struct preview out;

	load(&a, &set, S(POOL("worker", "k: v") IDMS KC("one", "", "podsPerCore: 3")));
	out = preview_of(&a, &set, NULL);
	ASSERT_INT(0, out.refused.n);
	ASSERT_INT(2, out.notes.n);
	ASSERT_STR("registries: pool worker: skipped: no MachineConfig from templates has "
		   "/etc/containers/registries.conf: give a dump with them (mcoctl dump)",
		   out.notes.v[0]);
	ASSERT_STR("KubeletConfig one: pool worker: skipped: no MachineConfig from templates "
		   "has /etc/kubernetes/kubelet.conf: give a dump with them (mcoctl dump)",
		   out.notes.v[1]);
	ASSERT_INT(0, out.set.mcs.n);
	load(&a, &set, S(KC("bad", "", "clusterDomain: x")));
	load(&a, &set,
	     S(MC("01-worker-kubelet", "worker", "/etc/kubernetes/kubelet.conf",
		  "kind:%20KubeletConfiguration")));
	out = preview_of(&a, &set, NULL);
	ASSERT_INT(1, out.refused.n);
	ASSERT_STR("KubeletConfig bad", out.refused.v[0].object);
	ASSERT_STR("t", out.refused.v[0].file);
	ASSERT_STR("KubeletConfiguration: clusterDomain is not allowed to be "
		   "set, but contains: x",
		   out.refused.v[0].message);
	ASSERT_INT(0, out.refused.v[0].touched);
	ASSERT_INT(1, out.refused.v[0].pools.n);
	ASSERT_STR("worker", out.refused.v[0].pools.v[0]);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_controllers);
	RUN_TEST(golden_render);
	RUN_TEST(refusals);
	RUN_TEST(previews);
	RUN_TEST(previews_of_a_change);
	RUN_TEST(previews_of_a_running_cluster);
	RUN_TEST(previews_tell_of_conflicts);
	RUN_TEST(previews_say_what_is_missing);
}

TEST_MAIN(suite)
