/* The result of a validation and of a change: lines, sums, JSON. */
#include "../test.h"

#include "base/terminal.h"
#include "view/change_text.h"
#include "view/findings.h"

static struct arena a = ARENA_INIT;

static struct mc_findings list_of(size_t errors, size_t warnings)
{
	struct mc_findings out = { 0 };

	for (size_t i = 0; i < errors + warnings; i++)
		VEC_PUSH(&a, &out,
			 ((struct mc_finding){ .error = i < errors,
					       .file = S("x.yaml"),
					       .line = i + 1,
					       .col = 2,
					       .object = S("MachineConfig x"),
					       .path = S("spec"),
					       .message = S("bad\nand long") }));
	return out;
}

static const struct {
	size_t errors, warnings, objects;
	const char *want;
} sums[] = {
	{ 1, 0, 3, "1 error\n" },
	{ 2, 1, 3, "2 errors, 1 warning\n" },
	{ 0, 2, 3, "2 warnings\n" },
	{ 0, 0, 1, "1 object, 0 MachineConfigs: valid\n" },
	{ 0, 0, 2, "2 objects, 0 MachineConfigs: valid\n" },
};

TEST the_sum_counts_errors_and_warnings(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
		struct mc_findings list = list_of(sums[i].errors, sums[i].warnings);
		struct mc_set set = { .objects = sums[i].objects };
		struct buf b;

		buf_init(&b, &a);
		findings_sum(&b, &list, &set);
		ASSERT_STR_M(sums[i].want, str_of(sums[i].want), buf_str(&b));
	}
	PASS();
}

TEST a_finding_is_one_line(void)
{
	struct mc_findings list = list_of(1, 0);
	struct buf b;

	buf_init(&b, &a);
	findings_text(&b, &a, &list);
	ASSERT_STR("x.yaml:1:2: error: MachineConfig x: spec: bad\n", buf_str(&b));
	PASS();
}

TEST the_report_has_everything(void)
{
	struct mc_findings list = list_of(0, 1);
	struct mc_set set = { .objects = 1 };
	struct strs notes = { 0 };
	struct buf b;

	VEC_PUSH(&a, &notes, S("a note"));
	buf_init(&b, &a);
	json_encode(&b, findings_report(&a, &list, &set, &notes, S("no cluster")), 0);
	ASSERT_STR("{\"findings\":[{\"severity\":\"warning\",\"file\":\"x.yaml\",\"line\":1,"
		   "\"column\":2,\"object\":\"MachineConfig x\",\"path\":\"spec\","
		   "\"message\":\"bad\\nand long\"}],\"errors\":0,\"warnings\":1,\"objects\":1,"
		   "\"notes\":[\"a note\"],\"error\":\"no cluster\"}",
		   buf_str(&b));
	PASS();
}

/* ---- changes ------------------------------------------------------------- */

TEST a_change_lists_what_it_prunes_and_refuses(void)
{
	struct change c = { 0 };
	struct preview_refusal f = { .object = S("KubeletConfig k\033"),
				     .file = S("k.yaml"),
				     .message = S("why") };
	struct forecasts none = { 0 };
	struct config_diff_opts o = { 0 };
	struct strs warnings = { 0 };
	struct buf b;

	VEC_PUSH(&a, &c.pruned, S("MachineConfig \033x"));
	VEC_PUSH(&a, &c.assumed, S("a default"));
	VEC_PUSH(&a, &f.pools, S("worker"));
	VEC_PUSH(&a, &c.caused, f);
	buf_init(&b, &a);
	change_text(&b, &a, &c, &none, &o);
	ASSERT_STR("pruned: MachineConfig \033x\n\n"
		   "refused: KubeletConfig k\033 (k.yaml): why\n",
		   buf_str(&b));
	o.colour = true;
	buf_init(&b, &a);
	change_text(&b, &a, &c, &none, &o);
	ASSERT_STR("pruned: MachineConfig \\x1bx\n\n" TERMINAL_BOLD
		   "refused: KubeletConfig k\\x1b (k.yaml): why" TERMINAL_OFF "\n",
		   buf_str(&b));
	buf_init(&b, &a);
	change_assumed_text(&b, &c);
	ASSERT_STR("assumed: a default\n", buf_str(&b));
	buf_init(&b, &a);
	c.pruned.n = 0;
	json_encode(&b, change_json(&a, &c, json_new(&a, JSON_ARRAY), &warnings), 0);
	ASSERT_STR("{\"differences\":[],\"refusals\":[{\"object\":\"KubeletConfig k\\u001b\","
		   "\"file\":\"k.yaml\",\"message\":\"why\",\"pools\":[\"worker\"]}],"
		   "\"pruned\":[],\"assumptions\":[\"a default\"],\"warnings\":[]}",
		   buf_str(&b));
	PASS();
}

static void suite(void)
{
	RUN_TEST(the_sum_counts_errors_and_warnings);
	RUN_TEST(a_finding_is_one_line);
	RUN_TEST(the_report_has_everything);
	RUN_TEST(a_change_lists_what_it_prunes_and_refuses);
	arena_free(&a);
}

TEST_MAIN(suite)
