/* Credentials that the client sends, and how it refreshes them. */
#include "../test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/file.h"
#include "io/http_server.h"
#include "io/log.h"
#include "io/tls.h"
#include "kube/client.h"

static char dir[] = "/tmp/mco-auth-XXXXXX";
static struct arena files;

static const char *path(const char *name)
{
	return str_fmt(&files, "%s/%s", dir, name).p;
}

static struct str pem(const char *name)
{
	return test_file(&files, path(name));
}

static void put(const char *name, struct str text, mode_t mode)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (file_replace(path(name), text, mode, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
}

/* ---- a server that answers with the credentials it got ------------------- */

struct world {
	struct loop *loop;
	struct http_server *http;
	struct tls_server *tls;
	struct kube_conf conf;
	struct kube *kube;
	struct arena a;
	struct err err;
	struct str body;
	int refuse; /* this many requests get 401 */
	size_t asked;
};

static void handle(struct http_exchange *x, void *ctx)
{
	struct world *w = ctx;
	const struct x509 *who = x->tls ? tls_peer(x->tls) : NULL;
	struct buf b;

	w->asked++;
	if (w->refuse > 0) {
		w->refuse--;
		http_reply(x, 401, S("Content-Type: application/json\r\n"),
			   S("{\"message\":\"Unauthorized\"}"), NULL, NULL);
		return;
	}
	buf_init(&b, x->a);
	buf_addf(&b, "\"%.*s", STRF(http_get(x->head, S("Authorization"))));
	buf_addf(&b, "|%.*s", STRF(http_get(x->head, S("Impersonate-User"))));
	buf_addf(&b, "|%.*s", STRF(http_get(x->head, S("Impersonate-Group"))));
	buf_addc(&b, '|');
	if (who)
		buf_add(&b, x509_attribute(who->subject, 3));
	buf_addc(&b, '"');
	http_reply(x, 200, S("Content-Type: application/json\r\n"), buf_str(&b), NULL, NULL);
}

static void setup(struct world *w, bool tls)
{
	struct http_server_opts o = { .handle = handle, .ctx = w };
	int fd = -1;

	*w = (struct world){ 0 };
	w->err = ERR_INIT(&w->a);
	w->loop = loop_new(&w->err);
	w->http = http_server_new(w->loop, &o);
	if (sock_listen(S("127.0.0.1"), 0, &fd, &w->err) < 0)
		abort();
	w->conf.server = str_fmt(&w->a, "http%s://127.0.0.1:%u", tls ? "s" : "", sock_port(fd));
	if (tls) {
		w->tls = tls_server_new(NULL);
		if (tls_server_set_pair(w->tls, pem("server.pem"), pem("server.key"), &w->err) <
			    0 ||
		    tls_server_set_client_ca(w->tls, pem("ca.pem"), false, &w->err) < 0)
			abort();
		w->conf.ca_data = pem("ca.pem");
	}
	http_server_listen(w->http, fd, w->tls);
}

static int client(struct world *w)
{
	struct kube_opts o = { .loop = w->loop, .conf = &w->conf, .agent = "test" };

	return kube_new(&o, &w->kube, &w->err);
}

static void teardown(struct world *w)
{
	if (w->kube)
		kube_free(w->kube);
	http_server_free(w->http);
	tls_server_free(w->tls);
	loop_free(w->loop);
	arena_free(&w->a);
}

/* The credentials that the server saw, or the error. */
static struct str ask(struct world *w)
{
	w->err.msg = S("");
	if (kube_get(w->kube, &w->a, S("/x"), &w->body, &w->err) < 0)
		return w->err.msg;
	return w->body;
}

/* Repeats the request until the answer is this one: files are polled. */
static struct str ask_until(struct world *w, const char *want)
{
	int64_t end = clock_ms() + 60000;
	struct str got = ask(w);

	while (!str_is(got, want) && clock_ms() < end) {
		(void)loop_turn(w->loop, 20, &w->err);
		got = ask(w);
	}
	return got;
}

/* ---- headers ------------------------------------------------------------- */

TEST headers(void)
{
	struct str groups[] = { S("one"), S("two") };
	struct world w;

	setup(&w, false);
	w.conf.username = S("user");
	w.conf.password = S("pa:ss");
	ASSERT_INT(0, client(&w));
	ASSERT_STR("\"Basic dXNlcjpwYTpzcw==|||\"", ask(&w));
	w.conf.token = S("abc");
	ASSERT_STR("\"Bearer abc|||\"", ask(&w));
	w.conf.as = S("root");
	w.conf.as_groups.v = groups;
	w.conf.as_groups.n = 2;
	ASSERT_STR("\"Bearer abc|root|one|\"", ask(&w));
	teardown(&w);
	PASS();
}

/* Over plain http credentials go only to this machine, and not to a proxy either. */
TEST nothing_secret_where_others_listen(void)
{
	static const struct {
		const char *host;
		bool proxy;
		const char *token, *want;
	} cases[] = {
		{ "127.0.0.1", false, "abc", "\"Bearer abc|root||\"" },
		{ "localhost", false, "abc", "\"Bearer abc|root||\"" },
		{ "127.0.0.1", true, "abc", "\"|root||\"" },
		{ "api.example", true, "abc", "\"|root||\"" },
		{ "api.example", true, "", "\"|root||\"" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str port;
		struct world w;

		setup(&w, false);
		port = str_from(w.conf.server, (size_t)str_rchr(w.conf.server, ':'));
		if (cases[i].proxy)
			w.conf.proxy_url = w.conf.server;
		w.conf.server = str_fmt(&w.a, "http://%s%.*s", cases[i].host, STRF(port));
		w.conf.username = S("user");
		w.conf.password = S("pass");
		w.conf.token = str_of(cases[i].token);
		w.conf.as = S("root");
		ASSERT_INT(0, client(&w));
		ASSERT_STR_M(cases[i].host, str_of(cases[i].want), ask(&w));
		teardown(&w);
	}
	PASS();
}

TEST token_files(void)
{
	struct world w;

	setup(&w, false);
	w.conf.token_file = str_of(path("token"));
	ASSERT_INT(0, client(&w));
	ASSERT_STR_M("missing",
		     str_fmt(&w.a, "token file: open %s: No such file or directory", path("token")),
		     ask(&w));
	put("token", S(" \n"), 0600);
	ASSERT_STR_M("empty", str_fmt(&w.a, "token file: %s is empty", path("token")), ask(&w));
	put("token", S("one\n"), 0600);
	ASSERT_STR("\"Bearer one|||\"", ask(&w));
	/* 401: the token file is read again */
	put("token", S("two\n"), 0600);
	ASSERT_STR("\"Bearer one|||\"", ask(&w));
	w.refuse = 1;
	ASSERT_STR("\"Bearer two|||\"", ask(&w));
	/* the old token is better than none */
	(void)unlink(path("token"));
	w.refuse = 1;
	ASSERT_STR("\"Bearer two|||\"", ask(&w));
	teardown(&w);
	PASS();
}

/* ---- plugins ------------------------------------------------------------- */

#define CREDENTIAL "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":"

static void plugin(struct world *w, const char *spec)
{
	struct json *j = NULL;

	if (json_parse(&w->a, str_of(spec), NULL, &j, &w->err) < 0)
		abort();
	w->conf.exec = j;
	w->conf.exec_dir = str_fmt(&w->a, "%s/", dir);
}

/* How often the plugin ran: it appends a byte each time. */
static long long runs(void)
{
	struct stat st;
	long long n = stat(path("runs"), &st) == 0 ? (long long)st.st_size : 0;

	(void)unlink(path("runs"));
	return n;
}

TEST plugins_are_asked_no_more_than_needed(void)
{
	struct world w;

	setup(&w, false);
	plugin(&w, "{\"command\":\"./plugin\",\"apiVersion\":"
		   "\"client.authentication.k8s.io/v1\"}");
	put("plugin",
	    S("#!/bin/sh\nprintf x >>\"${0%/*}/runs\"\necho '" CREDENTIAL
	      "{\"token\":\"t\",\"expirationTimestamp\":\"'\"$(cat "
	      "\"${0%/*}/until\")\"'\"}}'\n"),
	    0700);
	put("until", S("2100-01-01T00:00:00Z"), 0600);
	ASSERT_INT(0, client(&w));
	for (int i = 0; i < 3; i++)
		ASSERT_STR("\"Bearer t|||\"", ask(&w));
	ASSERT_INT(1, runs());
	put("until", S("2001-01-01T00:00:00Z"), 0600);
	w.refuse = 1;
	ASSERT_STR("\"Bearer t|||\"", ask(&w));
	ASSERT_INT(1, runs());
	for (int i = 0; i < 3; i++)
		ASSERT_STR("\"Bearer t|||\"", ask(&w));
	ASSERT_INT(3, runs());
	w.conf.token = S("given");
	ASSERT_STR("\"Bearer given|||\"", ask(&w));
	ASSERT_INT(0, runs());
	teardown(&w);
	PASS();
}

TEST plugins_that_fail(void)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
		{ "ends badly", "echo first >&2; echo last line >&2; exit 7",
		  "exec plugin ./plugin: exit status 7: last line" },
		{ "without a word", "exit 1", "exec plugin ./plugin: exit status 1" },
		{ "is killed", "kill -9 $$", "exec plugin ./plugin: signal 9" },
		{ "says nothing", ":",
		  "exec plugin ./plugin: the plugin did not return JSON: line 1, column 1: "
		  "unexpected end of JSON input" },
		{ "says a secret that is no JSON", "echo token=hunter2",
		  "exec plugin ./plugin: the plugin did not return JSON: line 1, column 2: "
		  "invalid character 'o' in literal true (expecting 'r')" },
		{ "has nothing to show", "echo '{\"status\":{}}'",
		  "exec plugin ./plugin: the plugin returned neither a token nor a "
		  "certificate" },
		{ "speaks another version",
		  "echo '{\"apiVersion\":\"client.authentication.k8s.io/"
		  "v1beta1\",\"status\":{\"token\":\"t\"}}'",
		  "exec plugin ./plugin: the kubeconfig requests "
		  "client.authentication.k8s.io/v1, the plugin returned "
		  "client.authentication.k8s.io/v1beta1" },
		{ "has a certificate that is none",
		  "echo '{\"status\":{\"clientCertificateData\":\"x\","
		  "\"clientKeyData\":\"y\"}}'",
		  "exec plugin ./plugin: certificate: no certificate found in PEM" },
	};
	struct world w;

	setup(&w, false);
	plugin(&w, "{\"command\":\"./plugin\",\"apiVersion\":"
		   "\"client.authentication.k8s.io/v1\"}");
	put("plugin", S("#!/bin/sh\n. \"$0.text\"\n"), 0700);
	ASSERT_INT(0, client(&w));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put("plugin.text", str_of(cases[i].text), 0600);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), ask(&w));
	}
	/* the next request runs the plugin again */
	put("plugin.text", S("echo '{\"status\":{\"token\":\"t\"}}'"), 0600);
	ASSERT_STR("\"Bearer t|||\"", ask(&w));
	teardown(&w);
	PASS();
}

