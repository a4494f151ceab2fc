/* Pinned images: the wanted images, disk space, credentials, CRI-O's file, reports. */
#include "../test.h"
#include "actions_print.h"

#include "data/grpc.h"
#include "data/json.h"
#include "plan/pin.h"
#include "plan/render_sync.h"

static struct json *tree(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	if (json_parse(a, str_of(text), NULL, &j, &err) < 0) {
		(void)printf("%s\n", err.msg.p);
		abort();
	}
	return j;
}

#define NODE(ready, disk, room)                                             \
	"{\"metadata\":{\"name\":\"n\"},\"status\":{\"allocatable\":{" room \
	"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"" ready         \
	"\"},{\"type\":\"DiskPressure\",\"status\":\"" disk                 \
	"\"},{\"type\":\"NetworkUnavailable\",\"status\":\"True\"}]}}"
#define GOOD NODE("True", "False", "\"ephemeral-storage\":\"20Gi\"")

/* The existing sets: name, uid, generation, images. */
static const struct json *find(const void *ctx, struct str name)
{
	return json_member(ctx, name);
}
#define SET(name, uid, gen, images)                                        \
	"\"" name "\":{\"metadata\":{\"name\":\"" name "\",\"uid\":\"" uid \
	"\",\"generation\":" gen "},\"spec\":{\"pinnedImages\":[" images "]}}"
#define IM(name) "{\"name\":\"" name "\"}"

struct fixture {
	struct arena a;
	struct mcp pool[2];
	struct mcp_of_node of;
	struct json *sets;
};

static void make(struct fixture *f, const char *first, const char *second, const char *sets)
{
	struct err err = ERR_INIT(&f->a);
	const char *const specs[] = { first, second };

	*f = (struct fixture){ .a = ARENA_INIT };
	for (size_t i = 0; i < 2 && specs[i]; i++) {
		(void)mcp_read(&f->a, tree(&f->a, specs[i]), &f->pool[i], &err);
		f->of.v[f->of.n++] = &f->pool[i];
	}
	f->sets = tree(&f->a, sets);
}

#define POOL(name, sets)                                                       \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"pinnedImageSets\":" \
	"[" sets "]}}"

static struct str begun(struct fixture *f, struct pins *p, const struct pins *before,
			const char *node)
{
	struct err err = ERR_INIT(&f->a);
	static const struct pins none;
	int rc = pin_begin(p, before ? before : &none, &f->of, tree(&f->a, node), find, f->sets,
			   &err);
	struct buf b;

	buf_init(&b, &f->a);
	if (rc < 0)
		buf_addf(&b, "%d %.*s;", -rc, STRF(err.msg));
	for (size_t i = 0; i < p->sets.n; i++) {
		const struct pin_set *s = &p->sets.v[i];

		buf_addf(&b, "%.*s%s%s:", STRF(s->name), s->primary ? "*" : "", s->done ? "+" : "");
		for (size_t k = 0; k < s->images.n; k++)
			buf_addf(&b, "%u", s->images.v[k]);
	}
	for (size_t i = 0; i < p->images.n; i++)
		buf_addf(&b, " %.*s/%lld/%d", STRF(p->images.v[i].name),
			 (long long)p->images.v[i].size, p->images.v[i].here);
	return buf_str(&b);
}

