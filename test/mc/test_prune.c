/* What --prune removes, and the label selectors that limit it. */
#include "../test.h"

#include "mc/prune.h"

#define API "apiVersion: machineconfiguration.openshift.io/v1\n"
#define CONFIG "apiVersion: config.openshift.io/v1\n"

static const char base[] = API
	"kind: MachineConfig\n"
	"metadata: {name: 50-a, labels: {t: red}}\nspec: {}\n---\n" API "kind: MachineConfig\n"
	"metadata: {name: 51-b, labels: {t: blue}}\nspec: {}\n---\n" API "kind: MachineConfig\n"
	"metadata: {name: 00-worker, annotations: {machineconfiguration."
	"openshift.io/generated-by-controller-version: x}}\nspec: {}\n---\n" API
	"kind: MachineConfig\nmetadata: {name: rendered-worker-1}\nspec: {}\n"
	"---\n" API "kind: MachineConfig\nmetadata: {name: 99-worker-ssh}\nspec: {}\n---\n" API
	"kind: MachineConfig\nmetadata: {name: 99-worker-generated-kubelet, annotations: {machineconfiguration.openshift.io/generated-by-controller-version: x}}\n"
	"spec: {}\n---\n" API
	"kind: MachineConfigPool\nmetadata: {name: worker}\nspec: {}\n---\n" API
	"kind: MachineConfigPool\nmetadata: {name: infra, labels: {t: red}}\n"
	"spec: {}\n---\n" API "kind: MachineConfigPool\nmetadata: {name: edge, labels: {"
	"machineconfiguration.openshift.io/mco-built-in: ''}}\nspec: {}\n---\n" API
	"kind: KubeletConfig\nmetadata: {name: k, finalizers: ["
	"99-worker-generated-kubelet]}\nspec: {}\n---\n" CONFIG
	"kind: Image\nmetadata: {name: cluster}\nspec: {}\n---\n" CONFIG
	"kind: ImageDigestMirrorSet\nmetadata: {name: m}\nspec: {}\n---\n" CONFIG
	"kind: ClusterImagePolicy\nmetadata: {name: openshift, annotations: {"
	"include.release.openshift.io/x: 'true'}}\nspec: {}\n---\n" CONFIG
	"kind: ImagePolicy\nmetadata: {name: p, namespace: one}\nspec: {}\n"
	"---\n" CONFIG "kind: ImagePolicy\nmetadata: {name: p, namespace: two}\nspec: {}\n";

static const struct {
	const char *name, *selector, *change, *want, *left;
} cases[] = {
	{ "all that users own", "", "",
	  "MachineConfig 50-a, MachineConfig 51-b, MachineConfigPool infra, "
	  "KubeletConfig k, ImageDigestMirrorSet m, ImagePolicy one/p, "
	  "ImagePolicy two/p",
	  "MachineConfig 00-worker, MachineConfig rendered-worker-1, "
	  "MachineConfig 99-worker-ssh, MachineConfig "
	  "99-worker-generated-kubelet, MachineConfigPool worker, "
	  "MachineConfigPool edge, Image cluster, ClusterImagePolicy "
	  "openshift" },
	{ "within a selector", "t=red", "", "MachineConfig 50-a, MachineConfigPool infra", NULL },
	{ "of a set", "t in (red, blue), !x", "",
	  "MachineConfig 50-a, MachineConfig 51-b, MachineConfigPool infra", NULL },
	{ "but what is given", "t",
	  API "kind: MachineConfig\nmetadata: {name: 50-a}\nspec: {}\n---\n" API
	      "kind: MachineConfigPool\nmetadata: {name: infra}\nspec: {}\n",
	  "MachineConfig 51-b", NULL },
	{ "by kind, namespace and name", "!t",
	  CONFIG "kind: ImagePolicy\nmetadata: {name: p, namespace: two}\nspec: {}\n"
		 "---\n" CONFIG "kind: ImageTagMirrorSet\nmetadata: {name: m}\nspec: {}\n",
	  "KubeletConfig k, ImageDigestMirrorSet m, ImagePolicy one/p", NULL },
};

static struct mc_set loaded(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct mc_fault fault = { 0 };
	struct mc_set set = { 0 };

	if (mc_load(a, S("test"), str_of(text), &set, &fault, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
	return set;
}

static struct str joined(struct arena *a, const struct mc_set *set)
{
	struct strs names = mc_set_names(a, set);
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < names.n; i++)
		buf_addf(&b, "%s%.*s", i ? ", " : "", STRF(names.v[i]));
	return buf_str(&b);
}

TEST pruned(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mc_set all = loaded(&a, base), removed, kept;
		struct mc_set change = loaded(&a, cases[i].change);
		struct err err = ERR_INIT(&a);
		struct selector s;

		ASSERT_INT_M(cases[i].name, 0,
			     selector_parse(&a, str_of(cases[i].selector), &s, &err));
		kept = mc_prune(&a, &all, &change, s.n ? &s : NULL, &removed);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), joined(&a, &removed));
		if (cases[i].left)
			ASSERT_STR_M(cases[i].name, str_of(cases[i].left), joined(&a, &kept));
	}
	PASS();
}

TEST selected(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set all = loaded(&a, base), some;
	struct err err = ERR_INIT(&a);
	struct selector s;

	ASSERT_INT(0, selector_parse(&a, S("t==blue"), &s, &err));
	some = mc_selected(&a, &all, &s);
	ASSERT_STR("MachineConfig 51-b", joined(&a, &some));
	PASS();
}

TEST bad_selectors(void)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{ "a=b,", "found '', expected: identifier after ','" },
		{ "a b", "unable to parse requirement: found 'b', expected: '=',"
			 " '!=', '==', 'in', notin'" },
		{ "a in b", "unable to parse requirement: found 'b' expected: "
			    "'('" },
		{ "=b", "found '=', expected: !, identifier, or 'end of string'" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = ERR_INIT(&a);
		struct selector s;

		ASSERT_INT_M(bad[i].text, -ERR_INVALID,
			     selector_parse(&a, str_of(bad[i].text), &s, &err));
		ASSERT_STR_M(bad[i].text, str_of(bad[i].want), err.msg);
	}
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(pruned);
	RUN_TEST(selected);
	RUN_TEST(bad_selectors);
	GREATEST_MAIN_END();
}
