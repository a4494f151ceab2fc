/* Which cluster and which user: flags, files and the environment. */
#include "../test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "kube/config.h"

#define ONE                                                                 \
	"apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts:\n"     \
	"- name: a\n  context: {cluster: k, user: u, namespace: ns}\n"      \
	"- name: nobody\n  context: {cluster: k, user: ghost}\n"            \
	"- name: nowhere\n  context: {cluster: gone, user: u}\n"            \
	"clusters:\n- name: k\n  cluster: {server: 'https://one:6443', "    \
	"certificate-authority: certs/ca.crt, proxy-url: 'http://p:3128', " \
	"tls-server-name: other}\n"
#define TWO                                                                      \
	"current-context: b\ncontexts:\n- name: a\n  context: {cluster: late}\n" \
	"- name: b\n  context: {cluster: k2, user: u}\nclusters:\n"              \
	"- name: k2\n  cluster: {server: 'http://two/', extensions: [{name: "    \
	"client.authentication.k8s.io/exec, extension: {audience: x}}]}\n"       \
	"users:\n- name: u\n  user: {tokenFile: token, username: me, "           \
	"password: secret, as: root, as-groups: [g]}\n"                          \
	"- name: x\n  user: {exec: {command: ./plugin, apiVersion: v1}}\n"       \
	"- name: file\n  user: {tokenFile: token}\n"                             \
	"- name: old\n  user: {auth-provider: {name: gcp}}\n"

#define BOTH                                                                  \
	"current-context: b\ncontexts:\n- name: b\n  context: {cluster: k}\n" \
	"clusters:\n- name: k\n  cluster: {server: 'https://both', "          \
	"certificate-authority: ca, insecure-skip-tls-verify: true}\n"

#define HALF                                                         \
	"contexts:\n- name: b\n  context: {cluster: c}\nclusters:\n" \
	"- name: c\n  cluster: {}\nusers:\n- name: x\n  user: {exec: {}}\n"

static char dir[] = "/tmp/mco-config-XXXXXX";

static void put(struct arena *a, const char *name, const char *text)
{
	struct err err = ERR_INIT(a);

	if (file_replace(str_fmt(a, "%s/%s", dir, name).p, str_of(text), 0600, &err) < 0)
		abort();
}

static const struct config_case {
	const char *name;
	const char *env; /* KUBECONFIG; "*" is the directory */
	struct kube_flags flags;
	const char *got; /* server ca token-file as ns, or the error */
} cases[] = {
	{ "the first file that says something counts",
	  "*/one:*/two",
	  { .ns = { 0 } },
	  "https://one:6443 */certs/ca.crt */token root ns" },
	{ "in the other order",
	  "*/two:*/one",
	  { .ns = { 0 } },
	  "http://two  */token root default" },
	{ "files that are not there are read over",
	  "*/none::*/two:*/none",
	  { .ns = { 0 } },
	  "http://two  */token root default" },
	{ "flags go before files",
	  "*/one:*/two",
	  { .context = S("b"), .server = S("https://flag"), .ns = S("m"), .as = S("me") },
	  "https://flag  */token me m" },
	{ "a token goes before a file of one",
	  "*/one:*/two",
	  { .user = S("file"), .token = S("t") },
	  "https://one:6443 */certs/ca.crt   ns" },
	{ "a context without a user is anonymous",
	  "*/one",
	  { .context = S("nobody") },
	  "https://one:6443 */certs/ca.crt   default" },
	{ "unless a flag asks for it",
	  "*/one",
	  { .user = S("ghost") },
	  "user \"ghost\" does not exist in */one" },
	{ "no such context",
	  "*/one:*/two",
	  { .context = S("zz") },
	  "context \"zz\" does not exist in */one, */two" },
	{ "no such cluster",
	  "*/one",
	  { .context = S("nowhere") },
	  "cluster \"gone\" does not exist in */one" },
	{ "no file at all",
	  "*/none",
	  { .ns = { 0 } },
	  "no cluster: KUBECONFIG names no existing file (*/none)" },
	{ "one that was named must be there",
	  "",
	  { .kubeconfig = S("/nowhere/kubeconfig") },
	  "open /nowhere/kubeconfig: No such file or directory" },
	{ "no YAML",
	  "*/torn",
	  { .ns = { 0 } },
	  "*/torn: line 2, column 2: did not find expected ',' or ']'" },
	{ "no kubeconfig",
	  "*/list",
	  { .ns = { 0 } },
	  "*/list: a kubeconfig is a mapping, not array" },
	{ "what is not supported",
	  "*/two",
	  { .user = S("old") },
	  "*/two: auth-provider gcp is not supported; use an exec plugin or a "
	  "token" },
	{ "no context is chosen",
	  "*/half",
	  { .ns = { 0 } },
	  "no --context, and no current-context in */half" },
	{ "a cluster without a server",
	  "*/half:*/two",
	  { .cluster = S("c") },
	  "the cluster has no server in */half, */two" },
	{ "a plugin without a command",
	  "*/half:*/two",
	  { .user = S("x"), .context = S("a"), .cluster = S("k2") },
	  "*/half: exec has no command" },
	{ "data that is no base64",
	  "*/bad",
	  { .ns = { 0 } },
	  "*/bad: client-key-data: illegal base64 data at input byte 0" },
	{ "an authority that is not to be asked",
	  "*/both",
	  { .ns = { 0 } },
	  "*/both: insecure-skip-tls-verify and certificate-authority "
	  "contradict each other: give only one" },
	{ "no verification, by a flag", "*/both", { .insecure = true }, "https://both    default" },
	{ "an authority, by a flag",
	  "*/both",
	  { .ca_file = S("/ca") },
	  "https://both /ca   default" },
	{ "two ways to authenticate",
	  "*/both",
	  { .insecure = true, .token = S("t"), .username = S("u") },
	  "a token and a username: only one way to authenticate is allowed" },
	{ "a group without a user",
	  "*/both",
	  { .insecure = true, .as_uid = S("1") },
	  "as-uid, as-group and as-user-extra need as: the user to "
	  "impersonate" },
	{ "nothing",
	  "",
	  { .ns = { 0 } },
	  "no cluster: give --kubeconfig or --server, or set KUBECONFIG" },
};

