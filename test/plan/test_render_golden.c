/*
 * Upstream's golden cases, in process: the rendered config must equal
 * upstream's byte for byte, and what upstream refuses must be refused with the
 * same message.
 */
#include "../test.h"

#include <dirent.h>
#include <unistd.h>

#include "data/yml.h"
#include "plan/render.h"

#define CASES "test/golden/render"

/*
 * These pools also include what upstream generates from templates, which the
 * renderer alone does not have: test_bootstrap.c covers them.
 */
static const char *const from_templates[] = {
	"031-custom-pool-inherits-worker",
	"032-master-and-worker-from-templates",
};

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int load_dir(struct arena *a, const char *dir, const char *shown, struct mc_set *set,
		    struct err *err)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, visible, by_name), rc = 0;

	for (int i = 0; i < n; i++) {
		struct mc_fault fault = { 0 };
		struct str path = str_fmt(a, "%s/%s", shown, list[i]->d_name);
		struct str text = test_file(a, str_fmt(a, "%s/%s", dir, list[i]->d_name).p);

		if (rc == 0)
			rc = mc_load(a, path, text, set, &fault, err);
		free(list[i]);
	}
	free(list);
	return rc;
}

static bool same_file(struct arena *a, const char *dir, struct str name, const struct json *object)
{
	struct str path = str_fmt(a, "%s/expected/machine-configs/%.*s.yaml", dir, STRF(name));
	struct err err = ERR_INIT(a);
	struct buf b;

	if (access(path.p, R_OK) < 0) {
		(void)printf("%s: upstream has no %.*s\n", dir, STRF(name));
		return false;
	}
	buf_init(&b, a);
	if (yml_emit(&b, object, &err) < 0) {
		(void)printf("%s: %.*s\n", dir, STRF(err.msg));
		return false;
	}
	return test_same(dir, test_file(a, path.p), buf_str(&b));
}

static bool same_error(struct arena *a, const char *dir, struct str got)
{
	struct str path = str_fmt(a, "%s/expected/error.txt", dir), want, line;

	if (access(path.p, R_OK) < 0) {
		(void)printf("%s: unexpected error: %.*s\n", dir, STRF(got));
		return false;
	}
	want = test_file(a, path.p);
	line = got.n && got.p[got.n - 1] == '\n' ? got : str_fmt(a, "%.*s\n", STRF(got));
	return test_same(dir, want, line);
}

static bool run_case(const char *dir)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_set set = { 0 };
	bool expects_error = access(str_fmt(&a, "%s/expected/error.txt", dir).p, R_OK) == 0;

	if (load_dir(&a, str_fmt(&a, "%s/input", dir).p, "input", &set, &err) < 0)
		return same_error(&a, dir, err.msg);
	for (size_t i = 0; i < set.pools.n; i++) {
		struct render_in in = {
			.raw = S("v4.22.0"),
			.hash = S("0123456789abcdef0123456789abcdef01234567"),
			.controller_config = set.controller_config,
			.pool = set.pools.v[i],
			.mcs = &set.mcs,
		};
		struct rendered r;

		if (plan_render(&a, &in, &r, NULL, &err) < 0)
			return same_error(&a, dir, err.msg);
		if (!expects_error && !same_file(&a, dir, r.name, r.object))
			return false;
	}
	if (expects_error)
		(void)printf("%s: no error\n", dir);
	return !expects_error;
}

TEST golden_cases(void)
{
	struct dirent **list = NULL;
	int n = scandir(CASES, &list, visible, by_name), bad = 0, run = 0;

	if (n < 0)
		FAILm("no " CASES);
	for (int i = 0; i < n; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		bool skip = false;

		for (size_t k = 0; k < 2; k++)
			skip |= !strcmp(list[i]->d_name, from_templates[k]);
		if (!skip) {
			run++;
			bad += !run_case(str_fmt(&a, CASES "/%s", list[i]->d_name).p);
		}
		free(list[i]);
	}
	free(list);
	(void)printf("%d golden cases, %d differ\n", run, bad);
	ASSERT_INT(96, run);
	ASSERT_INT(0, bad);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_cases);
}

TEST_MAIN(suite)
