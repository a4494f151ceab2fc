/* Whole manifests: loaded, checked, rendered, planned. The same bytes also as TOML. */
#include "fuzz.h"

#include "data/toml.h"
#include "data/yml.h"
#include "mc/made_from.h"
#include "mc/lint.h"
#include "plan/render.h"
#include "plan/update.h"
#include "view/parts.h"

/* As validate does: only a limit stops it, whatever is wrong. */
static void review(struct str in)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_findings found = { 0 };
	struct mc_fault fault = { 0 };
	struct mc_review seen = { 0 };
	struct mc_set set = { .review = &seen };
	int rc = mc_load(&a, S("f"), in, &set, &fault, &err);

	MUST(rc != -ERR_INVALID);
	mc_lint_faults(&a, &seen.faults, &found);
	mc_lint_docs(&a, &seen.docs, &found);
	for (size_t i = 0; i < set.mcs.n; i++) {
		mc_lint(&a, set.mcs.v[i], &found);
		mc_lint_refused(&a, set.mcs.v[i], &found);
	}
	mc_findings_sort(&found);
	for (size_t i = 0; i < found.n; i++)
		MUST(found.v[i].message.n);
	arena_free(&a);
}

/* The origin of the parts of a config, whatever was edited after it was rendered. */
static void blame(struct arena *a, const struct mc_set *set, const struct mc_merged *config,
		  const struct mc_list *sources, bool exact)
{
	struct mc_origins_in in = { config, sources, exact };
	struct mc_origins out;

	mc_origins(a, &in, &out);
	mc_made_from_all(a, set, &out);
	for (size_t i = 0; i < out.n; i++) {
		MUST(mc_part_text(a, out.v[i]).n || !out.v[i]->key.n);
		MUST(!exact || out.v[i]->n);
	}
	(void)parts_json(a, &(struct parts_view){ S("c"), &out, false });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };
	struct mc_findings found = { 0 };
	struct mc_fault fault = { 0 };
	struct mc_set set = { 0 };
	struct json *j;

	review(in);
	(void)docs_comment(&a, in);
	if (toml_parse(&a, in, &j, &err) < 0)
		MUST(err.msg.n);
	if (mc_load(&a, S("f"), in, &set, &fault, &err) < 0) {
		MUST(err.msg.n);
		arena_free(&a);
		return 0;
	}
	for (size_t i = 0; i < set.mcs.n; i++)
		mc_lint(&a, set.mcs.v[i], &found);
	for (size_t i = 0; i < set.pools.n; i++) {
		struct render_in r = {
			.raw = S("v"), .hash = S("h"), .pool = set.pools.v[i], .mcs = &set.mcs
		};
		struct update_plan plan;
		struct rendered out;
		struct update_in u = { .from = &out.merged, .to = &out.merged };

		plan_render_adopt(&a, &set, &r);
		if (plan_render(&a, &r, &out, NULL, &err) < 0) {
			MUST(err.msg.n);
			continue;
		}
		MUST(plan_update(&a, &u, &plan, &err) == 0);
		MUST(!plan.reboot && !plan.drain);
		blame(&a, &set, &out.merged, &out.sources, true);
		blame(&a, &set, &out.merged, &set.mcs, false);
	}
	arena_free(&a);
	return 0;
}