static struct str folder(struct arena *a, const char *text)
{
	struct buf b;

	buf_init(&b, a);
	for (; *text; text++)
		if (*text == '*')
			buf_addz(&b, dir);
		else
			buf_addc(&b, *text);
	return buf_str(&b);
}

TEST found_by_kubectls_rules(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct config_case *t = &cases[i];
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct kube_conf c = { 0 };
		struct str got;
		int rc;

		(void)setenv("KUBECONFIG", folder(&a, t->env).p, 1);
		rc = kube_config_load(&a, &t->flags, false, &c, &err);
		got = rc < 0 ? err.msg
			     : str_fmt(&a, "%.*s %.*s %.*s %.*s %.*s", STRF(c.server),
				       STRF(c.ca_file), STRF(c.token_file), STRF(c.as), STRF(c.ns));
		ASSERT_STR_M(t->name, folder(&a, t->got), got);
	}
	PASS();
}

TEST every_field(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct kube_flags flags = { .kubeconfig = S("") };
	struct kube_conf c = { 0 };

	(void)setenv("KUBECONFIG", folder(&a, "*/one:*/two").p, 1);
	ASSERT_INT(0, kube_config_load(&a, &flags, false, &c, &err));
	ASSERT_STR("http://p:3128", c.proxy_url);
	ASSERT_STR("other", c.tls_server_name);
	ASSERT(!c.insecure);
	ASSERT_STR("me", c.username);
	ASSERT_STR("secret", c.password);
	ASSERT_INT(1, (long long)c.as_groups.n);
	ASSERT_STR("g", c.as_groups.v[0]);
	ASSERT(!c.exec);
	flags.user = S("x");
	ASSERT_INT(0, kube_config_load(&a, &flags, false, &c, &err));
	ASSERT_STR("./plugin", json_str(c.exec, "command"));
	ASSERT_STR_M("exec_dir", str_fmt(&a, "%s/", dir), c.exec_dir);
	ASSERT(!c.exec_config);
	flags.cluster = S("k2");
	ASSERT_INT(0, kube_config_load(&a, &flags, false, &c, &err));
	ASSERT_STR("x", json_str(c.exec_config, "audience"));
	PASS();
}

TEST the_home_folder(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const struct kube_flags flags = { .ns = S("") };
	struct kube_conf c = { 0 };

	(void)unsetenv("KUBECONFIG");
	(void)setenv("HOME", dir, 1);
	ASSERT_INT(-ERR_NOTFOUND, kube_config_load(&a, &flags, false, &c, &err));
	(void)mkdir(str_fmt(&a, "%s/.kube", dir).p, 0700);
	put(&a, ".kube/config", TWO);
	ASSERT_INT(0, kube_config_load(&a, &flags, false, &c, &err));
	ASSERT_STR("http://two", c.server);
	PASS();
}

TEST a_pod(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct kube_flags flags = { .ns = S("") };
	struct kube_conf c = { 0 };

	(void)unsetenv("KUBECONFIG");
	(void)unsetenv("KUBERNETES_SERVICE_HOST");
	(void)setenv("KUBERNETES_SERVICE_PORT", "443", 1);
	ASSERT_INT(-ERR_NOTFOUND, kube_config_load(&a, &flags, true, &c, &err));
	ASSERT_STR("no cluster: give --kubeconfig, set KUBECONFIG, or run in a "
		   "pod (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
		   "are not set)",
		   err.msg);
	(void)setenv("KUBERNETES_SERVICE_HOST", "172.30.0.1", 1);
	ASSERT_INT(0, kube_config_load(&a, &flags, true, &c, &err));
	ASSERT_STR("https://172.30.0.1:443", c.server);
	ASSERT_STR("/var/run/secrets/kubernetes.io/serviceaccount/token", c.token_file);
	ASSERT_STR("/var/run/secrets/kubernetes.io/serviceaccount/ca.crt", c.ca_file);
	(void)setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
	flags.ns = S("mine");
	flags.token = S("t");
	ASSERT_INT(0, kube_config_load(&a, &flags, true, &c, &err));
	ASSERT_STR("https://[fd00::1]:443", c.server);
	ASSERT_STR("mine", c.ns);
	ASSERT_STR("t", c.token);
	ASSERT_STR("", c.token_file);
	PASS();
}

SUITE(suite)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (!mkdtemp(dir))
		exit(1);
	(void)setenv("HOME", dir, 1);
	put(&a, "one", ONE);
	put(&a, "both", BOTH);
	put(&a, "two", TWO);
	put(&a, "torn", "a: [b\nc: d\n");
	put(&a, "list", "[]");
	put(&a, "half", HALF);
	put(&a, "bad",
	    "current-context: a\ncontexts:\n- name: a\n  context: {cluster: k, "
	    "user: u}\nclusters:\n- name: k\n  cluster: {server: 'http://x'}\n"
	    "users:\n- name: u\n  user: {client-key-data: '!'}\n");
	RUN_TEST(found_by_kubectls_rules);
	RUN_TEST(every_field);
	RUN_TEST(the_home_folder);
	RUN_TEST(a_pod);
	(void)!system(str_fmt(&a, "rm -r %s", dir).p);
}

TEST_MAIN(suite)
