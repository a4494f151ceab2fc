/*
 * Registries: upstream's golden cases, file by file, and what they do not
 * cover.
 */
#include <dirent.h>
#include <unistd.h>

#include "../test.h"
#include "data/yml.h"
#include "mc/contents.h"
#include "mc/gates.h"
#include "plan/registries.h"

#define GOLDEN "test/golden/"
#define CASES GOLDEN "controllers"

struct fixture {
	struct arena *a;
	struct mc_set set;
	struct err err;
	struct mc_files files;
	struct registries r;
};

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void load_dir(struct fixture *f, const char *dir)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, visible, alphasort);

	for (int i = 0; i < n; i++) {
		struct mc_fault fault = { 0 };
		const char *p = str_fmt(f->a, "%s/%s", dir, list[i]->d_name).p;

		(void)mc_load(f->a, str_of(p), test_file(f->a, p), &f->set, &fault, &f->err);
		free(list[i]);
	}
	free(list);
}

/* The text of a template in the golden tree. */
static struct str template_text(struct fixture *f, const char *name)
{
	struct json *j = NULL;
	const char *p = str_fmt(f->a,
				GOLDEN "templates-controllers/worker/"
				       "01-worker-container-runtime/_base/"
				       "files/%s",
				name)
				.p;

	(void)yml_parse(f->a, test_file(f->a, p), NULL, &j, &f->err);
	return json_str(j, "contents.inline");
}

static int decide(struct fixture *f, bool bootstrap)
{
	const struct mc_object *o = mc_find(&f->set, MC_FEATURE_GATE, NULL);
	struct mc_gates gates = { 0 };
	struct registries_in in = { .objects = &f->set.others, .bootstrap = bootstrap };

	if (o && mc_gates_read(f->a, o->tree, S("4.22.0"), &gates, &f->err) < 0)
		return -1;
	in.sigstore = mc_gate(&gates, "SigstoreImageVerification");
	in.release_image = f->set.controller_config
				   ? json_str(f->set.controller_config->tree, "spec.releaseImage")
				   : S("r.example/payload@sha256:"
				       "11111111111111111111111111111111"
				       "11111111111111111111111111111111");
	return registries_decide(f->a, &in, &f->r, &f->err);
}

static int run(struct fixture *f, bool bootstrap, struct str conf, struct str policy)
{
	int rc = decide(f, bootstrap);

	return rc < 0 ? rc : registries_files(f->a, &f->r, conf, policy, &f->files, &f->err);
}

/* The rendered worker config that upstream wrote. */
static struct ign_obj *expected(struct fixture *f, const char *dir)
{
	const char *d = str_fmt(f->a, "%s/expected/machine-configs", dir).p;
	struct fixture e = { .a = f->a, .err = ERR_INIT(f->a) };
	struct ign_obj *config = NULL;

	load_dir(&e, d);
	for (size_t i = 0; i < e.set.mcs.n; i++)
		if (str_starts(e.set.mcs.v[i]->meta.name, S("rendered-worker")))
			(void)ign_parse_35(f->a, mc_config_text(f->a, e.set.mcs.v[i]), &config,
					   &f->err);
	return config;
}

static bool check_case(const char *dir)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct fixture f = { .a = &a, .err = ERR_INIT(&a) };
	const char *error = str_fmt(&a, "%s/expected/error.txt", dir).p;
	struct ign_obj *want;
	int rc;

	load_dir(&f, str_fmt(&a, "%s/input", dir).p);
	rc = run(&f, true, template_text(&f, "registries.yaml"), template_text(&f, "policy.yaml"));
	if (access(error, R_OK) == 0)
		return rc < 0 && test_same(dir, test_file(&a, error),
					   str_fmt(&a,
						   "error running MCC[BOOTSTRAP]: "
						   "%.*s\n",
						   STRF(f.err.msg)));
	if (rc < 0) {
		(void)printf("%s: %.*s\n", dir, STRF(f.err.msg));
		return false;
	}
	want = expected(&f, dir);
	for (size_t i = 0; i < f.files.n; i++) {
		const struct ign_obj *file = mc_find_file(want, f.files.v[i].path);
		struct str text = S("");

		if (!file || mc_contents(&a, file, &text, &f.err) < 0 ||
		    !test_same(f.files.v[i].path.p, text, f.files.v[i].data)) {
			(void)printf("%s: %.*s\n", dir, STRF(f.files.v[i].path));
			return false;
		}
	}
	return true;
}

