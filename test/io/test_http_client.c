/* The HTTP client against our server, and against servers and proxies that misbehave. */
#include "../test.h"
#include "../clock.h"

#include <sys/socket.h>
#include <unistd.h>

#include "io/http_client.h"
#include "io/http_server.h"
#include "io/tls.h"

static char dir[] = "/tmp/mco-http-XXXXXX";
static struct arena files = ARENA_INIT;

static struct str pem(const char *name)
{
	return test_file(&files, str_fmt(&files, "%s/%s", dir, name).p);
}

/* ---- our server ---------------------------------------------------------- */

static struct loop *loop;
static struct http_server *server;
static struct tls_server *server_tls;
static struct tls_client *client_tls;
static struct http_client *client;
static struct http_exchange *held;
static uint16_t port, tls_port;
static char big[300000];

static void on_gone(struct http_exchange *x)
{
	(void)x;
	held = NULL;
}

static void handle(struct http_exchange *x, void *ctx)
{
	struct str t = x->head->target;

	(void)ctx;
	if (str_is(t, "/echo")) {
		http_reply(x, 200, S(""),
			   str_fmt(x->a, "%.*s %.*s %.*s [%.*s]", STRF(x->head->method),
				   STRF(x->head->host), STRF(http_get(x->head, S("X-Test"))),
				   STRF(x->body)),
			   NULL, NULL);
	} else if (str_is(t, "/big")) {
		http_reply(x, 200, S(""), (struct str){ big, sizeof(big) }, NULL, NULL);
	} else if (str_is(t, "/watch")) {
		x->on_gone = on_gone;
		held = x;
		http_stream_start(x, 200, S("Content-Type: application/json\r\n"));
	} else if (str_starts(t, S("/never"))) {
		x->on_gone = on_gone;
		held = x;
	} else {
		http_reply(x, 302, S("Location: /else\r\n"), S(""), NULL, NULL);
	}
}

static size_t body_max(const struct http_head *head, void *ctx)
{
	(void)head;
	(void)ctx;
	return 1000000;
}

static void turn(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (loop_turn(loop, TURN_MS, &err) < 0)
		abort();
}

static uint16_t listen_here(struct tls_server *tls)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	uint16_t p;
	int fd;

	if (sock_listen(S("127.0.0.1"), 0, &fd, &err) < 0)
		abort();
	p = sock_port(fd);
	http_server_listen(server, fd, tls);
	return p;
}

static void start(const struct http_client_opts *given)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct http_client_opts o = given ? *given : (struct http_client_opts){ 0 };
	struct http_server_opts so = { .handle = handle, .body_max = body_max };

	loop = loop_new(&err);
	held = NULL;
	server = http_server_new(loop, &so);
	server_tls = tls_server_new(NULL);
	if (tls_server_set_pair(server_tls, pem("p256.pem"), pem("p256.key"), &err) < 0)
		abort();
	port = listen_here(NULL);
	tls_port = listen_here(server_tls);
	client_tls = tls_client_new(NULL);
	if (tls_client_set_ca(client_tls, pem("ecca.pem"), &err) < 0)
		abort();
	o.tls = client_tls;
	client = http_client_new(loop, &o);
}

static void stop(void)
{
	http_client_free(client);
	http_server_free(server);
	tls_client_free(client_tls);
	tls_server_free(server_tls);
	loop_free(loop);
}

/* ---- calls --------------------------------------------------------------- */

struct ask {
	struct http_call call;
	struct arena a;
	bool over;
	int rc;
	struct buf parts;
	struct str body, message;
	int status;
	size_t cancel_after; /* bytes */
};

static void on_done(struct http_call *c, int rc, struct err *err)
{
	struct ask *k = c->ctx;

	k->over = true;
	k->rc = rc;
	k->status = c->result.status;
	k->body = str_dup(&k->a, c->result.body);
	if (rc < 0)
		k->message = str_dup(&k->a, err->msg);
}

static void on_body(struct http_call *c, struct str part)
{
	struct ask *k = c->ctx;

	buf_add(&k->parts, part);
	if (k->cancel_after && k->parts.n >= k->cancel_after) {
		http_call_cancel(c);
		k->over = true;
	}
}

