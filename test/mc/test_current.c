/*
 * currentconfig and the hash in its name: configs that upstream rendered match,
 * in the form that its daemon keeps on a node; configs changed afterwards do
 * not.
 */
#include "../test.h"

#include <glob.h>

#include "mc/current.h"

static int check_text(struct arena *a, struct str text, struct err *err)
{
	struct mc_current c;
	int rc = mc_current_parse(a, text, &c, err);

	return rc < 0 ? rc : mc_current_check(a, &c, err);
}

static struct str replaced(struct arena *a, struct str text, const char *from, const char *to)
{
	ptrdiff_t at = str_find(text, str_of(from));

	if (at < 0)
		return text;
	return str_fmt(a, "%.*s%s%.*s", (int)at, text.p, to,
		       STRF(str_from(text, (size_t)at + strlen(from))));
}

static int refused;

/* As upstream's daemon writes it, and with one word changed. */
static bool matches(const char *path)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_current c;
	struct str text;
	int rc = mc_current_parse(&a, test_file(&a, path), &c, &err);

	if (rc < 0) /* upstream renders a few configs that its daemon refuses */
		return ++refused < 5;
	rc = mc_current_check(&a, &c, &err);
	if (rc == 0)
		rc = check_text(&a, c.text, &err);
	if (rc < 0) {
		(void)printf("%s: %.*s\n", path, STRF(err.msg));
		return false;
	}
	text = replaced(&a, c.text, "\"fips\":false", "\"fips\":true");
	if (str_eq(text, c.text))
		text = replaced(&a, c.text, "\"fips\":true", "\"fips\":false");
	return check_text(&a, text, &err) == -ERR_INVALID;
}

TEST what_upstream_rendered(void)
{
	static const char *const dirs[] = { "render", "controllers" };

	for (int d = 0; d < 2; d++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		glob_t found;

		ASSERT_INT(0, glob(str_fmt(&a,
					   "test/golden/%s/*/expected/"
					   "machine-configs/rendered-*.yaml",
					   dirs[d])
					   .p,
				   0, NULL, &found));
		ASSERT(found.gl_pathc > 60);
		for (size_t i = 0; i < found.gl_pathc; i++)
			ASSERTm(found.gl_pathv[i], matches(found.gl_pathv[i]));
		globfree(&found);
	}
	PASS();
}

#define SPEC(ext, kargs)                                                        \
	ext "\"config\":{\"ignition\":{\"version\":\"3.5.0\"}},\"extensions\":" \
	    "[],\"fips\":false,\"kernelArguments\":" kargs                      \
	    ",\"kernelType\":\"default\",\"osImageURL\":\"q\""

/* Whether the name's hash is one of the hashes that a spec can have. */
TEST names_and_hashes(void)
{
	static const char *const pools[] = { "worker", "a-b-c", "x" };
	static const char *const other[] = {
		"r1",
		"rendered-worker",
		"rendered-worker-0123456789abcdef0123456789abcde",
		"rendered-worker-0123456789abcdef0123456789abcdeg",
		"rendered--0123456789abcdef0123456789abcdef",
		"99-worker-0123456789abcdef0123456789abcdef",
	};
	static const struct {
		const char *name, *hashed, *kept;
		int rc;
	} cases[] = {
		{ "as it is", SPEC("\"baseOSExtensionsContainerImage\":\"e\",", "[]"),
		  SPEC("\"baseOSExtensionsContainerImage\":\"e\",", "[]"), 0 },
		{ "no list", SPEC("", "[]"), SPEC("", "null"), 0 },
		{ "a field that came later", SPEC("", "[]"),
		  SPEC("\"baseOSExtensionsContainerImage\":\"\",", "[]"), 0 },
		{ "a field with another value",
		  SPEC("\"baseOSExtensionsContainerImage\":\"e\",", "[]"),
		  SPEC("\"baseOSExtensionsContainerImage\":\"f\",", "[]"), -ERR_INVALID },
		{ "a field that is gone", SPEC("\"baseOSExtensionsContainerImage\":\"e\",", "[]"),
		  SPEC("", "[]"), -ERR_INVALID },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int p = 0; p < 3; p++) {
			struct json *spec;
			struct str name, text;

			ASSERT_INT(0, json_parse(&a, str_fmt(&a, "{%s}", cases[i].hashed), NULL,
						 &spec, &err));
			ASSERT_INT(0, mc_rendered_name(&a, str_of(pools[p]), spec, &name, &err));
			text = str_fmt(&a,
				       "{\"metadata\":{\"name\":\"%.*s\"},"
				       "\"spec\":{%s}}",
				       STRF(name), cases[i].kept);
			ASSERT_EQm(cases[i].name, cases[i].rc, check_text(&a, text, &err));
		}
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		ASSERT_EQm(other[i], 0,
			   check_text(&a,
				      str_fmt(&a,
					      "{\"metadata\":{\"name\":\"%s\"},"
					      "\"spec\":{" SPEC("", "[]") "}}",
					      other[i]),
				      &err));
	PASS();
}

/* Only a rendered config is a complete one. */
TEST rendered_or_a_part(void)
{
#define NOTE(key) ",\"annotations\":{\"machineconfiguration.openshift.io/" key "\":\"\"}"
	static const struct {
		const char *name, *more;
		bool want;
	} cases[] = {
		{ "rendered-worker-0123456789abcdef0123456789abcdef", "", true },
		{ "rendered-a-b-0123456789abcdef0123456789abcdef", "", true },
		{ "rendered-0123456789abcdef0123456789abcdef", "", false },
		{ "rendered-worker", "", false },
		{ "99-worker-ssh", "", false },
		{ "00-worker", NOTE("generated-by-controller-version"), false },
		{ "r1", NOTE("release-image-version"), true },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mc_current c;

		ASSERT_INT(0, mc_current_parse(&a,
					       str_fmt(&a,
						       "{\"metadata\":{\"name\":\"%s\"%s},"
						       "\"spec\":{" SPEC("", "[]") "}}",
						       cases[i].name, cases[i].more),
					       &c, &err));
		ASSERT_EQm(cases[i].name, cases[i].want, mc_current_rendered(&c));
	}
	PASS();
}

SUITE(current)
{
	RUN_TEST(what_upstream_rendered);
	RUN_TEST(names_and_hashes);
	RUN_TEST(rendered_or_a_part);
}

TEST_MAIN(current)
