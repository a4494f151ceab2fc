/*
 * Bootstrap manifests with any content: registries, policies, kubelet and
 * runtime configs over a small template tree; and the same as a preview.
 */
#include "fuzz.h"

#include "plan/bootstrap.h"
#include "plan/config/config_lint.h"
#include "plan/preview.h"
#include "plan/config/registries_lint.h"

#define FILE(name, path, text)                                                                 \
	{                                                                                      \
		{ "worker/01-worker/_base/files/" name,                                        \
		  sizeof("worker/01-worker/_base/files/" name) - 1 },                          \
		{                                                                              \
			"path: " path "\nmode: 0644\ncontents: {inline: '" text "'}\n",        \
				sizeof("path: " path "\nmode: 0644\ncontents: {inline: '" text \
				       "'}\n") -                                               \
					1                                                      \
		}                                                                              \
	}
#define DIR(path)                           \
	{                                   \
		{ path, sizeof(path) - 1 }, \
		{                           \
			"", 0               \
		}                           \
	}

static struct template_file files[] = {
	DIR("worker/"),
	DIR("worker/01-worker/"),
	DIR("worker/01-worker/_base/"),
	DIR("worker/01-worker/_base/files/"),
	FILE("k", "/etc/kubernetes/kubelet.conf", "{kind: KubeletConfiguration, maxPods: 7}"),
	FILE("p", "/etc/containers/policy.json", "{\"default\": [{\"type\": \"reject\"}]}"),
	FILE("r", "/etc/containers/registries.conf", "a = 1"),
	FILE("s", "/etc/containers/storage.conf", "[storage]"),
};

static void preview(struct arena *a, const struct mc_set *set, const struct mc_set *touched)
{
	struct preview_in in = { .set = set, .touched = touched, .hash = S("h") };
	struct preview out;

	plan_preview(a, &in, &out);
	for (size_t i = 0; i < out.refused.n; i++)
		MUST(out.refused.v[i].message.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct bootstrap_file f = { S("f"), { (const char *)data, size } };
	struct template_tree tree = { .dir = S("t"), .v = files, .n = ARRAY_LEN(files) };
	struct bootstrap_in in = {
		.manifests = { &f, 1, 1 },
		.manifest_dir = S("d"),
		.pull_secret = S("{apiVersion: v1, kind: Secret, type: kubernetes.io/"
				 "dockerconfigjson, data: {.dockerconfigjson: e30=}}"),
		.templates = &tree,
		.raw = S("v"),
		.hash = S("h"),
		.release = S("1"),
	};
	struct bootstrap_out out = { 0 };
	struct mc_fault fault = { 0 };
	struct mc_set set = { 0 };
	struct mc_findings found = { 0 };

	if (plan_bootstrap(&a, &in, &out, &err) < 0)
		MUST(err.msg.n && !out.files.n);
	else
		MUST(out.files.n);
	if (mc_load(&a, f.path, f.text, &set, &fault, &err) == 0) {
		for (size_t i = 0; i < set.others.n; i++)
			config_lint(&a, set.others.v[i], &found);
		registries_lint(&a, &set, &found);
		preview(&a, &set, NULL);
		/* the same objects, all newly applied */
		preview(&a, &set, &set);
	}
	arena_free(&a);
	return 0;
}