TEST wanted(void)
{
	struct fixture f;
	struct pins p, next;

	make(&f, POOL("infra", IM("x") "," IM("y")), POOL("worker", IM("z")),
	     "{" SET("x", "1", "4", IM("b") "," IM("a")) "," SET(
		     "y", "2", "1", IM(" a ") "," IM("  ") "," IM("c")) "," SET("z", "3", "9",
										IM("b")) "}");
	ASSERT_STR("x*:01y*:12z:0 b/-1/0 a/-1/0 c/-1/0", begun(&f, &p, NULL, GOOD));
	ASSERT_STR("infra:x/1/4,y/2/1,worker:z/3/9,", p.key);
	ASSERT_STR("[crio]\n  [crio.image]\n    pinned_images = [\"a\", "
		   "\"b\", \"c\"]\n",
		   pin_config(&f.a, &p));
	ASSERT_INT(20LL << 30, p.capacity);

	/* known facts are kept, except for another set */
	p.images.v[1].here = true;
	p.images.v[2].size = 7;
	pin_pulled(&p);
	f.sets = tree(&f.a, "{" SET("x", "1", "5", IM("c") "," IM("a")) "," SET("y", "2", "1",
										IM("a")) "}");
	ASSERT_STR("2 failed to get PinnedImageSet \"z\": "
		   "pinnedimageset.machineconfiguration.openshift.io \"z\" "
		   "not found;x*:01y*+:1 c/7/0 a/-1/1",
		   begun(&f, &next, &p, GOOD));
	ASSERT_STR("infra:x/1/5,y/2/1,worker:z//0,", next.key);
	pin_free(&p);
	pin_forget(&next);
	ASSERT_INT(0, next.sets.v[1].done);
	ASSERT_INT(-1, next.images.v[0].size);
	ASSERT_INT(0, next.images.v[1].here);
	pin_free(&next);

	arena_free(&f.a);
	make(&f, POOL("worker", ""), NULL, "{}");
	ASSERT_STR("", begun(&f, &p, NULL, "{\"status\":{\"conditions\":[]}}"));
	ASSERT_STR("", pin_config(&f.a, &p));
	pin_free(&p);
	arena_free(&f.a);
	PASS();
}

