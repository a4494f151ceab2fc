/*
 * A template tree whose files are the input, split at NUL: it renders or fails,
 * and a cached config equals the one parsed from its bytes.
 */
#include "fuzz.h"

#include "plan/template.h"

static const char *const paths[] = {
	"worker/00-worker/_base/files/a", "worker/00-worker/_base/units/b",
	"common/_base/files/c",		  "worker/00-worker/baremetal/files/a",
	"common/on-prem/units/b",
};

#define PATHS (ARRAY_LEN(paths))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char config[] = "{\"spec\":{\"clusterDNSIP\":\"10.0.0.1\",\"images\":{\"k\":"
				     "\"v\"},\"rootCAData\":\"QUI=\",\"infra\":{\"status\":{"
				     "\"controlPlaneTopology\":\"SingleReplica\","
				     "\"platformStatus\":{\"type\":\"BareMetal\",\"baremetal\":{"
				     "\"apiServerInternalIPs\":[\"192.0.2.1\"]}}}}}}";
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str rest = { (const char *)data, size };
	struct template_tree tree = { .dir = S("t") };
	struct mc_controller_config cc = { .meta = { .name = S("cc") } };
	struct template_input in = { .tree = &tree,
				     .controller_config = &cc,
				     .pull_secret = S("{}") };
	struct mc_list mcs = { 0 };
	struct json *j;

	MUST(json_parse(&a, str_of(config), NULL, &j, &err) == 0);
	cc.tree = j;
	for (size_t i = 0; i < PATHS; i++) {
		struct template_file f = { str_of(paths[i]), rest };
		struct str after = S("");

		(void)str_cut(rest, '\0', &f.text, &after);
		rest = after;
		VEC_PUSH(&a, &tree, f);
	}
	if (plan_template(&a, &in, &mcs, &err) < 0)
		MUST(err.msg.n);
	for (size_t i = 0; i < mcs.n; i++) {
		struct ign_obj *parsed;

		if (!mcs.v[i]->ignition)
			continue;
		MUST(ign_parse_35(&a, mc_config_text(&a, mcs.v[i]), &parsed, &err) == 0);
		MUST(ign_eq(parsed, mcs.v[i]->ignition));
	}
	arena_free(&a);
	return 0;
}
