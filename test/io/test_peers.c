/* Other implementations: curl and openssl against our server and client. */
#include "../test.h"

#include <unistd.h>

#include "io/http_client.h"
#include "io/http_server.h"
#include "io/proc.h"
#include "io/tls.h"

static char dir[] = "/tmp/mco-peers-XXXXXX";
static struct arena files = ARENA_INIT;
static struct loop *loop;
static struct http_server *server;
static struct tls_server *tls;
static uint16_t port, tls_port;
static char big[400000];

static struct str pem(const char *name)
{
	return test_file(&files, str_fmt(&files, "%s/%s", dir, name).p);
}

static void handle(struct http_exchange *x, void *ctx)
{
	(void)ctx;
	if (str_is(x->head->target, "/big"))
		http_reply(x, 200, S(""), (struct str){ big, sizeof(big) }, NULL, NULL);
	else
		http_reply(x, 200, S(""),
			   str_fmt(x->a, "%.*s %.*s [%.*s]\n", STRF(x->head->method),
				   STRF(x->head->target), STRF(x->body)),
			   NULL, NULL);
}

static size_t body_max(const struct http_head *head, void *ctx)
{
	(void)head;
	(void)ctx;
	return 1000000;
}

static uint16_t listen_here(struct tls_server *with)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	uint16_t p;
	int fd;

	if (sock_listen(S("127.0.0.1"), 0, &fd, &err) < 0)
		abort();
	p = sock_port(fd);
	http_server_listen(server, fd, with);
	return p;
}

static void start(const char *cert, const char *key)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct http_server_opts o = { .handle = handle, .body_max = body_max };

	loop = loop_new(&err);
	server = http_server_new(loop, &o);
	tls = tls_server_new(NULL);
	if (tls_server_set_pair(tls, pem(cert), pem(key), &err) < 0)
		abort();
	port = listen_here(NULL);
	tls_port = listen_here(tls);
	memset(big, 'b', sizeof(big));
}

static void stop(void)
{
	http_server_free(server);
	tls_server_free(tls);
	loop_free(loop);
}

static void turn(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (loop_turn(loop, 1000, &err) < 0)
		abort();
}

struct said {
	struct arena *a;
	bool over;
	struct str text;
};

static void on_done(void *ctx, const struct proc_result *r)
{
	struct said *s = ctx;

	s->over = true;
	s->text = str_fmt(s->a, "%.*s%.*s%.*s", STRF(r->out), STRF(r->errors),
			  STRF(proc_outcome(s->a, r)));
}

/* Runs a command in dir while the server serves; returns its output. */
static struct str sh(struct arena *a, struct str script)
{
	struct err err = ERR_INIT(a);
	const char *argv[] = { "sh", "-c", script.p, NULL };
	struct proc_opts o = { .argv = argv, .dir = dir, .max_out = 1 << 20, .ms = 60000 };
	struct said s = { .a = a };

	if (!proc_start(loop, &o, on_done, &s, &err))
		abort();
	while (!s.over)
		turn();
	return s.text;
}

TEST curl_is_served(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str curl = S("curl -sS --noproxy '*' --cacert ca.pem");

	start("rsa.pem", "rsa.key");
	ASSERT_STR("GET /a []\n",
		   sh(&a, str_fmt(&a, "%.*s http://localhost:%u/a", STRF(curl), port)));
	ASSERT_STR("GET /b []\nGET /c []\n",
		   sh(&a, str_fmt(&a, "%.*s https://localhost:%u/b https://127.0.0.1:%u/c",
				  STRF(curl), tls_port, tls_port)));
	ASSERT_STR("POST /d [x=1]\n",
		   sh(&a, str_fmt(&a, "%.*s -d x=1 https://localhost:%u/d", STRF(curl), tls_port)));
	/* curl sends Expect: 100-continue when the body is large */
	ASSERT_STR(
		"200 1000 99996\n",
		sh(&a,
		   str_fmt(&a,
			   "head -c 99985 /dev/zero | tr '\\0' y >body; %.*s -H 'Expect: 100-continue' -H 'Transfer-Encoding: chunked' -T body -o got -w '%%{http_code} ' https://localhost:%u/up; head -c 1000 got | wc -c | tr '\\n' ' '; wc -c <got",
			   STRF(curl), tls_port)));
	ASSERT_STR("400000\n", sh(&a, str_fmt(&a, "%.*s https://localhost:%u/big | wc -c",
					      STRF(curl), tls_port)));
	ASSERT(str_find(sh(&a, str_fmt(&a, "%.*s --tlsv1.3 https://localhost:%u/", STRF(curl),
				       tls_port)),
			S("exit status 35")) > 0);
	stop();
	PASS();
}

TEST openssl_agrees(const char *cert, const char *key, const char *ca, const char *suite)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str got, s;

	start(cert, key);
	s = str_fmt(
		&a,
		"openssl s_client -connect 127.0.0.1:%u -CAfile %s -servername localhost -verify_hostname localhost",
		tls_port, ca);
	got = sh(&a, str_fmt(&a, "%.*s -alpn http/1.1 </dev/null", STRF(s)));
	ASSERT(str_find(got, S("Verify return code: 0 (ok)")) > 0);
	ASSERT(str_find(got, S("ALPN protocol: http/1.1")) > 0);
	ASSERT(str_find(got, str_fmt(&a, "TLSv1.2, Cipher is %s", suite)) > 0);
	got = sh(&a, str_fmt(&a, "%.*s -alpn h2 </dev/null", STRF(s)));
	ASSERT(str_find(got, S("alert no application protocol")) > 0);
	got = sh(&a, str_fmt(&a, "%.*s -tls1_1 -cipher ALL:@SECLEVEL=0 </dev/null", STRF(s)));
	ASSERT(str_find(got, S("Verify return code: 0 (ok)")) < 0 ||
	       str_find(got, S("Cipher is (NONE)")) > 0);
	got = sh(&a,
		 str_fmt(&a, "%.*s -reconnect </dev/null | grep -c '^Reused, TLSv1.2'", STRF(s)));
	ASSERT(str_find(got, S("5\n")) >= 0);
	for (int i = 0; i < 2; i++) {
		got = sh(&a, str_fmt(&a, "%.*s -brief -cipher %s </dev/null", STRF(s),
				     i ? "CHACHA20" : "ECDHE+AESGCM:!AES128"));
		ASSERT(str_find(got, i ? S("CHACHA20-POLY1305") : S("AES256-GCM-SHA384")) > 0);
	}
	stop();
	PASS();
}

