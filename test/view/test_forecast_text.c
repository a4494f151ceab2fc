/* The text about a pool: the headline of every outcome. */
#include "../test.h"

#include "view/forecast_text.h"

static const struct update_plan reboots = { .drain = true, .reboot = true };
static const struct update_plan nothing = { 0 };

static const struct {
	const char *name;
	struct forecast f;
	const char *want;
} cases[] = {
	{ "an update",
	  { .plan = &reboots, .nodes = { .known = true, .n = 3, .max = 1 } },
	  "each node: drain and reboot (3 nodes, 1 at a time)" },
	{ "never more than there are",
	  { .plan = &nothing, .nodes = { .known = true, .n = 1, .max = 5 } },
	  "each node: no drain, no reboot (1 node, 1 at a time)" },
	{ "nodes that are not known",
	  { .plan = &reboots, .nodes = { .max = 2 } },
	  "each node: drain and reboot (number of nodes unknown, 2 at a "
	  "time)" },
	{ "a share of nodes that are not known",
	  { .plan = &reboots },
	  "each node: drain and reboot (number of nodes unknown)" },
	{ "no nodes",
	  { .plan = &reboots, .nodes = { .known = true, .max = 1 } },
	  "no nodes: rendered, but nothing updates" },
	{ "paused",
	  { .plan = &reboots, .nodes = { .known = true, .n = 2, .max = 1, .paused = true } },
	  "paused: rendered, but no node updates until it is unpaused; then "
	  "each node: drain and reboot (2 nodes, 1 at a time)" },
	{ "a bad maxUnavailable",
	  { .plan = &reboots, .nodes = { .known = true, .n = 2, .max_error = S("bad") } },
	  "no node updates: bad; otherwise each node: drain and reboot" },
	{ "refused by nodes",
	  { .plan = &reboots, .refused = S("why"), .nodes = { .known = true, .n = 4, .max = 2 } },
	  "refused by running nodes: why: the first nodes become Degraded and "
	  "the rollout stops (4 nodes, 2 at a time)" },
	{ "refused by nodes, and late",
	  { .plan = &reboots,
	    .refused = S("why"),
	    .refused_late = true,
	    .nodes = { .known = true, .n = 4, .max = 1 } },
	  "refused by running nodes after they were drained: why: the first "
	  "node becomes Degraded and the rollout stops (4 nodes, 1 at a "
	  "time)" },
	{ "not rendered, whatever nodes would say",
	  { .plan = &reboots, .refused = S("why"), .render_error = S("a\nb\n"), .keeps = S("r1") },
	  "cannot be rendered: a b: the pool becomes RenderDegraded and its "
	  "nodes keep r1" },
	{ "not rendered before",
	  { .render_error = S("a"), .failed_before = true },
	  "cannot be rendered, as before: a: the pool stays RenderDegraded and "
	  "has no config" },
	{ "an empty selector degrades nothing",
	  { .render_error = S("a"), .selects_all = true, .keeps = S("r1") },
	  "cannot be rendered: a: the pool is unchanged and its nodes keep "
	  "r1" },
	{ "waits for an object",
	  { .plan = &reboots, .waits = S("X y: z"), .keeps = S("r1") },
	  "not rendered until this is fixed: X y: z: its nodes keep r1" },
	{ "new",
	  { .is_new = true, .to_name = S("r2"), .nodes = { .max = 1 } },
	  "new, r2 (number of nodes unknown, 1 at a time)" },
	{ "new, with nodes of another",
	  { .is_new = true,
	    .to_name = S("r2"),
	    .plan = &reboots,
	    .partner = S("worker"),
	    .nodes = { .known = true, .n = 1, .max = 1 } },
	  "new, r2: its nodes come from pool worker: each node: drain and "
	  "reboot (1 node, 1 at a time)" },
	{ "removed", { .removed = true, .from_name = S("r1") }, "removed, was r1" },
	{ "removed, and never rendered",
	  { .removed = true, .nodes = { .known = true } },
	  "removed: no nodes" },
	{ "removed, into a pool that is paused",
	  { .removed = true,
	    .from_name = S("r1"),
	    .plan = &reboots,
	    .partner = S("worker"),
	    .nodes = { .known = true, .n = 1, .max = 1, .paused = true } },
	  "removed, was r1: its nodes go to pool worker: each node: drain and "
	  "reboot (1 node, 1 at a time), but not before pool worker is "
	  "unpaused" },
	{ "rendered again",
	  { .to_name = S("r2"), .nodes = { .known = true, .n = 1, .max = 1 } },
	  "rendered again, r2 (1 node, 1 at a time)" },
};

TEST headlines(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want),
			     forecast_headline(&a, &cases[i].f));
	PASS();
}

/* The JSON output mentions drain and reboot only where they happen. */
TEST promises(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct forecast *f = &cases[i].f;
		const struct json *j = forecast_json(&a, f);
		bool stuck = f->render_error.n || f->waits.n || !f->plan;

		ASSERT_INT_M(cases[i].name, !stuck && !f->refused.n && f->plan->reboot,
			     json_bool(j, "reboot", false));
		ASSERT_INT_M(cases[i].name,
			     !stuck && (!f->refused.n || f->refused_late) && f->plan->drain,
			     json_bool(j, "drain", false));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), json_str(j, "headline"));
	}
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(headlines);
	RUN_TEST(promises);
	GREATEST_MAIN_END();
}
