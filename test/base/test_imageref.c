/* Image references, as docker/reference parses them. */
#include "base/imageref.h"
#include "../test.h"

#define HEX32 "0123456789abcdef0123456789abcdef"
#define HEX64 HEX32 HEX32

static const struct {
	const char *text;
	const char *name, *tag, *digest; /* NULL in all three: expect error */
	const char *error;
} cases[] = {
	{ "h.example/a", "h.example/a", "", "", NULL },
	{ "h.example:5000/a/b_c/d__e/f---g:v1.0", "h.example:5000/a/b_c/d__e/f---g", "v1.0", "",
	  NULL },
	{ "localhost/a@sha256:" HEX64, "localhost/a", "", "sha256:" HEX64, NULL },
	{ "h.example/a:t@sha256:" HEX64, "h.example/a", "t", "sha256:" HEX64, NULL },
	{ "h_x.example/a", "h_x.example/a", "", "", NULL },
	{ .text = "fedora", .error = "repository name must be canonical" },
	{ .text = "docker.io/fedora", .error = "repository name must be canonical" },
	{ .text = "index.docker.io/x/y", .error = "repository name must be canonical" },
	{ .text = "h.example/A",
	  .error = "invalid reference format: repository name must be "
		   "lowercase" },
	{ .text = "h..example/a", .error = "invalid reference format" },
	{ .text = "H..example/a", .error = "invalid reference format" },
	{ .text = "H_x.example/a", .error = "repository name must be lowercase" },
	{ .text = "h.example/a..b", .error = "invalid reference format" },
	{ .text = "h.example/a-_b", .error = "invalid reference format" },
	{ .text = "h.example/a___b", .error = "invalid reference format" },
	{ .text = "h.example/a_", .error = "invalid reference format" },
	{ .text = "h.example/", .error = "invalid reference format" },
	{ .text = "h.example:x/a", .error = "invalid reference format" },
	{ .text = "h.example/a:-t", .error = "invalid reference format" },
	{ .text = "h.example/a:", .error = "invalid reference format" },
	{ .text = "h.example/a@sha256:12", .error = "invalid reference format" },
	{ .text = "h.example/a@sha256:" HEX32, .error = "invalid checksum digest length" },
	{ .text = "h.example/a@SHA256:" HEX64,
	  .error = "invalid reference format: repository name must be "
		   "lowercase" },
	{ .text = "h.example/a:b@SHA256:" HEX64, .error = "invalid checksum digest format" },
	{ .text = "h.example/a@md5:" HEX32, .error = "unsupported digest algorithm" },
	{ .text = HEX64,
	  .error = "invalid repository name (" HEX64
		   "), cannot specify 64-byte hexadecimal strings" },
	{ .text = "", .error = "invalid reference format" },
};

TEST canonical_references(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct imageref r = { 0 };
		int rc = imageref_canonical(&a, str_of(cases[i].text), &r, &err);

		if (cases[i].error) {
			ASSERT_INT_M(cases[i].text, -ERR_INVALID, rc);
			ASSERT_STR_M(cases[i].text, str_of(cases[i].error), err.msg);
			continue;
		}
		ASSERT_INT_M(cases[i].text, 0, rc);
		ASSERT_STR_M(cases[i].text, str_of(cases[i].name), r.name);
		ASSERT_STR_M(cases[i].text, str_of(cases[i].tag), r.tag);
		ASSERT_STR_M(cases[i].text, str_of(cases[i].digest), r.digest);
	}
	PASS();
}

TEST short_names_mean_docker_io(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct imageref r;

	ASSERT_INT(0, imageref_normalized(&a, S("fedora:40"), &r, &err));
	ASSERT_STR("docker.io/library/fedora", r.name);
	ASSERT_STR("40", r.tag);
	ASSERT_INT(0, imageref_normalized(&a, S("x/y"), &r, &err));
	ASSERT_STR("docker.io/x/y", r.name);
	ASSERT_INT(-ERR_INVALID, imageref_parse(S(""), &r, &err));
	ASSERT_STR("repository name must have at least one component", err.msg);
	PASS();
}

TEST names_have_an_end(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct imageref r;
	struct buf b;

	buf_init(&b, &a);
	buf_addz(&b, "h.example/");
	buf_fill(&b, 'a', 245);
	ASSERT_INT(0, imageref_canonical(&a, buf_str(&b), &r, &err));
	buf_addc(&b, 'a');
	ASSERT_INT(-ERR_INVALID, imageref_canonical(&a, buf_str(&b), &r, &err));
	ASSERT_STR("repository name must not be more than 255 characters", err.msg);
	PASS();
}

TEST places(void)
{
	ASSERT(imageref_is_place(S("h")));
	ASSERT(imageref_is_place(S("h-1.example:5000/a/b")));
	ASSERT(!imageref_is_place(S("h-/a")));
	ASSERT(!imageref_is_place(S("h.example/a:t")));
	ASSERT(!imageref_is_place(S("h.example/A")));
	ASSERT(!imageref_is_place(S("")));
	ASSERT(imageref_is_host(S("H.example:1")));
	ASSERT(!imageref_is_host(S("h.example:")));
	ASSERT(!imageref_is_host(S("h/a")));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(canonical_references);
	RUN_TEST(short_names_mean_docker_io);
	RUN_TEST(names_have_an_end);
	RUN_TEST(places);
}

TEST_MAIN(suite)