static void prepare(struct ask *k, const char *method, bool tls, const char *path)
{
	*k = (struct ask){ 0 };
	buf_init(&k->parts, &k->a);
	k->call.method = str_of(method);
	k->call.url = str_fmt(&k->a, "%s://localhost:%u%s", tls ? "https" : "http",
			      tls ? tls_port : port, path);
	k->call.done = on_done;
	k->call.ctx = k;
}

static void run(struct ask *k)
{
	http_call_start(client, &k->call);
	while (!k->over)
		turn();
}

TEST plain_and_tls(void)
{
	for (int tls = 0; tls < 2; tls++) {
		struct ask k;

		start(NULL);
		for (int i = 0; i < 5; i++) { /* all on one connection */
			prepare(&k, "GET", tls, "/echo");
			k.call.fields = S("X-Test: abc\r\n");
			run(&k);
			ASSERT_STR("", k.message);
			ASSERT_INT(200, k.status);
			ASSERT_STR(
				str_fmt(&k.a, "GET localhost:%u abc []", tls ? tls_port : port).p,
				k.body);
			ASSERT_INT(1, (long long)http_server_conns(server));
			arena_free(&k.a);
		}
		prepare(&k, "POST", tls, "/echo");
		k.call.body = S("posted");
		run(&k);
		ASSERT_STR(str_fmt(&k.a, "POST localhost:%u  [posted]", tls ? tls_port : port).p,
			   k.body);
		arena_free(&k.a);
		prepare(&k, "PUT", tls, "/echo"); /* more than a socket buffer holds */
		memset(big, 'x', sizeof(big));
		k.call.body = (struct str){ big, sizeof(big) };
		run(&k);
		ASSERT_INT(0, k.rc);
		ASSERT(k.body.n > sizeof(big));
		arena_free(&k.a);
		prepare(&k, "HEAD", tls, "/big");
		run(&k);
		ASSERT_INT(200, k.status);
		ASSERT_INT(0, (long long)k.body.n);
		arena_free(&k.a);
		prepare(&k, "GET", tls, "/big");
		run(&k);
		ASSERT_INT(sizeof(big), (long long)k.body.n);
		arena_free(&k.a);
		prepare(&k, "DELETE", tls, "/elsewhere"); /* redirects are not followed */
		run(&k);
		ASSERT_INT(302, k.status);
		arena_free(&k.a);
		ASSERT_INT(1, (long long)http_server_conns(server));
		stop();
	}
	PASS();
}

TEST many_at_once(void)
{
	struct http_client_opts o = { .per_host = 3 };
	struct ask k[40];

	start(&o);
	for (int i = 0; i < 40; i++) {
		prepare(&k[i], "GET", i % 2, i % 5 ? "/echo" : "/big");
		http_call_start(client, &k[i].call);
	}
	for (int left = 40; left;) {
		turn();
		ASSERT(http_server_conns(server) <= 6);
		left = 0;
		for (int i = 0; i < 40; i++)
			left += !k[i].over;
	}
	for (int i = 0; i < 40; i++) {
		ASSERT_INT(0, k[i].rc);
		ASSERT_INT(200, k[i].status);
		arena_free(&k[i].a);
	}
	stop();
	PASS();
}

TEST a_watch(void)
{
	for (int tls = 0; tls < 2; tls++) {
		struct ask k;

		start(NULL);
		prepare(&k, "GET", tls, "/watch");
		k.call.on_body = on_body;
		k.call.idle_ms = -1;
		http_call_start(client, &k.call);
		while (!held)
			turn();
		(void)http_stream_write(held, S("one "));
		while (k.parts.n < 4)
			turn();
		(void)http_stream_write(held, S("two "));
		while (k.parts.n < 8)
			turn();
		http_stream_end(held);
		while (!k.over)
			turn();
		ASSERT_INT(0, k.rc);
		ASSERT_STR("one two ", buf_str(&k.parts));
		arena_free(&k.a);
		/* cancelled in the middle, from its own callback: the server notices the close */
		held = NULL;
		prepare(&k, "GET", tls, "/watch");
		k.call.on_body = on_body;
		k.cancel_after = 3;
		http_call_start(client, &k.call);
		while (!held)
			turn();
		(void)http_stream_write(held, S("enough"));
		while (held)
			turn();
		ASSERT(k.over);
		ASSERT_STR("enough", buf_str(&k.parts));
		arena_free(&k.a);
		stop();
	}
	PASS();
}