TEST plugins_that_are_not_there(void)
{
	const char *preload = getenv("LD_PRELOAD");
	struct world w;

	setup(&w, false);
	plugin(&w, "{\"command\":\"mco-no-such-plugin\",\"installHint\":\"get it "
		   "from example.com\"}");
	ASSERT_INT(0, client(&w));
	/* under valgrind vfork is fork: the child sees the error, not the parent */
	if (preload && strstr(preload, "vgpreload"))
		ASSERT_STR("exec plugin mco-no-such-plugin: exit status 127", ask(&w));
	else
		ASSERT_STR("exec plugin mco-no-such-plugin: run "
			   "mco-no-such-plugin: No such file or directory (get "
			   "it from example.com)",
			   ask(&w));
	ASSERT_INT(0, (long long)w.asked);
	teardown(&w);
	PASS();
}

/* Variables of the kubeconfig override the environment, for the plugin and for the PATH search. */
TEST plugins_get_their_environment(void)
{
	struct world w;

	setup(&w, false);
	(void)setenv("MCO_TEST_A", "outer", 1);
	(void)setenv("MCO_TEST_B", "outer", 1);
	(void)setenv("KUBERNETES_EXEC_INFO", "outer", 1);
	plugin(&w, "{\"command\":\"./plugin\",\"args\":[\"-a\",\"b c\"],\"env\":[{"
		   "\"name\":\"MCO_TEST_A\",\"value\":\"inner\"}],"
		   "\"apiVersion\":\"v1\"}");
	put("plugin",
	    S("#!/bin/sh\nt=$(env | grep -c '^MCO_TEST_A=\\|^KUBERNETES_EXEC_'"
	      ").$MCO_TEST_A.$MCO_TEST_B.$#.$2.$(printf %s "
	      "\"$KUBERNETES_EXEC_INFO\" | tr -d '\"{}')\n"
	      "echo \"{\\\"status\\\":{\\\"token\\\":\\\"$t\\\"}}\"\n"),
	    0700);
	ASSERT_INT(0, client(&w));
	ASSERT_STR("\"Bearer 2.inner.outer.2.b c.kind:ExecCredential,apiVersion:"
		   "v1,spec:interactive:false|||\"",
		   ask(&w));
	teardown(&w);
	PASS();
}

