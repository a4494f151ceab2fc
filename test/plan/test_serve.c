#include "../test.h"

#include "data/yml.h"
#include "plan/serve.h"

#define IGN "application/vnd.coreos.ignition+json"

struct accept_case {
	const char *accept;
	int major, minor; /* 0: refused */
};

/* clang-format off */
static const struct accept_case accepts[] = {
	{ "", 2, 2 },
	{ "*/*", 2, 2 },
	{ "text/html, */*;q=0.8", 2, 2 },
	{ "garbage;version=3.1.0", 2, 2 },
	{ IGN, 2, 2 },
	{ IGN ";version=2.2.0", 2, 2 },
	{ IGN ";version=2.2.0-pre", 2, 2 },
	{ IGN ";version=2.4.0", 2, 2 },
	{ IGN ";version=2.10.7", 2, 2 },
	{ IGN ";version=2.1.0", 0, 0 },
	{ IGN ";version=2.0.0", 0, 0 },
	{ IGN ";version=1.0.0", 0, 0 },
	{ IGN ";version=4.0.0", 0, 0 },
	{ IGN ";version=3.0.0", 3, 0 },
	{ IGN ";version=3.1.7", 3, 1 },
	{ IGN ";version=3.2.0-experimental", 3, 2 },
	{ IGN ";version=3.5.0, */*;q=0.1", 3, 5 },
	{ IGN ";version=3.6.0", 3, 5 },
	{ IGN ";version=3.99.0+meta", 3, 5 },
	{ "*/vnd.coreos.ignition+json;version=3.3.0", 3, 3 },
	{ "  x/vnd.coreos.ignition+json ; version=3.3.0 ", 3, 3 },
	{ IGN "x;version=3.3.0", 2, 2 },
	/* not a version: the next parameter may be one */
	{ IGN ";version=3;version=3.4.0", 3, 4 },
	{ IGN ";version=\"3.4.0\"", 2, 2 },
	{ IGN ";version= 3.4.0", 2, 2 },
	{ IGN ";version=3.4.0;version=3.1.0", 3, 4 },
	/* the highest q wins, the first of equals; there is no fallback */
	{ IGN ";version=3.1.0;q=0.5," IGN ";version=3.4.0", 3, 4 },
	{ IGN ";version=3.1.0;q=0.5," IGN ";version=3.4.0;q=0.5", 3, 1 },
	{ IGN ";version=3.1.0;q=.5," IGN ";version=4.0.0;q=0.9", 0, 0 },
	{ IGN ";version=3.1.0;q=x;q=0.2," IGN ";version=3.4.0;q=0.3", 3, 4 },
	{ IGN ";version=3.1.0;q=2," IGN ";version=3.4.0", 3, 1 },
	{ ",,,;;;," IGN ";;version=3.2.0;;", 3, 2 },
};
/* clang-format on */

TEST accept_headers(void)
{
	for (size_t i = 0; i < ARRAY_LEN(accepts); i++) {
		const struct accept_case *c = &accepts[i];
		struct semver v = { 0 };
		bool ok = serve_version(str_of(c->accept), &v);

		ASSERT_INT_M(c->accept, c->major != 0, ok);
		if (!ok)
			continue;
		ASSERT_INT_M(c->accept, c->major, v.major);
		ASSERT_INT_M(c->accept, c->minor, v.minor);
		ASSERT(serve_version_index(v) < SERVE_VERSIONS);
	}
	PASS();
}

struct route_case {
	const char *method, *target;
	int status;
	const char *pool, *location;
};