/* ---- openssl as a server ------------------------------------------------- */

struct peer {
	struct proc *proc;
	struct arena a;
	struct buf said;
	uint16_t port;
};

static void on_said(void *ctx, int stream, struct str part)
{
	struct peer *p = ctx;
	struct str text;
	ptrdiff_t at;

	(void)stream;
	buf_add(&p->said, part);
	text = buf_str(&p->said);
	at = str_find(text, S("ACCEPT 127.0.0.1:"));
	if (at >= 0 && str_chr(str_from(text, (size_t)at), '\n') > 0)
		p->port = (uint16_t)strtoul(text.p + at + 17, NULL, 10);
}

static void on_peer(void *ctx, const struct proc_result *r)
{
	(void)r;
	((struct peer *)ctx)->proc = NULL;
}

static void peer_start(struct peer *p, const char *args)
{
	struct err err = ERR_INIT(&p->a);
	const char *argv[] = { "sh", "-c", NULL, NULL };
	struct proc_opts o = { .argv = argv, .dir = dir, .on_output = on_said };

	*p = (struct peer){ 0 };
	argv[2] =
		str_fmt(&p->a,
			"exec openssl s_server -accept 127.0.0.1:0 -www -cert rsa.pem -key rsa.key %s",
			args)
			.p;
	buf_init(&p->said, &p->a);
	p->proc = proc_start(loop, &o, on_peer, p, &err);
	while (!p->port && p->proc)
		turn();
}

struct got {
	struct arena a;
	bool over;
	int status;
	struct str text;
};

static void on_got(struct http_call *c, int rc, struct err *err)
{
	struct got *g = c->ctx;

	g->over = true;
	g->status = c->result.status;
	g->text = str_dup(&g->a, rc < 0 ? err->msg : c->result.body);
}

TEST openssl_serves(const char *args, const char *cert, const char *want)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct tls_client *c = tls_client_new(NULL);
	struct http_client_opts o = { .tls = c };
	struct got g = { 0 };
	struct http_call call = { .method = S("GET"), .done = on_got, .ctx = &g };
	struct http_client *client;
	struct peer p;

	loop = loop_new(&err);
	peer_start(&p, args);
	ASSERT(p.port);
	ASSERT_INT(0, tls_client_set_ca(c, pem("ca.pem"), &err));
	if (cert)
		ASSERT_INT(0, tls_client_set_pair(c, pem(cert), pem("p256.key"), &err));
	client = http_client_new(loop, &o);
	call.url = str_fmt(&a, "https://localhost:%u/", p.port);
	http_call_start(client, &call);
	while (!g.over)
		turn();
	if (str_find(g.text, str_of(want)) < 0) {
		test_show("wanted", str_of(want));
		test_show("got", g.text);
		FAIL();
	}
	arena_free(&g.a);
	http_client_free(client);
	tls_client_free(c);
	proc_kill(p.proc);
	arena_free(&p.a);
	loop_free(loop);
	PASS();
}

SUITE(suite)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (!mkdtemp(dir) || system(str_fmt(&a, "bash test/io/certs.sh %s", dir).p) != 0) {
		(void)printf("test/io/certs.sh failed\n");
		abort();
	}
	RUN_TEST(curl_is_served);
	RUN_TESTp(openssl_agrees, "rsa.pem", "rsa.key", "ca.pem", "ECDHE-RSA-AES128-GCM-SHA256");
	RUN_TESTp(openssl_agrees, "chain.pem", "p256.pk8", "ca.pem",
		  "ECDHE-ECDSA-AES128-GCM-SHA256");
	RUN_TESTp(openssl_serves, "-tls1_2", NULL, "<HTML>");
	RUN_TESTp(
		openssl_serves, "-tls1_3", NULL,
		": tls: the peer speaks no TLS 1.2 (it may insist on TLS 1.3, which is not supported)");
	RUN_TESTp(openssl_serves, "-tls1_2 -cipher AES256-SHA", NULL,
		  ": tls: the peer refused: no cipher suite or other parameter in common");
	RUN_TESTp(openssl_serves, "-tls1_2 -CAfile ca.pem -Verify 2", "client.pem",
		  "Subject: CN=system:node:worker-0, O=system:tests");
	RUN_TESTp(openssl_serves, "-tls1_2 -CAfile ca.pem -Verify 2", NULL,
		  ": tls: the peer refused: no cipher suite or other parameter in common");
	RUN_TESTp(openssl_serves, "-tls1_2 -curves P-384", NULL, "<HTML>");
	RUN_TESTp(openssl_serves, "-tls1_2 -curves X25519", NULL, "<HTML>");
	(void)system(str_fmt(&a, "rm -rf %s", dir).p);
	arena_free(&files);
}

TEST_MAIN(suite)