/* Plugins with provideClusterInfo get the cluster. */
TEST plugins_that_know_the_cluster(void)
{
	static const char *const want[] = {
		"Y2E=,proxy-url:http://p:1,config:a:[b,null]",
		"ZmlsZQ==,proxy-url:http://p:1,config:null",
	};
	struct json *config = NULL;
	struct world w;

	setup(&w, false);
	plugin(&w, "{\"command\":\"./plugin\",\"provideClusterInfo\":true,"
		   "\"apiVersion\":\"v1\"}");
	put("plugin",
	    S("#!/bin/sh\nt=$(printf %s \"$KUBERNETES_EXEC_INFO\" | tr -d "
	      "'\"{}')\n"
	      "echo \"{\\\"status\\\":{\\\"token\\\":\\\"$t\\\"}}\"\n"),
	    0700);
	put("exec.ca", S("file"), 0600);
	ASSERT_INT(0, json_parse(&w.a, S("{\"a\":[\"b\",null]}"), NULL, &config, &w.err));
	ASSERT_INT(0, client(&w));
	/* the client exists already, so these do not affect it */
	w.conf.tls_server_name = S("name");
	w.conf.insecure = true;
	w.conf.proxy_url = S("http://p:1");
	w.conf.ca_data = S("ca");
	w.conf.exec_config = config;
	for (int i = 0; i < 2; i++) {
		ASSERT_STR_M(want[i],
			     str_fmt(&w.a,
				     "\"Bearer kind:ExecCredential,apiVersion:v1,"
				     "spec:cluster:server:%.*s,tls-server-name:name,"
				     "insecure-skip-tls-verify:true,certificate-"
				     "authority-data:%s,interactive:false|||\"",
				     STRF(w.conf.server), want[i]),
			     ask(&w));
		w.refuse = 1;
		w.conf.ca_data = S("");
		w.conf.ca_file = str_of(path("exec.ca"));
		w.conf.exec_config = NULL;
	}
	w.refuse = 0;
	plugin(&w, "{\"command\":\"x\",\"interactiveMode\":\"Always\"}");
	w.refuse = 1;
	ASSERT_STR("exec plugin x: the plugin needs a terminal (interactiveMode: Always), "
		   "which is not supported; use a token",
		   ask(&w));
	teardown(&w);
	PASS();
}