/* clang-format off */
static const struct route_case routes[] = {
	{ "GET", "/config/master", 0, "master", "" },
	{ "HEAD", "/config/master?x=/y", 0, "master", "" },
	{ "GET", "/config/a/b/worker/", 0, "worker", "" },
	{ "GET", "/config/%6daster", 0, "master", "" },
	{ "GET", "/%63onfig/master", 0, "master", "" },
	{ "GET", "/config/a%2Fb", 0, "b", "" },
	{ "GET", "/config/", 0, "config", "" },
	{ "GET", "/config/%2e%2e", 0, "..", "" },
	{ "GET", "/config/%00", 0, "\0", "" },
	{ "GET", "http://host/config/master", 0, "master", "" },
	{ "POST", "/config/master", 405, "", "" },
	{ "get", "/config/master", 405, "", "" },
	{ "GET", "/healthz", 200, "", "" },
	{ "GET", "/healthz/", 404, "", "" },
	{ "DELETE", "/healthz", 405, "", "" },
	{ "GET", "/", 404, "", "" },
	{ "GET", "/metrics", 404, "", "" },
	{ "PUT", "/", 405, "", "" },
	{ "GET", "/configs/master", 404, "", "" },
	{ "GET", "/config", 301, "", "/config/" },
	{ "POST", "/config?a=b", 301, "", "/config/?a=b" },
	{ "GET", "//config//master", 301, "", "/config/master" },
	{ "GET", "/config/../healthz", 301, "", "/healthz" },
	{ "GET", "/config/./master/", 301, "", "/config/master/" },
	{ "GET", "/../..", 301, "", "/" },
	{ "GET", "/a/b/../../../c/.", 301, "", "/c" },
	{ "GET", "http://host", 301, "", "/" },
	/* like Go: escapes are escaped again, and an empty query ("?") is dropped */
	{ "GET", "/x/../config/./m%20a%2fb?x=%3c", 301, "", "/config/m%2520a%252fb?x=%3c" },
	{ "GET", "/config/\xc3\xa9/../b\xc3\xa9", 301, "", "/config/b%25C3%25A9" },
	{ "GET", "//%61b/'\"<>&", 301, "", "/ab/%2527%2522%253C%253E&" },
	{ "GET", "//a;b=c,d@e:f$g!h*i(j)k", 301, "", "/a;b=c,d@e:f$g%21h%2Ai%28j%29k" },
	{ "GET", "//a|b^c`d{e}f[g]h\\i", 301, "", "/a%257Cb%255Ec%2560d%257Be%257Df%255Bg%255Dh%255Ci" },
	{ "GET", "//a?", 301, "", "/a" },
	{ "GET", "//a?b#c", 301, "", "/a?b#c" },
	{ "GET", "//a#c", 301, "", "/a%2523c" },
	{ "GET", "//a%C3%A9%41", 301, "", "/a%25C3%25A9%2541" },
	{ "GET", "//a?q=\xc3\xa9", 301, "", "/a?q=%c3%a9" },
	{ "OPTIONS", "*", 200, "", "" },
	{ "GET", "*", 400, "", "" },
	{ "CONNECT", "host:1", 405, "", "" },
	{ "GET", "config", 400, "", "" },
	{ "GET", "", 301, "", "/" },
	{ "GET", "/config/%zz", 400, "", "" },
	{ "GET", "/config/%4", 400, "", "" },
};
/* clang-format on */

TEST route_table(void)
{
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct route_case *c = &routes[i];
		struct serve_request req = { str_of(c->method), str_of(c->target), S("") };
		struct serve_answer got;
		struct str pool = str_of(c->pool);

		serve_route(&a, &req, &got);
		ASSERT_INT_M(c->target, c->status, got.status);
		if (!c->status && !pool.n)
			pool = S("\0");
		ASSERT_STR_M(c->target, pool, got.pool);
		ASSERT_STR_M(c->target, str_of(c->location), got.location);
	}
	PASS();
}

