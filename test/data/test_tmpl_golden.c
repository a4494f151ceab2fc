/*
 * Upstream's golden templates with plain data, byte for byte. Those with the data of the template
 * controller need its functions and are tested elsewhere.
 */
#include "../test.h"

#include <dirent.h>
#include <unistd.h>

#include "data/tmpl.h"

#define CASES "test/golden/gotemplate"

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static struct str evaluate(struct arena *a, struct str text, struct str data)
{
	struct err err = ERR_INIT(a);
	struct json *j;
	struct tmpl *t;
	struct buf b;

	if (json_parse(a, data, NULL, &j, &err) < 0)
		return err.msg;
	if (tmpl_parse(a, "template.tmpl", text, NULL, &t, &err) < 0)
		return str_fmt(a, "failed to parse template template.tmpl: %.*s\n", STRF(err.msg));
	buf_init(&b, a);
	if (tmpl_run(a, t, tmpl_from_json(a, j), NULL, &b, &err) < 0)
		return str_fmt(a, "failed to execute template: %.*s\n", STRF(err.msg));
	return buf_str(&b);
}

static bool run_case(const char *dir)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const char *want = str_fmt(&a, "%s/expected.txt", dir).p;

	if (access(want, R_OK) < 0)
		want = str_fmt(&a, "%s/error.txt", dir).p;
	return test_same(dir, test_file(&a, want),
			 evaluate(&a, test_file(&a, str_fmt(&a, "%s/template.tmpl", dir).p),
				  test_file(&a, str_fmt(&a, "%s/data.json", dir).p)));
}

TEST golden_templates(void)
{
	struct dirent **list = NULL;
	int n = scandir(CASES, &list, NULL, by_name), run = 0, bad = 0;

	if (n < 0)
		FAILm("no " CASES);
	for (int i = 0; i < n; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const char *dir = str_fmt(&a, CASES "/%s", list[i]->d_name).p;

		if (access(str_fmt(&a, "%s/data.json", dir).p, R_OK) == 0) {
			run++;
			bad += !run_case(dir);
		}
		free(list[i]);
	}
	free(list);
	(void)printf("%d golden templates, %d differ\n", run, bad);
	ASSERT_INT(0, bad);
	ASSERT_INT(52, run);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_templates);
}

TEST_MAIN(suite)