TEST node(void)
{
	static const struct {
		const char *node, *want;
	} cases[] = {
		{ NODE("False", "False", "\"ephemeral-storage\":\"20Gi\""),
		  "5 node n is reporting NotReady=False;x*:" },
		{ NODE("True", "Unknown", "\"ephemeral-storage\":\"20Gi\""),
		  "5 node n is reporting OutOfDisk=Unknown;x*:" },
		{ NODE("True", "False", "\"cpu\":\"1\""),
		  "5 node \"n\" has no ephemeral storage capacity;x*:" },
		{ NODE("True", "False", "\"ephemeral-storage\":\"17179869183\""),
		  "5 storage available is less than minimum required "
		  "capacity: 17179869183, required: 17179869184;x*:" },
		{ NODE("True", "False", "\"ephemeral-storage\":\"16Gi\""), "x*:" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct pins p;

		make(&f, POOL("worker", IM("x")), NULL, "{" SET("x", "1", "1", "") "}");
		ASSERT_STR_M(cases[i].want, str_of(cases[i].want),
			     begun(&f, &p, NULL, cases[i].node));
		pin_free(&p);
		arena_free(&f.a);
	}
	PASS();
}

TEST room(void)
{
	static const struct {
		const char *name;
		int64_t x, y;
		bool here, fits;
	} cases[] = {
		{ "just not", 1LL << 30, 1LL << 30, false, false },
		{ "just", 1LL << 30, (1LL << 30) - 1, false, true },
		{ "of what is missing", 1LL << 40, 5, true, true },
		{ "not known", -1, 5, false, true },
		{ "the largest there are", 1LL << 50, 1LL << 50, false, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct pins p;

		make(&f, POOL("worker", IM("s")), NULL,
		     "{" SET("s", "1", "1", IM("x") "," IM("y")) "}");
		(void)begun(&f, &p, NULL, GOOD);
		p.images.v[0].size = cases[i].x;
		p.images.v[0].here = cases[i].here;
		p.images.v[1].size = cases[i].y;
		ASSERT_INT_M(cases[i].name, cases[i].fits, pin_fits(&p));
		pin_free(&p);
		arena_free(&f.a);
	}
	PASS();
}

TEST sizes(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "{\"layers\":[{\"digest\":\"a\",\"size\":5},{\"digest\":\"b\""
		  ",\"size\":6}]}",
		  "11" },
		{ "{\"layers\":[{\"digest\":\"b\",\"size\":6},{\"digest\":\"c\""
		  ",\"size\":1},{\"digest\":\"d\",\"size\":-9}]}",
		  "1" },
		{ "{\"manifests\":[]}", "0" },
		{ "{\"layers\":[{\"digest\":\"e\",\"size\":9223372036854775807"
		  "},{\"digest\":\"f\",\"size\":2}]}",
		  "1125899906842624" },
		{ "Error", "failed to unmarshal manifest for \"i\": line 1, "
			   "column 1: invalid character 'E' looking for "
			   "beginning of value" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct map seen;
	int64_t n = 0;

	map_init(&seen, &a);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int rc = pin_size(&a, S("i"), str_of(cases[i].in), &seen, &n, &err);

		ASSERT_STR_M(cases[i].in, str_of(cases[i].want),
			     rc < 0 ? err.msg : str_fmt(&a, "%lld", (long long)n));
	}
	PASS();
}

TEST reports(void)
{
	struct fixture f;
	struct pins p;
	struct buf b;

	make(&f, POOL("infra", IM("x") "," IM("y")), POOL("worker", IM("z")),
	     "{" SET("x", "1", "4", "") "," SET("y", "2", "1", "") "," SET("z", "3", "9", "") "}");
	(void)begun(&f, &p, NULL, GOOD);
	p.sets.v[0].done = true;
	ASSERT_STR("[{\"name\":\"x\",\"desiredGeneration\":4,"
		   "\"currentGeneration\":4},{\"name\":\"y\","
		   "\"desiredGeneration\":1}]",
		   pin_status(&f.a, &p, false, S("")));
	ASSERT_STR("[{\"name\":\"x\",\"desiredGeneration\":4,"
		   "\"currentGeneration\":4},{\"name\":\"y\","
		   "\"desiredGeneration\":1,\"currentGeneration\":1}]",
		   pin_status(&f.a, &p, true, S("")));
	ASSERT_STR("[{\"name\":\"x\",\"desiredGeneration\":4,"
		   "\"currentGeneration\":4},{\"name\":\"y\","
		   "\"desiredGeneration\":1,\"lastFailedGeneration\":1,"
		   "\"lastFailedGenerationError\":\"why\"}]",
		   pin_status(&f.a, &p, false, S("why")));
	buf_init(&b, &f.a);
	buf_fill(&b, 'x', 40000);
	ASSERT_INT(1, pin_status(&f.a, &p, false, buf_str(&b)).n < 32768);
	pin_free(&p);
	arena_free(&f.a);
	PASS();
}

#define D64                                \
	"0123456789abcdef0123456789abcdef" \
	"0123456789abcdef0123456789abcdef"
#define AUTHS                                                                 \
	"{\"auths\":{\"quay.io\":{\"auth\":\"bWU6c2Vj\"},\"m.io\":{\"auth\":" \
	"\"bTppbw==\"},\"n.io:5000/deep\":{\"auth\":\"bjpkZWVw\"}}}"

TEST credentials(void)
{
	static const char conf[] = "[[registry]]\nprefix = \"src.io\"\nlocation = \"quay.io\"\n"
				   "[[registry.mirror]]\nlocation = \"none.io\"\n"
				   "[[registry.mirror]]\nlocation = \"tag.io\"\n"
				   "pull-from-mirror = \"tag-only\"\n"
				   "[[registry.mirror]]\nlocation = \"m.io/copy\"\n"
				   "[[registry]]\nlocation = \"src.io/ns/deep\"\n"
				   "[[registry.mirror]]\nlocation = \"n.io:5000/deep\"\n"
				   "[[registry]]\nlocation = \"strict.io\"\n"
				   "mirror-by-digest-only = true\n"
				   "[[registry.mirror]]\nlocation = \"m.io\"\n";
	static const char more[] = "[[registry]]\nlocation = \"over.io\"\n"
				   "[[registry.mirror]]\nlocation = \"m.io\"\n";
	static const char most[] = "[[registry]]\nlocation = \"over.io\"\n"
				   "[[registry.mirror]]\nlocation = \"quay.io\"\n";
	static const struct {
		const char *image, *want;
	} cases[] = {
		{ "quay.io/a/b@sha256:" D64, "me sec" },
		{ "other.io/a@sha256:" D64, "" },
		{ "src.io/x@sha256:" D64, "m io" },
		{ "src.io/ns/deep@sha256:" D64, "n deep" },
		/* an entry for a path in between is not used */
		{ "src.io/ns/deep/x@sha256:" D64, "m io" },
		{ "strict.io/x@sha256:" D64, "m io" },
		{ "over.io/x@sha256:" D64, "me sec" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct pin_auth auth;

	ASSERT_INT(0, pin_auth_load(&a, S(AUTHS), &auth, &err));
	ASSERT_INT(0, pin_auth_mirrors(&auth, str_of(conf), &err));
	ASSERT_INT(0, pin_auth_mirrors(&auth, str_of(more), &err));
	ASSERT_INT(0, pin_auth_mirrors(&auth, str_of(most), &err));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str image = str_of(cases[i].image), x, y, who = S("");
		struct str m = pin_request(&a, &auth, image);

		if (proto_find(m, 2, &x) > 0) {
			ASSERT_INT(1, proto_find(x, 2, &y));
			ASSERT_INT(1, proto_find(x, 1, &x));
			who = str_fmt(&a, "%.*s %.*s", STRF(x), STRF(y));
		}
		ASSERT_STR_M(cases[i].image, str_of(cases[i].want), who);
		m = pin_request(&a, NULL, image);
		ASSERT_INT(0, proto_find(m, 2, &x));
		ASSERT_INT(1, proto_find(m, 1, &x));
		ASSERT_INT(1, proto_find(x, 1, &x));
		ASSERT_STR_M("image", image, x);
	}
	PASS();
}

TEST bad_credentials(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "{\"auths\":{\"q.io\":{\"auth\":\"c2VjcmV0\"}}}",
		  "invalid auth for registry \"q.io\"" },
		{ "{\"auths\":{\"q.io\":{\"auth\":\"*\"}}}",
		  "failed to decode auth for registry \"q.io\": illegal base64 "
		  "data at input byte 0" },
		{ "{\"auths\":{\"q.io\":{}}}", "invalid auth for registry \"q.io\"" },
		{ "secret", "failed to unmarshal pull secret: "
			    "/var/lib/kubelet/config.json is not JSON" },
		{ "{}", "" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct pin_auth auth;

		err.msg = S("");
		(void)pin_auth_load(&a, str_of(cases[i].in), &auth, &err);
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), err.msg);
	}
	PASS();
}

