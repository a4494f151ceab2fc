/* The HTTP server on loopback; the tests write requests byte by byte. */
#include "../test.h"
#include "../clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/http_server.h"

struct world {
	struct loop *loop;
	struct http_server *server;
	uint16_t port;
	struct http_exchange *held;
	int gone, over, drained, released, stopped, evicted, refused;
	size_t waiting;
};

static struct world w;
static char big[400000], huge[24 << 20];

static void on_gone(struct http_exchange *x)
{
	(void)x;
	w.gone++;
	w.held = NULL;
}

static void on_drain(struct http_exchange *x)
{
	(void)x;
	w.drained++;
}

static void release(void *owner)
{
	(*(int *)owner)++;
}

static void handle(struct http_exchange *x, void *ctx)
{
	struct str target = x->head->target;

	(void)ctx;
	if (str_is(target, "/hello")) {
		http_reply(x, 200, S("Content-Type: text/plain\r\n"), S("hello\n"), NULL, NULL);
	} else if (str_is(target, "/echo")) {
		http_reply(x, 201, S(""), x->body, NULL, NULL);
	} else if (str_is(target, "/big")) {
		http_reply(x, 200, S(""), (struct str){ big, sizeof(big) }, release, &w.released);
	} else if (str_is(target, "/more")) {
		http_reply(x, 200, S(""), (struct str){ huge, 800000 }, release, &w.released);
	} else if (str_is(target, "/huge")) {
		http_reply(x, 200, S(""), (struct str){ huge, sizeof(huge) }, release, &w.released);
	} else if (str_is(target, "/none")) {
		http_reply(x, 204, S(""), S(""), NULL, NULL);
	} else if (str_is(target, "/later")) {
		x->on_gone = on_gone;
		w.held = x;
	} else if (str_is(target, "/watch")) {
		x->on_gone = on_gone;
		x->on_drain = on_drain;
		w.held = x;
		http_stream_start(x, 200, S(""));
		(void)http_stream_write(x, S("one\n"));
	} else {
		http_reply(x, 404, S(""), S(""), NULL, NULL);
	}
}

static size_t body_max(const struct http_head *head, void *ctx)
{
	(void)ctx;
	return str_is(head->target, "/echo") ? 10 : str_is(head->target, "/sink") ? 1 << 20 : 0;
}

static bool vital(const struct http_head *head, void *ctx)
{
	(void)ctx;
	return str_is(head->target, "/none");
}

static void lost(const struct sock_addr *peer, enum http_lost why, void *ctx)
{
	(void)peer;
	(void)ctx;
	if (why == HTTP_LOST_EVICTED)
		w.evicted++;
	else
		w.refused++;
}

static void over(const struct http_exchange *x, int status, uint64_t sent, void *ctx)
{
	(void)x;
	(void)status;
	(void)sent;
	(void)ctx;
	w.over++;
}

static void start(const struct http_server_opts *given)
{
	static struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct http_server_opts o = given ? *given : (struct http_server_opts){ 0 };
	int fd;

	w = (struct world){ .loop = loop_new(&err) };
	o.handle = handle;
	o.body_max = body_max;
	o.over = over;
	o.vital = vital;
	o.lost = lost;
	w.server = http_server_new(w.loop, &o);
	if (sock_listen(S("127.0.0.1"), 0, &fd, &err) < 0)
		abort();
	w.port = sock_port(fd);
	http_server_listen(w.server, fd, NULL);
}

static void stop(void)
{
	http_server_free(w.server);
	loop_free(w.loop);
}

static void turn(int ms)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (loop_turn(w.loop, ms, &err) < 0)
		abort();
}

/* Connects from 127.0.0.x. */
static void dial_from(int fd, int x)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(w.port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in me = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(0x7f000000u | (unsigned)x) };

	if (bind(fd, (void *)&me, sizeof(me)) < 0 || connect(fd, (void *)&to, sizeof(to)) < 0)
		abort();
}

static int client_from(int x)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	dial_from(fd, x);
	return fd;
}