TEST what_fails(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct ask k;
	int fd;
	uint16_t closed;

	start(NULL);
	ASSERT_INT(0, sock_listen(S("127.0.0.1"), 0, &fd, &err));
	closed = sock_port(fd);
	(void)close(fd);

	prepare(&k, "GET", false, "/never");
	k.call.head_ms = 30;
	run(&k);
	ASSERT_INT(-ERR_AGAIN, k.rc);
	ASSERT_STR(str_fmt(&a, "GET http://localhost:%u/never: timed out waiting for the response",
			   port)
			   .p,
		   k.message);
	arena_free(&k.a);

	prepare(&k, "GET", false, "/watch?token=secret");
	k.call.url = str_fmt(&a, "http://u:pw@localhost:%u/never?token=secret", port);
	k.call.total_ms = 30;
	run(&k);
	ASSERT_STR(str_fmt(&a, "GET http://localhost:%u/never: took longer than 30 ms", port).p,
		   k.message);
	arena_free(&k.a);

	prepare(&k, "GET", false, "/watch");
	k.call.idle_ms = 30;
	run(&k);
	ASSERT_STR(str_fmt(&a,
			   "GET http://localhost:%u/watch: timed out waiting for more of the "
			   "response",
			   port)
			   .p,
		   k.message);
	arena_free(&k.a);

	prepare(&k, "GET", false, "/big");
	k.call.body_max = 1000;
	run(&k);
	ASSERT_INT(-ERR_LIMIT, k.rc);
	ASSERT_STR(
		str_fmt(&a, "GET http://localhost:%u/big: response is larger than 1000 bytes", port)
			.p,
		k.message);
	arena_free(&k.a);

	prepare(&k, "GET", false, "/");
	k.call.url = str_fmt(&a, "http://127.0.0.1:%u/x", closed);
	run(&k);
	ASSERT_INT(-ERR_AGAIN, k.rc);
	ASSERT_STR(
		str_fmt(&a,
			"GET http://127.0.0.1:%u/x: connect to 127.0.0.1 port %u: Connection refused",
			closed, closed)
			.p,
		k.message);
	arena_free(&k.a);

	prepare(&k, "GET", false, "/");
	k.call.url = S("gopher://h");
	run(&k);
	ASSERT_INT(-ERR_INVALID, k.rc);
	ASSERT_STR("GET: URL is neither http:// nor https://", k.message);
	arena_free(&k.a);

	/* TLS to the plain port and plain HTTP to the TLS port */
	prepare(&k, "GET", true, "/");
	k.call.url = str_fmt(&a, "https://localhost:%u/", port);
	run(&k);
	ASSERT_STR(str_fmt(&a, "GET https://localhost:%u/: tls: the server speaks plain HTTP here",
			   port)
			   .p,
		   k.message);
	ASSERT(!k.call.result.untrusted);
	arena_free(&k.a);
	prepare(&k, "GET", false, "/");
	k.call.url = str_fmt(&a, "http://localhost:%u/", tls_port);
	run(&k);
	ASSERT_INT(400, k.status);
	ASSERT_STR("Client sent an HTTP request to an HTTPS server.\n", k.body);
	arena_free(&k.a);

	ASSERT_INT(0, tls_client_set_ca(client_tls, pem("ca.pem"), &err));
	prepare(&k, "GET", true, "/");
	run(&k);
	ASSERT_INT(-ERR_INVALID, k.rc);
	ASSERT_STR(
		str_fmt(&a,
			"GET https://localhost:%u/: tls: certificate signed by unknown authority (CN=test EC CA)",
			tls_port)
			.p,
		k.message);
	ASSERT(k.call.result.untrusted);
	arena_free(&k.a);

	/* cancelled before anything was sent */
	prepare(&k, "GET", true, "/");
	http_call_start(client, &k.call);
	http_call_cancel(&k.call);
	turn();
	ASSERT(!k.over);
	arena_free(&k.a);
	stop();
	PASS();
}

/* ---- servers that misbehave ---------------------------------------------- */

/* Answers the requests of each connection from a list, then closes it. */
struct fake {
	struct source listen, conn;
	struct arena a;
	struct buf seen;
	const char *const *answers; /* NULL ends the list; "" closes without an answer */
	size_t at, from;
	int conns;
	/* after "CONNECT": copies bytes both ways */
	struct source far;
	bool tunnel;
};