TEST a_redirect_has_a_page(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct serve_request req = { S("GET"), S("//config//master?a=b&c=\"<x>'\xc3\xa9"), S("") };
	struct serve_answer got;

	serve_route(&a, &req, &got);
	ASSERT_STR("/config/master?a=b&c=\"<x>'%c3%a9", got.location);
	ASSERT_STR("text/html; charset=utf-8", got.type);
	ASSERT_STR("<a href=\"/config/master?a=b&amp;c=&#34;&lt;x&gt;&#39;"
		   "\xc3\xa9\">Moved Permanently</a>.\n\n",
		   got.body);
	req.method = S("HEAD");
	serve_route(&a, &req, &got);
	ASSERT_STR("text/html; charset=utf-8", got.type);
	ASSERT_STR("", got.body);
	req.method = S("POST");
	serve_route(&a, &req, &got);
	ASSERT_STR("", got.type);
	ASSERT_STR("", got.body);
	PASS();
}

TEST unsupported_version_says_why(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct serve_request req = { S("GET"), S("/config/master"), S(IGN ";version=4.0.0") };
	struct serve_answer got;

	serve_route(&a, &req, &got);
	ASSERT_INT(400, got.status);
	ASSERT_STR("master", got.pool);
	ASSERT_STR("unsupported Ignition version in Accept header", got.why);
	ASSERT_STR("", got.body);
	PASS();
}

/* ---- configs ------------------------------------------------------------- */

static const char mc_yaml[] = "metadata:\n"
			      "  name: rendered-x\n"
			      "  generation: 0\n"
			      "  labels: {b: \"1\", a: \"true\"}\n"
			      "  creationTimestamp: null\n"
			      "  unknown: gone\n"
			      "spec:\n"
			      "  kernelArguments: [mc, \"1\"]\n"
			      "  config:\n"
			      "    ignition: {version: 3.4.0}\n"
			      "    kernelArguments: {shouldExist: [ign]}\n"
			      "    storage: {files: [{path: /etc/kubernetes/kubelet-ca.crt}]}\n";

static struct json *parse(struct arena *a, const char *text)
{
	struct json *j = NULL;
	struct err err = ERR_INIT(a);

	if (yml_parse(a, str_of(text), NULL, &j, &err) < 0)
		abort();
	return j;
}

static struct serve_in sample(struct arena *a)
{
	return (struct serve_in){
		.config_name = S("rendered-x"),
		.mc = parse(a, mc_yaml),
		.controller_config = parse(a, "spec: {kubeAPIServerServingCAData: Q0E=}"),
		.kubeconfig = S("kc"),
		.image = S("registry/os"),
		.cluster = true,
	};
}

static const struct semver v35 = { .major = 3, .minor = 5 }, v32 = { .major = 3, .minor = 2 };

TEST objects_are_not_changed(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct serve_in in = sample(&a);
	struct json *before = json_clone(&a, in.mc);
	struct str fresh, old, again;

	ASSERT_INT(0, serve_config(&a, &in, v35, &fresh, &err));
	ASSERT_INT(0, serve_config(&a, &in, v32, &old, &err));
	ASSERT_INT(0, serve_config(&a, &in, v32, &again, &err));
	ASSERT_STR_M("asked twice", old, again);
	ASSERT_INT(0, serve_config(&a, &in, v35, &again, &err));
	ASSERT_STR_M("asked for another version between", fresh, again);
	ASSERT(json_eq(before, in.mc));
	PASS();
}

TEST embedded_objects(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct serve_in in = sample(&a);
	struct str out;

	ASSERT_INT(0, serve_config(&a, &in, v32, &out, &err));
	/* the existing file gets its source and no other field */
	ASSERT(str_find(out, S("{\"path\":\"/etc/kubernetes/kubelet-ca.crt\","
			       "\"contents\":{\"source\":\"data:,CA\"}}")) > 0);
	ASSERT(str_find(out, S("%7B%22metadata%22%3A%7B%22name%22%3A%22rendered"
			       "-x%22%2C%22labels%22%3A%7B%22a%22%3A%22true%22"
			       "%2C%22b%22%3A%221%22%7D%7D%2C%22spec%22%3A%7B"
			       "%22osImageURL%22%3A%22registry%2Fos%22%2C%22"
			       "baseOSExtensionsContainerImage%22%3A%22%22%2C"
			       "%22config%22%3A%7B%22ignition%22%3A%7B%22"
			       "version%22%3A%223.2.0%22%7D%7D%2C%22kernel"
			       "Arguments%22%3A%5B%22mc%22%2C%221%22%2C%22ign"
			       "%22%5D%2C%22extensions%22%3Anull%2C%22fips%22"
			       "%3Afalse%2C%22kernelType%22%3A%22%22%7D%7D")) > 0);
	ASSERT(str_find(out, S("desiredImage%22%3A%22registry%2Fos%22")) > 0);
	PASS();
}