TEST golden_cases(void)
{
	struct dirent **list = NULL;
	int n = scandir(CASES, &list, visible, alphasort), bad = 0, run_n = 0;

	if (n < 0)
		FAILm("no " CASES);
	for (int i = 0; i < n; i++) {
		int number = atoi(list[i]->d_name);

		if (number >= 45 && number <= 62) {
			AUTO(arena) struct arena a = ARENA_INIT;

			run_n++;
			bad += !check_case(str_fmt(&a, CASES "/%s", list[i]->d_name).p);
		}
		free(list[i]);
	}
	free(list);
	(void)printf("%d golden cases, %d differ\n", run_n, bad);
	ASSERT_INT(18, run_n);
	ASSERT_INT(0, bad);
	PASS();
}

/* ---- what the golden cases leave out ------------------------------------- */

#define IMAGE(sources)                                                \
	"apiVersion: config.openshift.io/v1\nkind: Image\nmetadata: " \
	"{name: cluster}\nspec: {registrySources: {" sources "}}\n"
#define MIRRORS(list)                                       \
	"---\napiVersion: config.openshift.io/v1\nkind: "   \
	"ImageDigestMirrorSet\nmetadata: {name: m}\nspec: " \
	"{imageDigestMirrors: [" list "]}\n"
#define GATE                                                            \
	"---\napiVersion: config.openshift.io/v1\nkind: FeatureGate\n"  \
	"metadata: {name: cluster}\nstatus: {featureGates: [{version: " \
	"4.22.0, enabled: [{name: SigstoreImageVerification}]}]}\n"
#define POLICY(kind, scopes, policy)                                                          \
	"---\napiVersion: config.openshift.io/v1\nkind: " kind                                \
	"\nmetadata: {name: p, namespace: ns}\nspec: {scopes: [" scopes "], policy: {" policy \
	"}}\n"
#define KEY "rootOfTrust: {policyType: PublicKey, publicKey: {keyData: aGk=}}"
#define BASE "{\"default\":[{\"type\":\"reject\"}]}"