static void carry(struct source *from, struct source *to)
{
	char bytes[4096];
	ssize_t n = recv(from->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n > 0) {
		(void)send(to->fd, bytes, (size_t)n, MSG_NOSIGNAL);
		return;
	}
	from->want = 0;
	(void)shutdown(to->fd, SHUT_WR);
}

static void fake_close(struct fake *f)
{
	loop_remove(loop, &f->conn);
	(void)close(f->conn.fd);
	f->conn.fd = -1;
}

static void fake_far(struct source *s, short events)
{
	struct fake *f = s->ctx;

	(void)events;
	carry(&f->far, &f->conn);
}

static void fake_open_far(struct fake *f)
{
	struct sock_addr to;

	(void)sock_parse(S("127.0.0.1"), tls_port, &to);
	f->far = (struct source){
		.fd = socket(AF_INET, SOCK_STREAM, 0), .want = POLLIN, .ready = fake_far, .ctx = f
	};
	if (connect(f->far.fd, (void *)&to.ss, to.len) < 0)
		abort();
	loop_add(loop, &f->far);
	f->tunnel = true;
}

static void fake_conn(struct source *s, short events)
{
	struct fake *f = s->ctx;
	const char *answer;
	ssize_t n;

	(void)events;
	if (f->tunnel) {
		carry(&f->conn, &f->far);
		return;
	}
	buf_reserve(&f->seen, 4096);
	n = recv(s->fd, f->seen.p + f->seen.n, 4096, MSG_DONTWAIT);
	if (n <= 0) {
		fake_close(f);
		return;
	}
	f->seen.n += (size_t)n;
	if (str_find(str_from(buf_str(&f->seen), f->from), S("\r\n\r\n")) < 0)
		return;
	f->from = f->seen.n;
	answer = f->answers[f->at];
	if (answer)
		f->at++;
	if (!answer || !*answer) {
		fake_close(f);
		return;
	}
	(void)send(s->fd, answer, strlen(answer), MSG_NOSIGNAL);
	if (str_starts(buf_str(&f->seen), S("CONNECT ")) && strstr(answer, " 200 "))
		fake_open_far(f);
}

static void fake_listen(struct source *s, short events)
{
	struct fake *f = s->ctx;
	struct sock_addr peer;
	int fd = sock_accept(s->fd, &peer);

	(void)events;
	if (fd < 0)
		return;
	f->conns++;
	f->conn = (struct source){ .fd = fd, .want = POLLIN, .ready = fake_conn, .ctx = f };
	loop_add(loop, &f->conn);
}

static uint16_t fake_start(struct fake *f, const char *const *answers)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int fd;

	*f = (struct fake){ .answers = answers };
	buf_init(&f->seen, &f->a);
	if (sock_listen(S("127.0.0.1"), 0, &fd, &err) < 0)
		abort();
	f->conn.fd = f->far.fd = -1;
	f->listen = (struct source){ .fd = fd, .want = POLLIN, .ready = fake_listen, .ctx = f };
	loop_add(loop, &f->listen);
	return sock_port(fd);
}

static void fake_stop(struct fake *f)
{
	loop_remove(loop, &f->listen);
	(void)close(f->listen.fd);
	if (f->conn.fd >= 0)
		fake_close(f);
	if (f->tunnel) {
		loop_remove(loop, &f->far);
		(void)close(f->far.fd);
	}
	arena_free(&f->a);
}

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