static int client(void)
{
	return client_from(1);
}

static void put(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		abort();
}

/* Reads until `want` bytes have arrived or the server closes ("<closed>"). */
static struct str get(struct arena *a, int fd, size_t want)
{
	int64_t give_up = clock_ms() + 60000;
	struct buf b;

	buf_init(&b, a);
	while (b.n < want && clock_ms() < give_up) {
		ssize_t n;

		turn(TURN_MS);
		buf_reserve(&b, 65536);
		n = recv(fd, b.p + b.n, 65536, MSG_DONTWAIT);
		if (n > 0)
			b.n += (size_t)n;
		if (n == 0) {
			buf_addz(&b, "<closed>");
			break;
		}
	}
	return buf_str(&b);
}

/* The same without the Date line, whose position is checked. */
static struct str undated(struct arena *a, struct str s)
{
	struct buf b;
	ptrdiff_t at;

	buf_init(&b, a);
	while ((at = str_find(s, S("Date: "))) >= 0) {
		buf_add(&b, str_sub(s, 0, (size_t)at));
		s = str_from(s, (size_t)at + 37);
	}
	buf_add(&b, s);
	return buf_str(&b);
}

static struct str ask_from(struct arena *a, int x, const char *request)
{
	int fd = client_from(x);
	struct str got;

	put(fd, request);
	got = get(a, fd, (size_t)-1);
	(void)close(fd);
	return undated(a, got);
}

static struct str ask(struct arena *a, const char *request)
{
	return ask_from(a, 1, request);
}

#define END " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

TEST answers(void)
{
	static const struct {
		const char *ask, *want;
	} cases[] = {
		{ "GET /hello" END,
		  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
		  "Content-Length: 6\r\nConnection: close\r\n\r\nhello\n<closed>" },
		{ "HEAD /hello" END, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
				     "Content-Length: 6\r\nConnection: close\r\n\r\n<closed>" },
		{ "GET /none" END, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n<closed>" },
		{ "GET /hello HTTP/1.0\r\n\r\n",
		  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
		  "Content-Length: 6\r\nConnection: close\r\n\r\nhello\n<closed>" },
		{ "GET /hello HTTP/1.1\r\n\r\n",
		  "HTTP/1.1 400 Bad Request: missing required Host header\r\n"
		  "Content-Type: text/plain; charset=utf-8\r\n"
		  "Connection: close\r\n\r\n"
		  "400 Bad Request: missing required Host header<closed>" },
		/* pipelined; the last request closes the connection */
		{ "GET /x HTTP/1.1\r\nHost: h\r\n\r\nGET /y HTTP/1.0\r\n"
		  "Connection: keep-alive\r\n\r\nGET /none" END,
		  "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
		  "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
		  "Connection: keep-alive\r\n\r\n"
		  "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n<closed>" },
		{ "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
		  "Connection: close\r\n\r\nabc",
		  "HTTP/1.1 201 Created\r\nContent-Length: 3\r\n"
		  "Connection: close\r\n\r\nabc<closed>" },
		{ "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
		  "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
		  "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
		  "HTTP/1.1 100 Continue\r\n\r\n"
		  "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n"
		  "Connection: close\r\n\r\nabcde<closed>" },
		{ "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n"
		  "01234567890",
		  "HTTP/1.1 413 Request Entity Too Large\r\n"
		  "Content-Type: text/plain; charset=utf-8\r\n"
		  "Connection: close\r\n\r\n413 Request Entity Too Large<closed>" },
		{ "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
		  "\r\n6\r\nabcdef\r\n6\r\nabcdef\r\n0\r\n\r\n",
		  "HTTP/1.1 413 Request Entity Too Large\r\n"
		  "Content-Type: text/plain; charset=utf-8\r\n"
		  "Connection: close\r\n\r\n413 Request Entity Too Large<closed>" },
		{ "GET /hello HTTP/1.1\r\nHost: h\r\nExpect: a-miracle\r\n\r\n",
		  "HTTP/1.1 417 Expectation Failed\r\n"
		  "Content-Type: text/plain; charset=utf-8\r\n"
		  "Connection: close\r\n\r\n417 Expectation Failed<closed>" },
	};

	start(NULL);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		ASSERT_STR_M(cases[i].ask, str_of(cases[i].want), ask(&a, cases[i].ask));
	}
	/* over() ran for every request, refused ones too; one case sends three */
	ASSERT_INT(ARRAY_LEN(cases) + 2, w.over);
	stop();
	PASS();
}