static void credential(const char *who)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;
	struct str parts[2] = {
		pem(str_fmt(&a, "%s.pem", who).p),
		pem(str_fmt(&a, "%s.key", who).p),
	};

	buf_init(&b, &a);
	buf_addz(&b, "{\"status\":{\"clientCertificateData\":\"");
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < parts[k].n; i++)
			if (parts[k].p[i] == '\n')
				buf_addz(&b, "\\n");
			else
				buf_addc(&b, parts[k].p[i]);
		buf_addz(&b, k ? "\"," : "\",\"clientKeyData\":\"");
	}
	buf_addz(&b, "\"expirationTimestamp\":\"2001-01-01T00:00:00Z\"}}");
	put("credential", buf_str(&b), 0600);
}

/* A new certificate is used at once: on a new connection. */
TEST plugins_that_give_certificates(void)
{
	struct world w;

	setup(&w, true);
	plugin(&w, "{\"command\":\"./plugin\"}");
	put("plugin", S("#!/bin/sh\ncat \"${0%/*}/credential\"\n"), 0700);
	credential("alice");
	ASSERT_INT(0, client(&w));
	ASSERT_STR("\"|||alice\"", ask(&w));
	credential("bob");
	ASSERT_STR("\"|||bob\"", ask(&w));
	teardown(&w);
	PASS();
}

/* ---- certificates -------------------------------------------------------- */

TEST certificates_are_followed(void)
{
	struct world w;

	setup(&w, true);
	w.conf.cert_file = str_of(path("client.pem"));
	w.conf.key_file = str_of(path("client.key"));
	put("client.pem", pem("alice.pem"), 0600);
	put("client.key", pem("alice.key"), 0600);
	ASSERT_INT(0, client(&w));
	ASSERT_STR("\"|||alice\"", ask(&w));
	/* half of the new pair: the old pair stays in use */
	put("client.pem", pem("bob.pem"), 0600);
	for (int i = 0; i < 10; i++)
		(void)loop_turn(w.loop, 20, &w.err);
	ASSERT_STR("\"|||alice\"", ask(&w));
	put("client.key", pem("bob.key"), 0600);
	ASSERT_STR("\"|||bob\"", ask_until(&w, "\"|||bob\""));
	teardown(&w);
	PASS();
}