TEST odd_servers(void)
{
	static const struct {
		const char *name, *method;
		const char *answers[4];
		const char *want; /* "status body", or the end of the error message */
		int conns;
	} cases[] = {
		{ "kept connection closed on us", "GET", { OK, "", OK }, "200 ok", 2 },
		{ "the same with a request not to be repeated",
		  "POST",
		  { OK, "" },
		  "connection closed by the server",
		  1 },
		{ "closed twice", "GET", { OK, "", "" }, "connection closed by the server", 2 },
		{ "interim answers",
		  "GET",
		  { OK, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n" OK },
		  "200 ok",
		  1 },
		{ "switched protocols",
		  "GET",
		  { OK, "HTTP/1.1 101 Switching Protocols\r\n\r\n" },
		  "server switches to a protocol not asked for",
		  1 },
		{ "no HTTP",
		  "GET",
		  { OK, "SSH-2.0-x\r\n\r\n" },
		  "malformed HTTP response: malformed status line",
		  1 },
		{ "cut in the body",
		  "GET",
		  { OK, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nok" },
		  "timed out waiting for more of the response",
		  1 },
		{ "more than announced", "GET", { OK, OK "junk" }, "200 ok", 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fake f;
		uint16_t p;

		start(NULL);
		p = fake_start(&f, cases[i].answers);
		for (int k = 0; k < 2; k++) {
			struct ask q;

			prepare(&q, k ? cases[i].method : "GET", false, "/");
			q.call.url = str_fmt(&q.a, "http://127.0.0.1:%u/", p);
			q.call.idle_ms = 50;
			run(&q);
			if (k && q.rc < 0)
				ASSERT_STR_M(
					cases[i].name, str_of(cases[i].want),
					str_from(q.message, q.message.n - strlen(cases[i].want)));
			else if (k)
				ASSERT_STR_M(cases[i].name, str_of(cases[i].want),
					     str_fmt(&q.a, "%d %.*s", q.status, STRF(q.body)));
			arena_free(&q.a);
		}
		ASSERT_INT_M(cases[i].name, cases[i].conns, f.conns);
		fake_stop(&f);
		stop();
	}
	PASS();
}

TEST through_proxies(void)
{
	static const char *const plain[] = { OK, NULL };
	static const char *const refusal[] = {
		"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", NULL
	};
	static const char *const open[] = { "HTTP/1.1 200 Connection established\r\n\r\n", NULL };
	AUTO(arena) struct arena a = ARENA_INIT;
	struct http_client_opts o = { 0 };
	struct fake f;
	struct ask k;
	uint16_t p;

	start(NULL);
	p = fake_start(&f, plain);
	o.tls = client_tls;
	o.proxy.http = str_fmt(&a, "http://me:p%%40ss@127.0.0.1:%u", p);
	o.proxy.https = o.proxy.http;
	http_client_free(client);
	client = http_client_new(loop, &o);
	prepare(&k, "GET", false, "/");
	k.call.url = S("http://far.example:81/x?y");
	run(&k);
	ASSERT_INT(200, k.status);
	ASSERT_STR("GET http://far.example:81/x?y HTTP/1.1\r\n"
		   "Host: far.example:81\r\n"
		   "Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n",
		   buf_str(&f.seen));
	arena_free(&k.a);
	fake_stop(&f);

	p = fake_start(&f, refusal);
	o.proxy.https = str_fmt(&a, "127.0.0.1:%u", p);
	http_client_free(client);
	client = http_client_new(loop, &o);
	prepare(&k, "GET", false, "/");
	k.call.url = S("https://far.example/x");
	run(&k);
	ASSERT_STR("GET https://far.example/x: proxy refused: 407 Proxy Authentication Required",
		   k.message);
	ASSERT_STR("CONNECT far.example:443 HTTP/1.1\r\n"
		   "Host: far.example:443\r\n\r\n",
		   buf_str(&f.seen));
	arena_free(&k.a);
	fake_stop(&f);

	/* a tunnel to our server; the client checks the server's name inside it */
	p = fake_start(&f, open);
	o.proxy.https = str_fmt(&a, "127.0.0.1:%u", p);
	http_client_free(client);
	client = http_client_new(loop, &o);
	prepare(&k, "GET", false, "/");
	k.call.url = S("https://mcs.example/echo");
	run(&k);
	ASSERT_STR("", k.message);
	ASSERT_STR("GET mcs.example  []", k.body);
	arena_free(&k.a);
	http_client_renew(client);
	turn();
	fake_stop(&f);
	stop();
	PASS();
}

SUITE(suite)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (!mkdtemp(dir) || system(str_fmt(&a, "bash test/io/certs.sh %s", dir).p) != 0) {
		(void)printf("test/io/certs.sh failed\n");
		abort();
	}
	RUN_TEST(plain_and_tls);
	RUN_TEST(many_at_once);
	RUN_TEST(a_watch);
	RUN_TEST(what_fails);
	RUN_TEST(odd_servers);
	RUN_TEST(through_proxies);
	(void)system(str_fmt(&a, "rm -rf %s", dir).p);
	arena_free(&files);
}

TEST_MAIN(suite)