TEST a_large_answer_is_not_copied(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str got, head, body;

	memset(big, 'b', sizeof(big));
	start(NULL);
	got = ask(&a, "GET /big" END);
	ASSERT(str_find(got, S("\r\n\r\n")) > 0);
	head = str_sub(got, 0, (size_t)str_find(got, S("\r\n\r\n")) + 4);
	body = str_from(got, head.n);
	ASSERT_STR("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n"
		   "Connection: close\r\n\r\n",
		   head);
	ASSERT_INT(sizeof(big) + 8, (long long)body.n);
	ASSERT(memcmp(body.p, big, sizeof(big)) == 0);
	ASSERT_INT(1, w.released);
	ASSERT_INT(1, w.over);
	stop();
	PASS();
}

TEST answered_later(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	int fd;

	start(NULL);
	fd = client();
	put(fd, "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
	while (!w.held)
		turn(TURN_MS);
	turn(0);
	http_reply(w.held, 200, S(""), S("done"), NULL, NULL);
	ASSERT_STR("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone",
		   undated(&a, get(&a, fd, 79)));
	/* the connection serves the next request; then its client leaves while it waits */
	w.held = NULL;
	put(fd, "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
	while (!w.held)
		turn(TURN_MS);
	(void)close(fd);
	while (!w.gone)
		turn(TURN_MS);
	ASSERT_INT(0, (long long)http_server_conns(w.server));
	ASSERT_INT(2, w.over);
	stop();
	PASS();
}

TEST a_stream(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str head = S("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	int fd;

	start(NULL);
	fd = client();
	put(fd, "GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
	ASSERT_STR(str_fmt(&a, "%.*s4\r\none\n\r\n", STRF(head)).p,
		   undated(&a, get(&a, fd, head.n + 37 + 9)));
	turn(0);
	ASSERT_INT(1, w.drained);
	(void)http_stream_write(w.held, S("two\n"));
	ASSERT_INT(18, (long long)http_stream_write(w.held, S("six\n")));
	ASSERT_STR("4\r\ntwo\n\r\n4\r\nsix\n\r\n", get(&a, fd, 18));
	http_stream_end(w.held);
	ASSERT_STR("0\r\n\r\n", get(&a, fd, 5));
	put(fd, "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n");
	ASSERT(str_starts(get(&a, fd, 100), S("HTTP/1.1 200 OK\r\n")));
	/* the bytes that pile up show that the client does not read */
	put(fd, "GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
	(void)get(&a, fd, head.n + 37 + 9);
	for (int i = 0; i < 200; i++) {
		if (i == 150) /* the kernel's buffers are full */
			w.drained = 0;
		w.waiting = http_stream_write(w.held, (struct str){ big, 100000 });
		turn(0);
	}
	ASSERT(w.waiting > 5000000);
	ASSERT_INT(0, w.drained);
	ASSERT_INT(0, w.gone);
	(void)close(fd);
	while (!w.gone)
		turn(TURN_MS);
	/* HTTP/1.0: no chunks, the close marks the end */
	fd = client();
	put(fd, "GET /watch HTTP/1.0\r\n\r\n");
	while (!w.held)
		turn(TURN_MS);
	http_stream_end(w.held);
	ASSERT_STR("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none\n<closed>",
		   undated(&a, get(&a, fd, (size_t)-1)));
	(void)close(fd);
	stop();
	PASS();
}

TEST slow_clients_lose_their_slot(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct http_server_opts o = { .head_ms = 50, .idle_ms = 60, .body_ms = 50, .send_ms = 50 };
	int fd;

	start(&o);
	fd = client(); /* sends nothing */
	ASSERT_STR("<closed>", get(&a, fd, 100));
	(void)close(fd);
	fd = client();
	put(fd, "GET /hello HT");
	ASSERT_STR("<closed>", get(&a, fd, 100));
	(void)close(fd);
	fd = client();
	put(fd, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na");
	ASSERT_STR("<closed>", get(&a, fd, 100));
	(void)close(fd);
	fd = client(); /* idle between requests */
	put(fd, "GET /none HTTP/1.1\r\nHost: h\r\n\r\n");
	ASSERT_STR("HTTP/1.1 204 No Content\r\n\r\n<closed>", undated(&a, get(&a, fd, 1000)));
	(void)close(fd);
	ASSERT_INT(0, (long long)http_server_conns(w.server));
	fd = client(); /* reads nothing of a stream */
	put(fd, "GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
	while (!w.held)
		turn(TURN_MS);
	for (int i = 0; i < 200; i++)
		(void)http_stream_write(w.held, (struct str){ big, 100000 });
	while (!w.gone)
		turn(TURN_MS);
	(void)close(fd);
	/* reads nothing of the end of a stream: no on_gone after http_stream_end */
	w.gone = 0;
	w.held = NULL;
	fd = client();
	put(fd, "GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
	while (!w.held)
		turn(TURN_MS);
	for (int i = 0; i < 200; i++)
		(void)http_stream_write(w.held, (struct str){ big, 100000 });
	http_stream_end(w.held);
	while (http_server_conns(w.server))
		turn(TURN_MS);
	ASSERT_INT(0, w.gone);
	(void)close(fd);
	stop();
	PASS();
}

TEST half_open_connections_make_room(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct http_server_opts o = { .max_conns = 20 };
	int fds[100], busy[10];

	start(&o);
	for (int i = 0; i < 100; i++) {
		fds[i] = client();
		put(fds[i], "GET / HTTP/1.1\r\nX: ");
		turn(0);
	}
	for (int i = 0; i < 30; i++)
		ASSERT(str_starts(ask(&a, "GET /hello" END), S("HTTP/1.1 200 OK\r\n")));
	ASSERT(http_server_conns(w.server) <= 20);
	for (int i = 0; i < 100; i++)
		(void)close(fds[i]);
	/* requests hold all slots of the address: a new one gets an error answer */
	for (int i = 0; i < 10; i++) {
		busy[i] = client();
		w.held = NULL;
		put(busy[i], "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
		while (!w.held)
			turn(TURN_MS);
	}
	ASSERT_STR("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
		   "Content-Length: 0\r\nConnection: close\r\n\r\n<closed>",
		   ask(&a, "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"));
	/* but a vital request is answered, once */
	ASSERT_STR("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n<closed>",
		   ask(&a, "GET /none HTTP/1.1\r\nHost: h\r\n\r\n"));
	ASSERT_INT(1, w.refused);
	for (int i = 0; i < 10; i++)
		(void)close(busy[i]);
	while (http_server_conns(w.server))
		turn(TURN_MS);
	ASSERT_INT(10, w.gone);
	stop();
	PASS();
}

/* ---- slots --------------------------------------------------------------- */

/* A connection from 127.0.0.x that receives little at a time. */
static int small_reader(int x, const char *target)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	int small = 4096, segment = 536;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	/* the kernel sizes the sender's buffer by the segment size */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof(segment));
	dial_from(fd, x);
	put(fd, str_fmt(&a, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", target).p);
	return fd;
}

/* A connection that requests more than all buffers on the path hold. */
static int slow_reader(int x)
{
	return small_reader(x, "/huge");
}

/* True when the other side has closed or reset the connection; skips what it sent before. */
static bool is_cut(int fd)
{
	char some[65536];
	ssize_t n;

	do
		n = recv(fd, some, sizeof(some), MSG_DONTWAIT);
	while (n > 0);
	return n == 0 || errno != EAGAIN;
}

static void turns(int ms)
{
	int64_t end = clock_ms() + ms;

	while (clock_ms() < end)
		turn(TURN_MS);
}

#define HELLO_200                                         \
	"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" \
	"Content-Length: 6\r\nConnection: close\r\n\r\nhello\n<closed>"

/*
 * One host reads slowly on twice as many connections as there are slots, and
 * reconnects when it is cut off. Other hosts are still served at once, also
 * when several hosts do this.
 */
TEST slow_readers_keep_nobody_out(void)
{
	struct http_server_opts o = { .max_conns = 40 };
	int fds[80], second;

	start(&o);
	for (int i = 0; i < 80; i++) {
		fds[i] = slow_reader(2);
		turn(0);
	}
	turns(20);
	/* at most its half of the slots, 20, and three being closed */
	ASSERT(http_server_conns(w.server) <= 20 + 3);
	for (int i = 0; i < 20; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		second = slow_reader(2);
		ASSERT_STR(HELLO_200, ask_from(&a, 3, "GET /hello" END));
		(void)close(second);
	}
	for (int i = 0; i < 80; i++)
		(void)close(fds[i]);
	while (http_server_conns(w.server))
		turn(TURN_MS);
	/* three such hosts fill the listener; others are still served */
	for (int i = 0; i < 80; i++) {
		fds[i] = slow_reader(4 + i % 3);
		turn(0);
	}
	turns(20);
	ASSERT(http_server_conns(w.server) >= 40);
	for (int i = 0; i < 20; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		second = slow_reader(4);
		ASSERT_STR(HELLO_200, ask_from(&a, 3, "GET /hello" END));
		(void)close(second);
	}
	for (int i = 0; i < 80; i++)
		(void)close(fds[i]);
	stop();
	PASS();
}

/* The slowest connection is evicted, also for a client of the same address. */
TEST the_slowest_goes_first(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct http_server_opts o = { .max_conns = 8, .per_address = 4 };
	int fds[4];

	start(&o);
	for (int i = 0; i < 4; i++) {
		fds[i] = slow_reader(2);
		turns(10);
	}
	turns(500);
	/* the first one is no longer the slowest */
	ASSERT(get(&a, fds[0], 250000).n >= 250000);
	ASSERT_STR(HELLO_200, ask_from(&a, 2, "GET /hello" END));
	ASSERT_INT(1, w.evicted);
	ASSERT(is_cut(fds[1]));
	ASSERT(!is_cut(fds[0]));
	ASSERT(!is_cut(fds[2]));
	ASSERT(!is_cut(fds[3]));
	for (int i = 0; i < 4; i++)
		(void)close(fds[i]);
	stop();
	PASS();
}

/* A full listener does not affect another listener. */
TEST listeners_have_their_own_slots(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct http_server_opts o = { .max_conns = 4, .per_address = 4 };
	struct err err = ERR_INIT(&a);
	int fds[4], other;

	start(&o);
	for (int i = 0; i < 4; i++) {
		w.held = NULL;
		fds[i] = client();
		put(fds[i], "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
		while (!w.held)
			turn(TURN_MS);
	}
	ASSERT(str_starts(ask(&a, "GET /hello" END), S("HTTP/1.1 503 ")));
	ASSERT_INT(0, sock_listen(S("127.0.0.1"), 0, &other, &err));
	w.port = sock_port(other);
	http_server_listen(w.server, other, NULL);
	ASSERT_STR(HELLO_200, ask(&a, "GET /hello" END));
	for (int i = 0; i < 4; i++)
		(void)close(fds[i]);
	stop();
	PASS();
}

/* ---- progress ------------------------------------------------------------ */

#define LATE_MS 10000 /* a deadline of 200 ms that is renewed ends much later */

/* Sends text, then byte after byte until the server closes; true when it closes in time. */
static bool dribble_ends(const char *text, char byte)
{
	int fd = client();
	int64_t began = clock_ms();

	put(fd, text);
	while (!is_cut(fd) && clock_ms() < began + LATE_MS) {
		(void)send(fd, &byte, 1, MSG_NOSIGNAL);
		turns(10);
	}
	(void)close(fd);
	return clock_ms() < began + LATE_MS / 2 && !w.over;
}

TEST single_bytes_renew_no_deadline(void)
{
	struct http_server_opts o = {
		.head_ms = 200, .body_ms = 200, .send_ms = 200, .idle_ms = 60000
	};
	int64_t began;
	char some[512];
	int fd;

	start(&o);
	ASSERT(dribble_ends("", 'G'));
	ASSERT(dribble_ends("GET /hello HTTP/1.1\r\nX: ", 'x'));
	ASSERT(dribble_ends("POST /sink HTTP/1.1\r\nHost: h\r\n"
			    "Content-Length: 1000000\r\n\r\n",
			    'x'));
	/* reads a little now and then, far less than 16 bytes per ms */
	fd = slow_reader(1);
	began = clock_ms();
	while (!w.over && clock_ms() < began + LATE_MS) {
		(void)!recv(fd, some, 20, MSG_DONTWAIT);
		turns(10);
	}
	ASSERT(clock_ms() < began + LATE_MS / 2);
	ASSERT_INT(1, w.released);
	ASSERT_INT(0, (long long)http_server_conns(w.server));
	(void)close(fd);
	stop();
	PASS();
}

/* A client that reads fast enough may take many times send_ms. */
TEST steady_progress_is_enough(void)
{
	struct http_server_opts o = { .send_ms = 100, .body_ms = 100 };
	size_t got = 0;
	int64_t began;
	char some[4000];
	int fd;

	start(&o);
	fd = small_reader(1, "/more");
	began = clock_ms();
	while (got < 800000) {
		ssize_t n = recv(fd, some, sizeof(some), MSG_DONTWAIT);

		ASSERT(n != 0);
		got += n > 0 ? (size_t)n : 0;
		turns(n > 0 ? 5 : 1);
	}
	ASSERT(clock_ms() > began + 500);
	(void)close(fd);
	stop();
	PASS();
}

static void stopped(void *ctx)
{
	(void)ctx;
	w.stopped++;
}

TEST stopping_lets_requests_end(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	int idle, fd;

	start(NULL);
	idle = client();
	put(idle, "GET /none HTTP/1.1\r\nHost: h\r\n\r\n");
	(void)get(&a, idle, 60);
	fd = client();
	put(fd, "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
	while (!w.held)
		turn(TURN_MS);
	http_server_stop(w.server, 5000, stopped, NULL);
	ASSERT_STR("<closed>", get(&a, idle, 100));
	ASSERT_INT(0, w.stopped);
	http_reply(w.held, 200, S(""), S("bye"), NULL, NULL);
	ASSERT_STR("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
		   "Connection: close\r\n\r\nbye<closed>",
		   undated(&a, get(&a, fd, 1000)));
	(void)close(fd);
	(void)close(idle);
	while (!w.stopped)
		turn(TURN_MS);
	ASSERT_INT(1, w.stopped);
	stop();
	/* a response that does not end in time is cut */
	start(NULL);
	fd = client();
	put(fd, "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
	while (!w.held)
		turn(TURN_MS);
	http_server_stop(w.server, 30, stopped, NULL);
	while (!w.stopped)
		turn(TURN_MS);
	ASSERT_INT(1, w.gone);
	(void)close(fd);
	stop();
	PASS();
}

SUITE(suite)
{
	RUN_TEST(answers);
	RUN_TEST(a_large_answer_is_not_copied);
	RUN_TEST(answered_later);
	RUN_TEST(a_stream);
	RUN_TEST(slow_clients_lose_their_slot);
	RUN_TEST(half_open_connections_make_room);
	RUN_TEST(slow_readers_keep_nobody_out);
	RUN_TEST(the_slowest_goes_first);
	RUN_TEST(listeners_have_their_own_slots);
	RUN_TEST(single_bytes_renew_no_deadline);
	RUN_TEST(steady_progress_is_enough);
	RUN_TEST(stopping_lets_requests_end);
}

TEST_MAIN(suite)