static const struct {
	const char *name, *objects, *base_policy, *error;
} faults[] = {
	{ "an Image config that says nothing", IMAGE(""), NULL, NULL },
	{ "a block list that cannot be allowed",
	  IMAGE("blockedRegistries: [b.example], allowedRegistries: "
		"[r.example/payload]"),
	  BASE,
	  "could not update policy json with new changes: invalid images "
	  "config: only one of AllowedRegistries or BlockedRegistries may be "
	  "specified" },
	{ "a bad allowed entry", IMAGE("allowedRegistries: [\"a*\"]"), BASE,
	  "could not update policy json with new changes: invalid entry for "
	  "allowed registries \"a*\"" },
	{ "a policy that is no policy", IMAGE("allowedRegistries: [a.example]"),
	  "{\"defualt\": []}",
	  "could not update policy json with new changes: error decoding "
	  "policy json: Unknown key \"defualt\"" },
	{ "a policy without a default", IMAGE("allowedRegistries: [a.example]"), "{}",
	  "could not update policy json with new changes: error decoding "
	  "policy json: Default policy is missing" },
	{ "an unknown requirement", IMAGE("allowedRegistries: [a.example]"),
	  "{\"default\":[{\"type\":\"trust\"}]}",
	  "could not update policy json with new changes: error decoding "
	  "policy json: Unknown policy requirement type \"trust\"" },
	{ "a mirrored wildcard with entries below it",
	  IMAGE("blockedRegistries: [x.w.example]")
		  MIRRORS("{source: \"*.w.example\", mirrors: [m.example]}"),
	  BASE,
	  "could not update registries config with new changes: internal "
	  "error: mirrorsAdjustedForNestedScope for a wildcard scope "
	  "\"*.w.example\"" },
	{ "no root of trust", IMAGE("") GATE POLICY("ClusterImagePolicy", "a.example", ""), BASE,
	  "exactly one of keyPath, keyPaths, keyData, keyDatas, fulcio, and "
	  "pki must be specified" },
	{ "an unknown identity",
	  IMAGE("") GATE POLICY("ClusterImagePolicy", "a.example",
				KEY ", signedIdentity: {matchPolicy: Any}"),
	  BASE, "unknown signedIdentity match policy: Any" },
	{ "a bad prefix",
	  IMAGE("") GATE POLICY("ImagePolicy", "a.example",
				KEY ", signedIdentity: {matchPolicy: RemapIdentity, "
				    "remapIdentity: {prefix: a.example, signedPrefix: "
				    "\"-\"}}"),
	  BASE,
	  "error getting signedIdentity for RemapIdentity: prefix \"-\" is "
	  "not valid" },
	{ "a bad repository",
	  IMAGE("") GATE POLICY("ImagePolicy", "a.example",
				KEY ", signedIdentity: {matchPolicy: ExactRepository, "
				    "exactRepository: {repository: \"a.example/B\"}}"),
	  BASE,
	  "error getting signedIdentity for ExactRepository: Invalid format "
	  "of dockerRepository \"a.example/B\": invalid reference format: "
	  "repository name must be lowercase" },
	{ "a mirror that no image can come from",
	  IMAGE("") MIRRORS("{source: a.example, mirrors: [m]}")
		  GATE POLICY("ClusterImagePolicy", "a.example/x", KEY),
	  BASE,
	  "error adding clusterimagepolicy scope a.example/x relevant "
	  "mirrors: error getting digest sources for scope a.example/x: "
	  "rewriting reference: repository name must be canonical" },
};

static void load_text(struct fixture *f, const char *text)
{
	struct mc_fault fault = { 0 };

	if (mc_load(f->a, S("t"), str_of(text), &f->set, &fault, &f->err) < 0)
		(void)printf("%.*s\n", STRF(f->err.msg));
}

TEST refusals(void)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct fixture f = { .a = &a, .err = ERR_INIT(&a) };
		int rc;

		load_text(&f, faults[i].objects);
		rc = run(&f, true, S(""), str_of(faults[i].base_policy));
		ASSERT_INT_M(faults[i].name, faults[i].error ? -ERR_INVALID : 0, rc);
		if (faults[i].error)
			ASSERT_STR_M(faults[i].name, str_of(faults[i].error), f.err.msg);
	}
	PASS();
}

TEST live_allows_the_payload_once(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct fixture f = { .a = &a, .err = ERR_INIT(&a) };

	load_text(&f, IMAGE("blockedRegistries: [b.example], "
			    "allowedRegistries: [r.example/payload]"));
	ASSERT_INT(0, run(&f, false, S(""), S(BASE)));
	PASS();
}

TEST conflicts_are_told(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct fixture f = { .a = &a, .err = ERR_INIT(&a) };

	load_text(&f, IMAGE("") GATE POLICY("ClusterImagePolicy", "a.example", KEY)
			      POLICY("ImagePolicy", "a.example/x, b.example, a.example", KEY));
	ASSERT_INT(0, run(&f, false, S(""), S(BASE)));
	ASSERT_INT(1, f.r.n_conflicts);
	ASSERT_STR("ns", f.r.conflicts[0].namespace);
	ASSERT_STR("p", f.r.conflicts[0].name);
	ASSERT_STR("has conflicting scope(s) [\"a.example/x\" \"a.example\"] "
		   "that equal to or nest inside existing clusterimagepolicy, "
		   "only policy from clusterimagepolicy scope(s) will be "
		   "applied",
		   f.r.conflicts[0].message);
	PASS();
}