struct refusal {
	const char *name, *mc, *cc, *want;
};

static const struct refusal refusals[] = {
	{ "no config", "spec: {}", "{}",
	  "parsing Ignition config failed with error: failed to parse Ignition "
	  "config: parsing Ignition config spec v3 failed with error: not a "
	  "config (empty)\nReport: " },
	{ "no object", "[]", "{}",
	  "MachineConfig x: json: cannot unmarshal array into Go value of type "
	  "v1.MachineConfig" },
	{ "a list for a string", "spec: {kernelType: [], config: {ignition: {version: 3.4.0}}}",
	  "{}",
	  "MachineConfig x: json: cannot unmarshal array into Go struct field "
	  "MachineConfigSpec.spec.kernelType of type string" },
	{ "base64 that is none", "spec: {config: {ignition: {version: 3.4.0}}}",
	  "spec: {kubeAPIServerServingCAData: '!'}",
	  "controller config: spec.kubeAPIServerServingCAData: illegal base64 "
	  "data at input byte 0" },
	{ "arguments that must go",
	  "spec: {config: {ignition: {version: 3.4.0}, kernelArguments: "
	  "{shouldNotExist: [x]}}}",
	  "{}",
	  "failed to migrate kernel args Can't serve version 3.2.0 with "
	  "ignition KernelArguments.ShouldNotExist populated" },
};

TEST refused_configs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct refusal *r = &refusals[i];
		struct err err = ERR_INIT(&a);
		struct serve_in in = {
			.config_name = S("x"),
			.mc = parse(&a, r->mc),
			.controller_config = parse(&a, r->cc),
		};
		struct str out = S("untouched");

		ASSERT_INT_M(r->name, -ERR_INVALID, serve_config(&a, &in, v32, &out, &err));
		ASSERT_STR_M(r->name, str_of(r->want), err.msg);
		ASSERT_STR("untouched", out);
	}
	PASS();
}

TEST files_that_are_looked_at(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str host, file;

	ASSERT_INT(0, serve_check_kubeconfig(&a, S("clusters: [{name: a}]"), &err));
	ASSERT(serve_check_kubeconfig(&a, S("clusters: []"), &err) < 0);
	ASSERT_STR("the kubeconfig has no cluster", err.msg);
	ASSERT(serve_check_kubeconfig(&a, S("a: b: c"), &err) < 0);
	ASSERT_INT(0, serve_cert_arg(S("h:5=f"), &host, &file, &err));
	ASSERT_STR("h:5", host);
	ASSERT_STR("f", file);
	ASSERT(serve_cert_arg(S("h=f=g"), &host, &file, &err) < 0);
	ASSERT_STR("could not use cert, missing key or value h=f=g", err.msg);
	ASSERT(serve_bootstrap_pool(S("a\"b"), &err) < 0);
	ASSERT_STR("refusing to serve bootstrap configuration to pool "
		   "\"a\\\"b\"",
		   err.msg);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(accept_headers);
	RUN_TEST(route_table);
	RUN_TEST(a_redirect_has_a_page);
	RUN_TEST(unsupported_version_says_why);
	RUN_TEST(objects_are_not_changed);
	RUN_TEST(embedded_objects);
	RUN_TEST(refused_configs);
	RUN_TEST(files_that_are_looked_at);
}

TEST_MAIN(suite)
