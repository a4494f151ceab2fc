/* The cluster and the credentials of kubeconfig files. */
#include "../test.h"
#include "data/json_split.h"
#include "data/kubeconfig.h"

#define FIRST                                                                   \
	"current-context: c\ncontexts:\n- name: c\n  context: {cluster: k, "    \
	"user: u}\n- name: d\n  context: {cluster: none, user: u}\nclusters:\n" \
	"- name: k\n  cluster: {server: 'https://h:6443/', "                    \
	"certificate-authority: ca.crt}\n"
#define SECOND                                                              \
	"current-context: other\nusers:\n- name: u\n  user: {token: t, "    \
	"client-key: /abs.key}\nclusters:\n- name: k\n  cluster: {server: " \
	"'http://late'}\n- name: bad\n  cluster: {server: x, "              \
	"certificate-authority-data: '!'}\n"

struct pick_case {
	const char *name;
	struct kubeconfig_choice choice;
	const char *server, *ca, *token, *ns, *error;
};

TEST picks(void)
{
	static const struct pick_case cases[] = {
		{ "the first file that says it counts, paths are relative to it",
		  { .context = { "c", 1 } },
		  "https://h:6443",
		  "/dir/ca.crt",
		  "t",
		  "default",
		  NULL },
		{ "flags go before files",
		  { .server = { "10.0.0.1:80", 11 }, .ns = { "n", 1 } },
		  "http://10.0.0.1:80",
		  "/dir/ca.crt",
		  "t",
		  "n",
		  NULL },
		{ "a context that is not there",
		  { .context = { "zz", 2 } },
		  NULL,
		  NULL,
		  NULL,
		  NULL,
		  "context \"zz\" does not exist in /dir/one, two" },
		{ "a cluster that is not there",
		  { .context = { "d", 1 } },
		  NULL,
		  NULL,
		  NULL,
		  NULL,
		  "cluster \"none\" does not exist in /dir/one, two" },
		{ "data that is no base64 names its file",
		  { .cluster = { "bad", 3 } },
		  NULL,
		  NULL,
		  NULL,
		  NULL,
		  "two: certificate-authority-data: illegal base64 data at "
		  "input byte 0" },
	};
	const struct kubeconfig_file files[] = { { S("/dir/one"), S(FIRST) },
						 { S("two"), S(SECOND) } };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct pick_case *t = &cases[i];
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct kube_conf conf;
		int rc = kubeconfig_pick(&a, files, 2, &t->choice, &conf, &err);

		if (t->error) {
			ASSERT_INT_M(t->name, -ERR_INVALID, rc);
			ASSERT_STR_M(t->name, str_of(t->error), err.msg);
			continue;
		}
		ASSERT_INT_M(t->name, 0, rc);
		ASSERT_STR_M(t->name, str_of(t->server), conf.server);
		ASSERT_STR_M(t->name, str_of(t->ca), conf.ca_file);
		ASSERT_STR_M(t->name, str_of(t->token), conf.token);
		ASSERT_STR_M(t->name, str_of(t->ns), conf.ns);
	}
	PASS();
}

/* One value of the wrong type refuses the file, whether the value is used or not. */
TEST shapes(void)
{
	static const struct {
		const char *text, *error; /* NULL: valid */
	} cases[] = {
		{ "clusters: [{name: a, cluster: {server: 'http://h', "
		  "insecure-skip-tls-verify: null, more: 1}}]\nusers: ~\n",
		  NULL },
		{ "clusters: {a: b}", "clusters is a mapping, must be a list" },
		{ "clusters: [a]", "clusters[0] is a string, must be a mapping" },
		{ "clusters: [{name: 1}]", "clusters[0].name is a number, must be a string" },
		{ "clusters: [{name: a, cluster: {server: 5}}]",
		  "clusters[0].cluster.server is a number, must be a string" },
		{ "clusters: [{name: a}, {name: b, cluster: "
		  "{insecure-skip-tls-verify: 'yes'}}]",
		  "clusters[1].cluster.insecure-skip-tls-verify is a string, "
		  "must be true or false" },
		{ "users: [{name: a, user: {token: 123}}]",
		  "users[0].user.token is a number, must be a string" },
		{ "users: [{name: a, user: {as-groups: g}}]",
		  "users[0].user.as-groups is a string, must be a list" },
		{ "contexts: [{name: a, context: [a]}]",
		  "contexts[0].context is a list, must be a mapping" },
		{ "current-context: true", "current-context is true or false, must be a string" },
		{ "clusters: [{name: a}, {name: b}, {name: a}]",
		  "clusters: duplicate name \"a\" in list" },
	};
	const struct kubeconfig_choice choice = { .server = S("http://h") };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		const struct kubeconfig_file file = { S("/f"), str_of(cases[i].text) };
		struct kube_conf conf;
		int rc = kubeconfig_pick(&a, &file, 1, &choice, &conf, &err);

		ASSERT_INT_M(cases[i].text, cases[i].error ? -ERR_INVALID : 0, rc);
		if (cases[i].error)
			ASSERT_STR_M(cases[i].text, str_fmt(&a, "/f: %s", cases[i].error), err.msg);
	}
	PASS();
}

static int collect(void *ctx, struct str text, struct err *err)
{
	struct buf *b = ctx;

	(void)err;
	buf_add(b, text);
	buf_addc(b, '|');
	return 0;
}

TEST splits(void)
{
	const struct str list = S("{\"a\":\"items\",\"items\":[ {\"x\":[1]},\n"
				  "{\"y\":\"]}\\\"\"} ],\"metadata\":{}}");

	for (size_t piece = 1; piece <= list.n; piece++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct json_split s;
		struct buf b;

		buf_init(&b, &a);
		split_init(&s, SPLIT_ITEMS, 1000, collect, &b);
		for (size_t i = 0; i < list.n; i += piece)
			ASSERT_INT(0, split_feed(&s,
						 str_sub(list, i,
							 i + piece < list.n ? i + piece : list.n),
						 &err));
		ASSERT_STR("{\"x\":[1]}|{\"y\":\"]}\\\"\"}|", buf_str(&b));
		ASSERT_STR("{\"a\":\"items\",\"items\":[],\"metadata\":{}}", split_rest(&s));
		ASSERT(split_between(&s));
		split_free(&s);
	}
	PASS();
}

SUITE(kubeconfig)
{
	RUN_TEST(picks);
	RUN_TEST(shapes);
	RUN_TEST(splits);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(kubeconfig);
	GREATEST_MAIN_END();
}