/* Thousands of mirrors take linear time: each is one entry, found by name. */
TEST many_mirrors(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct fixture f = { .a = &a, .err = ERR_INIT(&a) };
	struct buf b;

	buf_init(&b, &a);
	buf_addz(&b, IMAGE("insecureRegistries: [\"*.m.example\"], "
			   "blockedRegistries: [s7.example/b]") "---\n");
	buf_addz(&b, "{apiVersion: config.openshift.io/v1, kind: "
		     "ImageDigestMirrorSet, metadata: {name: m}, spec: "
		     "{imageDigestMirrors: [");
	for (int i = 0; i < 5000; i++)
		buf_addf(&b,
			 "{source: s%d.example, mirrors: [x%d.m.example, "
			 "y%d.example]}, ",
			 i, i, i);
	buf_addz(&b, "]}}\n");
	load_text(&f, b.p);
	ASSERT_INT(0, run(&f, false, S(""), S(BASE)));
	ASSERT_INT(2, f.files.n);
	ASSERT(str_find(f.files.v[0].data, S("\n[[registry]]\n  prefix = \"\"\n  location = "
					     "\"s7.example/b\"\n  blocked = true\n\n  "
					     "[[registry.mirror]]\n    location = "
					     "\"x7.m.example/b\"\n    insecure = true\n    "
					     "pull-from-mirror = \"digest-only\"\n\n  "
					     "[[registry.mirror]]\n    location = "
					     "\"y7.example/b\"\n    pull-from-mirror = "
					     "\"digest-only\"\n")) >= 0);
	PASS();
}

TEST one_more_is_accepted(void)
{
	static const struct {
		const char *policy, *want;
	} cases[] = {
		{ "{\"default\":[{\"type\":\"insecureAcceptAnything\"}]}",
		  "{\n  \"default\": [\n    {\n      \"type\": "
		  "\"insecureAcceptAnything\"\n    }\n  ],\n"
		  "  \"transports\": {\n    \"containers-storage\": {\n"
		  "      \"[o@/r]q@i\": [\n        {\n          \"type\": "
		  "\"insecureAcceptAnything\"\n        }\n      ]\n    }\n"
		  "  }\n}" },
		/* signedIdentity is added where it is missing */
		{ "{\"default\":[{\"type\":\"reject\"}],\"transports\":{"
		  "\"docker\":{\"q\":[{\"keyPath\":\"/k\",\"keyType\":"
		  "\"GPGKeys\",\"type\":\"signedBy\"}]},\"containers-storage\":"
		  "{\"\":[{\"type\":\"reject\"}]}}}",
		  "{\n  \"default\": [\n    {\n      \"type\": \"reject\"\n"
		  "    }\n  ],\n  \"transports\": {\n"
		  "    \"containers-storage\": {\n      \"\": [\n        {\n"
		  "          \"type\": \"reject\"\n        }\n      ],\n"
		  "      \"[o@/r]q@i\": [\n        {\n          \"type\": "
		  "\"insecureAcceptAnything\"\n        }\n      ]\n    },\n"
		  "    \"docker\": {\n      \"q\": [\n        {\n"
		  "          \"type\": \"signedBy\",\n"
		  "          \"keyType\": \"GPGKeys\",\n"
		  "          \"keyPath\": \"/k\",\n"
		  "          \"signedIdentity\": {\n"
		  "            \"type\": \"matchRepoDigestOrExact\"\n"
		  "          }\n        }\n      ]\n    }\n  }\n}" },
		{ "{\"default\":[]}", "Error: List of verification policy requirements must not "
				      "be empty" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct str got;

		if (registries_accept(&a, str_of(cases[i].policy), S("containers-storage"),
				      S("[o@/r]q@i"), &got, &err) < 0)
			got = str_fmt(&a, "Error: %.*s", STRF(err.msg));
		ASSERT_STR_M(cases[i].policy, str_of(cases[i].want), got);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_cases);
	RUN_TEST(refusals);
	RUN_TEST(live_allows_the_payload_once);
	RUN_TEST(conflicts_are_told);
	RUN_TEST(many_mirrors);
	RUN_TEST(one_more_is_accepted);
}

TEST_MAIN(suite)