TEST authorities_are_followed(void)
{
	struct world w;

	setup(&w, true);
	w.conf.ca_data = S("");
	w.conf.ca_file = str_of(path("trusted.pem"));
	put("trusted.pem", pem("ca.pem"), 0600);
	ASSERT_INT(0, client(&w));
	ASSERT_STR("\"|||\"", ask(&w));
	/* the server's certificate has another issuer: new connections are refused */
	ASSERT_INT(0, tls_server_set_pair(w.tls, pem("moved.pem"), pem("moved.key"), &w.err));
	put("trusted.pem", S("nothing"), 0600);
	put("trusted.pem", pem("ca.pem"), 0600);
	ASSERT_STR_M("refused",
		     str_fmt(&w.a,
			     "GET %.*s/x: tls: certificate signed by unknown "
			     "authority (CN=other)",
			     STRF(w.conf.server)),
		     ask_until(&w, str_fmt(&w.a,
					   "GET %.*s/x: tls: certificate "
					   "signed by unknown authority "
					   "(CN=other)",
					   STRF(w.conf.server))
					   .p));
	put("trusted.pem", pem("other.pem"), 0600);
	ASSERT_STR("\"|||\"", ask_until(&w, "\"|||\""));
	teardown(&w);
	PASS();
}

TEST the_systems_authorities_when_none_are_named(void)
{
	struct world w;

	setup(&w, true);
	w.conf.ca_data = S("");
	(void)setenv("SSL_CERT_FILE", path("ca.pem"), 1);
	ASSERT_INT(0, client(&w));
	ASSERT_STR("\"|||\"", ask(&w));
	kube_free(w.kube);
	(void)unsetenv("SSL_CERT_FILE");
	ASSERT_INT(0, client(&w));
	ASSERT_STR_M("unknown",
		     str_fmt(&w.a,
			     "GET %.*s/x: tls: certificate signed by unknown "
			     "authority (CN=ca)",
			     STRF(w.conf.server)),
		     ask(&w));
	teardown(&w);
	PASS();
}

TEST credentials_that_cannot_be_used(void)
{
	static const struct {
		const char *name, *ca, *cert, *key, *want; /* "*": the directory */
	} cases[] = {
		{ "no such authority", "none.pem", NULL, NULL,
		  "certificate-authority: open */none.pem: No such file or directory" },
		{ "an authority that is none", "conf", NULL, NULL,
		  "certificate authority */conf: no usable CA certificate: no "
		  "PEM block found" },
		{ "no such certificate", NULL, "none.pem", "bob.key",
		  "client-certificate: open */none.pem: No such file or directory" },
		{ "a certificate without its key", NULL, "bob.pem", NULL,
		  "client certificate */bob.pem: no private key found in PEM" },
		{ "another's key", NULL, "bob.pem", "alice.key",
		  "client certificate */bob.pem: private key does not match "
		  "public key" },
	};
	struct world w;

	setup(&w, true);
	w.conf.ca_data = S("");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str head, tail, want = str_of(cases[i].want);

		w.conf.ca_file = str_of(cases[i].ca ? path(cases[i].ca) : "");
		w.conf.cert_file = str_of(cases[i].cert ? path(cases[i].cert) : "");
		w.conf.key_file = str_of(cases[i].key ? path(cases[i].key) : "");
		if (str_cut(want, '*', &head, &tail))
			want = str_fmt(&w.a, "%.*s%s%.*s", STRF(head), dir, STRF(tail));
		ASSERTm(cases[i].name, client(&w) < 0);
		ASSERT_STR_M(cases[i].name, want, w.err.msg);
	}
	w.conf.ca_file = w.conf.cert_file = w.conf.key_file = S("");
	w.conf.cert_data = S("x");
	ASSERT(client(&w) < 0);
	ASSERT_STR("client certificate in the kubeconfig: certificate: no certificate found in PEM",
		   w.err.msg);
	teardown(&w);
	PASS();
}

SUITE(suite)
{
	if (!mkdtemp(dir) || system(str_fmt(&files, "bash test/kube/certs.sh %s", dir).p) != 0)
		exit(1);
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(headers);
	RUN_TEST(nothing_secret_where_others_listen);
	RUN_TEST(token_files);
	RUN_TEST(plugins_are_asked_no_more_than_needed);
	RUN_TEST(plugins_that_fail);
	RUN_TEST(plugins_that_are_not_there);
	RUN_TEST(plugins_get_their_environment);
	RUN_TEST(plugins_that_know_the_cluster);
	RUN_TEST(plugins_that_give_certificates);
	RUN_TEST(certificates_are_followed);
	RUN_TEST(authorities_are_followed);
	RUN_TEST(the_systems_authorities_when_none_are_named);
	RUN_TEST(credentials_that_cannot_be_used);
	(void)!system(str_fmt(&files, "rm -r %s", dir).p);
	arena_free(&files);
}

TEST_MAIN(suite)