TEST tries(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str full = S("x: no space left on device");

	ASSERT_INT(1000, pin_retry(1, S("x")));
	ASSERT_INT(2000, pin_retry(2, S("x")));
	ASSERT_INT(4000, pin_retry(3, S("x")));
	ASSERT_INT(-1, pin_retry(4, S("x")));
	ASSERT_INT(-1, pin_retry(1, full));
	ASSERT_STR("failed to pull image \"i\" (4 tries): timed out waiting "
		   "for the condition: x",
		   pin_pull_error(&a, S("i"), 4, S("x")));
	ASSERT_STR("failed to pull image \"i\" (1 tries): x: no space left on "
		   "device: x: no space left on device",
		   pin_pull_error(&a, S("i"), 1, full));
	PASS();
}

/* The controller's writes to a pool. */
TEST pools(void)
{
#define MCP(selector, sets, conditions)                                                     \
	"{\"metadata\":{\"name\":\"w\"},\"spec\":{\"machineConfigSelector\":" selector sets \
	"},\"status\":{\"conditions\":[" conditions "]}}"
#define SEL "{\"matchLabels\":{\"r\":\"w\"}}"
#define HAS(sets) ",\"pinnedImageSets\":[" sets "]"
#define RUNS ",\"paused\":false"
#define COND(status, message)                                                     \
	"{\"lastTransitionTime\":\"1970-01-01T00:00:00Z\",\"message\":\"" message \
	"\",\"reason\":\"\",\"status\":\"" status "\",\"type\":\"PinnedImageSetsDegraded\"}"
#define PUT(part, body, why)                                \
	"0 PUT /apis/machineconfiguration.openshift.io/v1/" \
	"machineconfigpools/w" part " " body "  # " why "\n"
	static const struct {
		const char *name, *pool, *failed, *want;
	} cases[] = {
		{ "those that match, by name", MCP(SEL, "", ""), "",
		  PUT("", MCP(SEL, HAS(IM("a") "," IM("b")) RUNS, ""),
		      "pinned image sets changed") },
		{ "then the condition", MCP(SEL, HAS(IM("a") "," IM("b")), ""), "",
		  PUT("/status", MCP(SEL, HAS(IM("a") "," IM("b")), COND("False", "")),
		      "its pinned image sets are up to date") },
		{ "then nothing", MCP(SEL, HAS(IM("a") "," IM("b")), COND("False", "")), "", "" },
		{ "others go", MCP("{\"matchLabels\":{\"r\":\"x\"}}", HAS(IM("z")), ""), "",
		  PUT("", MCP("{\"matchLabels\":{\"r\":\"x\"}}", RUNS, ""),
		      "pinned image sets changed") },
		{ "none, and never any", MCP("{\"matchLabels\":{\"r\":\"x\"}}", "", ""), "",
		  PUT("/status", MCP("{\"matchLabels\":{\"r\":\"x\"}}", "", COND("False", "")),
		      "its pinned image sets are up to date") },
		{ "said once", MCP("{\"matchLabels\":{\"r\":\"x\"}}", "", COND("False", "")), "",
		  "" },
		{ "a selector of everything selects nothing", MCP("{}", HAS(IM("z")), ""), "", "" },
		{ "it could not be written", MCP(SEL, "", ""), "too many",
		  PUT("/status",
		      MCP(SEL, "",
			  COND("True", "Failed to populate pinned image sets "
				       "for pool w: too many")),
		      "cannot write its pinned image sets") },
	};
	static const char sets[] = "[{\"metadata\":{\"name\":\"b\",\"labels\":{\"r\":\"w\"}}},"
				   "{\"metadata\":{\"name\":\"c\",\"labels\":{\"r\":\"m\"}}},"
				   "{\"metadata\":{\"name\":\"d\"}},"
				   "{\"metadata\":{\"name\":\"a\",\"labels\":{\"r\":\"w\"}}}]";

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct json *t = tree(&a, cases[i].pool);
		struct mcp pool = { .meta.name = S("w"), .tree = t };
		struct json_list list = { 0 };
		struct actions out = { 0 };
		struct buf b;

		pool.selector = json_at(t, "spec.machineConfigSelector");
		for (const struct json *j = json_first(tree(&a, sets)); j; j = json_next(j))
			VEC_PUSH(&a, &list, j);
		ASSERT_INT(0, plan_pin_pool(&a, &pool, &list, (struct instant){ 0 },
					    str_of(cases[i].failed), &out, &err));
		buf_init(&b, &a);
		actions_print(&b, &out);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), buf_str(&b));
	}
	PASS();
}

SUITE(pin)
{
	RUN_TEST(pools);
	RUN_TEST(wanted);
	RUN_TEST(node);
	RUN_TEST(room);
	RUN_TEST(sizes);
	RUN_TEST(reports);
	RUN_TEST(credentials);
	RUN_TEST(bad_credentials);
	RUN_TEST(tries);
}

TEST_MAIN(pin)
