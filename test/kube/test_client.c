/*
 * How the client handles the answers of servers. Every case has its own server
 * that gives its answers in turn and repeats the last one; the cases run
 * concurrently.
 */
#include "../test.h"

#include <fcntl.h>

#include "io/clock.h"
#include "io/log.h"
#include "kube/client.h"
#include "peer.h"

#define JSON "Content-Type: application/json\r\n"
#define OK(body) "HTTP/1.1 200 OK\r\n" JSON "Connection: close\r\n\r\n" body
#define SAYS(status, fields, body) "HTTP/1.1 " status "\r\n" fields "Connection: close\r\n\r\n" body
#define FAULT(code, reason, text)                                                             \
	"{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":" #code ",\"reason\":\"" reason \
	"\",\"message\":\"" text "\"}"

static const struct client_case {
	const char *name, *method, *answers[4];
	size_t requests;
	int rc, status;
	const char *message; /* "*" is the address */
	int64_t later;
	bool once;
} cases[] = {
	{ .name = "an answer", .answers = { OK("{}") }, .requests = 1, .status = 200 },
	{ .name = "a charset is JSON still",
	  .answers = { SAYS("200 OK", "Content-Type: application/json;charset=utf-8\r\n", "{}") },
	  .requests = 1,
	  .status = 200 },
	{ .name = "not found",
	  .answers = { SAYS("404 Not Found", JSON,
			    FAULT(404, "NotFound", "nodes \\\"x\\\" not found")) },
	  .requests = 1,
	  .rc = -ERR_NOTFOUND,
	  .status = 404,
	  .message = "nodes \"x\" not found" },
	{ .name = "a conflict is the caller's to plan again",
	  .method = "PUT",
	  .answers = { SAYS("409 Conflict", JSON, FAULT(409, "Conflict", "changed meanwhile")) },
	  .requests = 1,
	  .rc = -ERR_CONFLICT,
	  .status = 409,
	  .message = "changed meanwhile" },
	{ .name = "gone",
	  .answers = { SAYS("410 Gone", JSON, FAULT(410, "Expired", "too old")) },
	  .requests = 1,
	  .rc = -ERR_GONE,
	  .status = 410,
	  .message = "too old" },
	{ .name = "what is refused is not asked again",
	  .answers = { SAYS("403 Forbidden", JSON, FAULT(403, "Forbidden", "not you")) },
	  .requests = 1,
	  .rc = -ERR_INVALID,
	  .status = 403,
	  .message = "not you" },
	{ .name = "a page of HTML is reported by its first line",
	  .answers = { SAYS("502 Bad Gateway", "Content-Type: text/html\r\n",
			    "\n<html>\n<body>down</body>\n</html>\n") },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .status = 502,
	  .message = "the server responded with 502 Bad Gateway: <html>" },
	{ .name = "a page of HTML in place of an answer",
	  .answers = { SAYS("200 OK", "Content-Type: text/html\r\n", "<html>log in</html>") },
	  .requests = 1,
	  .rc = -ERR_INVALID,
	  .message = "GET http://* returned text/html instead of JSON: is it an API server?" },
	{ .name = "Retry-After is waited for",
	  .answers = { SAYS("429 Too Many Requests", "Retry-After: 0\r\n", ""),
		       SAYS("503 Service Unavailable", "Retry-After: 1\r\n", ""), OK("{}") },
	  .requests = 3,
	  .status = 200 },
	{ .name = "also by writes: nothing was done",
	  .method = "POST",
	  .answers = { SAYS("429 Too Many Requests", "Retry-After: 0\r\n", ""), OK("{}") },
	  .requests = 2,
	  .status = 200 },
	{ .name = "not for ever",
	  .answers = { SAYS("429 Too Many Requests", "Retry-After: 0\r\n", "slow down") },
	  .requests = 11,
	  .rc = -ERR_AGAIN,
	  .status = 429,
	  .message = "the server responded with 429 Too Many Requests: slow down" },
	{ .name = "a date is not waited for",
	  .answers = { SAYS("503 Service Unavailable",
			    "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n", "") },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .status = 503,
	  .message = "the server responded with 503 Service Unavailable" },
	{ .name = "nor for a year",
	  .answers = { SAYS("429 Too Many Requests", "Retry-After: 9223372036854775807\r\n", "") },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .status = 429,
	  .message = "the server responded with 429 Too Many Requests",
	  .later = 300000,
	  .once = true },
	{ .name = "nor into the past",
	  .answers = { SAYS("429 Too Many Requests", "Retry-After: -9\r\n", "") },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .status = 429,
	  .message = "the server responded with 429 Too Many Requests",
	  .once = true },
	{ .name = "how long may be said in the body",
	  .answers = { SAYS("429 Too Many Requests", JSON,
			    "{\"message\":\"later\",\"details\":{"
			    "\"retryAfterSeconds\":7}}") },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .status = 429,
	  .message = "later",
	  .later = 7000 },
	{ .name = "401 is asked once more, with credentials read anew",
	  .answers = { SAYS("401 Unauthorized", JSON, FAULT(401, "Unauthorized", "Unauthorized")),
		       OK("{}") },
	  .requests = 2,
	  .status = 200 },
	{ .name = "not twice",
	  .answers = { SAYS("401 Unauthorized", JSON, FAULT(401, "Unauthorized", "Unauthorized")) },
	  .requests = 2,
	  .rc = -ERR_INVALID,
	  .status = 401,
	  .message = "the server has asked for the client to provide "
		     "credentials (Unauthorized)" },
	{ .name = "a read that had no answer is asked once more",
	  .answers = { "", OK("{}") },
	  .requests = 2,
	  .status = 200 },
	{ .name = "not twice either",
	  .answers = { "" },
	  .requests = 2,
	  .rc = -ERR_AGAIN,
	  .message = "GET http://*/x: connection closed by the server" },
	{ .name = "a write is not: it may have been done",
	  .method = "POST",
	  .answers = { "", OK("{}") },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .message = "POST http://*/x: connection closed by the server" },
	{ .name = "half an answer",
	  .answers = { "HTTP/1.1 200 OK\r\n" JSON "Content-Length: 100\r\n\r\n{\"kind\":" },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .status = 0,
	  .message = "GET http://*/x: connection closed by the server" },
	{ .name = "half a chunk",
	  .answers = { "HTTP/1.1 200 OK\r\n" JSON
		       "Transfer-Encoding: chunked\r\n\r\n9\r\n{\"kind" },
	  .requests = 1,
	  .rc = -ERR_AGAIN,
	  .message = "GET http://*/x: connection closed by the server" },
	{ .name = "no HTTP",
	  .answers = { "SSH-2.0-OpenSSH_9.2\r\n\r\n" },
	  .requests = 1,
	  .rc = -ERR_INVALID,
	  .message = "GET http://*/x: malformed HTTP response: malformed status "
		     "line" },
};

#define N (ARRAY_LEN(cases))

struct run {
	const struct client_case *t;
	struct peer peer;
	struct kube_conf conf;
	struct kube *kube;
	struct kube_call call;
	struct kube_answer ans;
	struct arena a;
	size_t at;
	bool over;
};

static void asked(struct peer_conn *c, struct str request)
{
	struct run *r = c->peer->ctx;
	const char *answer = r->t->answers[r->at];

	(void)request;
	if (r->at < 3 && r->t->answers[r->at + 1])
		r->at++;
	peer_say(c, str_of(answer));
	c->hang_up = true;
}

static void done(struct kube_call *c, const struct kube_answer *ans)
{
	struct run *r = c->ctx;

	r->ans = *ans;
	r->ans.message = str_dup(&r->a, ans->message);
	r->over = true;
}

static void connect_to(struct run *r, struct loop *l, const char *scheme)
{
	struct kube_opts o = { .loop = l, .conf = &r->conf, .agent = "test" };
	struct err err = ERR_INIT(&r->a);

	r->peer.ctx = r;
	peer_start(&r->peer, l);
	r->conf.server = str_fmt(&r->a, "%s://127.0.0.1:%u", scheme, r->peer.port);
	if (kube_new(&o, &r->kube, &err) < 0)
		abort();
}

static void finish(struct run *r)
{
	kube_free(r->kube);
	peer_stop(&r->peer);
	arena_free(&r->a);
}

/* The message, with "*" for the server's address. */
static struct str message_of(struct run *r)
{
	struct str m = str_of(r->t->message ? r->t->message : "");
	struct str head, tail;

	if (!str_cut(m, '*', &head, &tail))
		return m;
	return str_fmt(&r->a, "%.*s127.0.0.1:%u%.*s", STRF(head), r->peer.port, STRF(tail));
}

TEST answers(void)
{
	static struct run runs[N];
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	int64_t end = clock_ms() + 60000;
	bool going = true;

	for (size_t i = 0; i < N; i++) {
		struct run *r = &runs[i];

		r->t = &cases[i];
		r->peer.asked = asked;
		connect_to(r, l, "http");
		r->call = (struct kube_call){ .method = r->t->method ?: "GET",
					      .path = S("/x"),
					      .once = r->t->once,
					      .done = done,
					      .ctx = r };
		kube_start(r->kube, &r->call);
	}
	while (going && clock_ms() < end) {
		(void)loop_turn(l, 50, &err);
		going = false;
		for (size_t i = 0; i < N; i++)
			going |= !runs[i].over;
	}
	for (size_t i = 0; i < N; i++) {
		struct run *r = &runs[i];

		ASSERTm(r->t->name, r->over);
		ASSERT_INT_M(r->t->name, r->t->rc, r->ans.rc);
		ASSERT_INT_M(r->t->name, r->t->status, r->ans.status);
		ASSERT_STR_M(r->t->name, message_of(r), r->ans.message);
		ASSERT_INT_M(r->t->name, r->t->later, r->ans.retry_after_ms);
		ASSERT_INT_M(r->t->name, (long long)r->t->requests, (long long)r->peer.requests);
		finish(r);
	}
	loop_free(l);
	PASS();
}

/* ---- large bodies -------------------------------------------------------- */

static size_t large;

static void say_large(struct peer_conn *c, struct str request)
{
	char *p = arena_alloc(&c->a, large);

	(void)request;
	memset(p, 'x', large);
	p[0] = p[large - 1] = '"';
	peer_answer(c, "200 OK", JSON, (struct str){ p, large });
}

TEST ten_megabytes_and_too_many(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct run r = { 0 };
	struct str body = S("");

	r.peer.asked = say_large;
	connect_to(&r, l, "http");
	large = (size_t)10 << 20;
	ASSERT_INT(0, kube_get(r.kube, &a, S("/x"), &body, &err));
	ASSERT_INT((long long)large, (long long)body.n);
	large = ((size_t)64 << 20) + 1;
	ASSERT_INT(-ERR_LIMIT, kube_get(r.kube, &a, S("/x"), &body, &err));
	ASSERT_STR_M("too many",
		     str_fmt(&a, "GET %.*s/x: response is larger than 67108864 bytes",
			     STRF(r.conf.server)),
		     err.msg);
	finish(&r);
	loop_free(l);
	PASS();
}

/* ---- the connection ------------------------------------------------------ */

static void slam(struct source *s, short events)
{
	struct peer *p = s->ctx;
	struct sock_addr from;
	int fd = sock_accept(s->fd, &from);
	char bytes[4096];

	(void)events;
	p->connections++;
	if (fd < 0)
		return;
	(void)!read(fd, bytes, sizeof(bytes));
	(void)close(fd);
}

/* The end of a connection is not "410 Gone" and must not cause a new list. */
TEST the_server_goes_while_tls_is_agreed(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct run r = { 0 };
	struct str body = S("");

	connect_to(&r, l, "https");
	r.peer.src.ready = slam;
	ASSERT_INT(-ERR_AGAIN, kube_get(r.kube, &a, S("/x"), &body, &err));
	ASSERT(str_find(err.msg, r.conf.server) > 0);
	ASSERT_INT(2, (long long)r.peer.connections);
	finish(&r);
	loop_free(l);
	PASS();
}

/* ---- many requests ------------------------------------------------------- */

static size_t at_once, most;

static void hold(struct peer_conn *c, struct str request)
{
	(void)request;
	at_once++;
	most = at_once > most ? at_once : most;
	if (c->peer->requests < 3)
		return; /* these are never answered */
	at_once--;
	peer_answer(c, "200 OK", JSON, S("{}"));
}

static void mark(struct kube_call *c, const struct kube_answer *ans)
{
	(void)ans;
	*(bool *)c->ctx = true;
}

TEST slots_are_bounded_and_calls_can_be_cancelled(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct run r = { 0 };
	struct kube_opts o = { .loop = l, .conf = &r.conf, .agent = "test", .in_flight = 3 };
	struct kube_call calls[20];
	bool over[20] = { 0 }, cancelled = false;

	r.peer.asked = hold;
	connect_to(&r, l, "http");
	kube_free(r.kube);
	ASSERT_INT(0, kube_new(&o, &r.kube, &err));
	for (size_t i = 0; i < 20; i++) {
		calls[i] = (struct kube_call){
			.method = "GET", .path = S("/x"), .done = mark, .ctx = &over[i]
		};
		kube_start(r.kube, &calls[i]);
	}
	/* the newest, which waits for a slot, and two that wait for answers */
	kube_cancel(&calls[10]);
	kube_cancel(&calls[19]);
	for (int64_t end = clock_ms() + 60000; clock_ms() < end && r.peer.requests < 18;) {
		(void)loop_turn(l, 50, &err);
		if (r.peer.requests >= 10 && !cancelled) {
			/* the first two requests, whichever they are */
			for (size_t i = 0; i < 3; i++)
				if (!over[i])
					kube_cancel(&calls[i]);
			cancelled = true;
		}
	}
	for (int i = 0; i < 10; i++)
		(void)loop_turn(l, 20, &err);
	ASSERT_INT(18, (long long)r.peer.requests);
	ASSERT_INT(3, (long long)most);
	finish(&r);
	loop_free(l);
	PASS();
}

struct seen {
	struct buf paths; /* one letter per request */
	struct peer_conn *held; /* the connection of /b */
};

/* "/a" gets Retry-After: 1; the test answers "/b" itself; "/w" is a watch. */
static void put_off(struct peer_conn *c, struct str request)
{
	struct seen *seen = c->peer->ctx;

	buf_addc(&seen->paths, request.p[5]);
	if (request.p[5] == 'b')
		seen->held = c;
	else if (seen->paths.n > 1)
		peer_answer(c, "200 OK", JSON, S("{}"));
	else
		peer_answer(c, "429 Too Many Requests", "Retry-After: 1\r\n", S("{}"));
}

static void until_seen(struct loop *l, const struct seen *seen, size_t n)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int64_t end = clock_ms() + 60000;

	while (seen->paths.n < n && clock_ms() < end)
		(void)loop_turn(l, 10, &err);
}

TEST who_waits_for_later_keeps_no_slot(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct run r = { 0 };
	struct kube_opts o = { .loop = l, .conf = &r.conf, .agent = "test", .in_flight = 1 };
	const struct str paths[] = { S("/a"), S("/b"), S("/w") };
	struct kube_call calls[3];
	bool over[3] = { 0 };
	struct seen seen = { 0 };
	int64_t until;

	buf_init(&seen.paths, &a);
	r.peer.asked = put_off;
	connect_to(&r, l, "http");
	r.peer.ctx = &seen;
	kube_free(r.kube);
	ASSERT_INT(0, kube_new(&o, &r.kube, &err));
	for (size_t i = 0; i < 3; i++)
		calls[i] = (struct kube_call){ .method = "GET",
					       .path = paths[i],
					       .watch = i == 2,
					       .done = mark,
					       .ctx = &over[i] };
	kube_start(r.kube, &calls[0]);
	kube_start(r.kube, &calls[1]);
	until_seen(l, &seen, 2);
	/* /b takes the slot that is free while /a waits */
	ASSERT_STR("ab", buf_str(&seen.paths));
	for (until = clock_ms() + 1500; clock_ms() < until;)
		(void)loop_turn(l, 10, &err);
	/* the retry of /a is due, but no slot is free */
	ASSERT_STR("ab", buf_str(&seen.paths));
	kube_start(r.kube, &calls[2]);
	until_seen(l, &seen, 3);
	ASSERT_STR("abw", buf_str(&seen.paths));
	peer_answer(seen.held, "200 OK", JSON, S("{}"));
	until_seen(l, &seen, 4);
	for (until = clock_ms() + 60000; !over[0] && clock_ms() < until;)
		(void)loop_turn(l, 10, &err);
	ASSERT_STR("abwa", buf_str(&seen.paths));
	ASSERT(over[0] && over[1] && over[2]);
	finish(&r);
	loop_free(l);
	PASS();
}

static void say_nothing(struct peer_conn *c, struct str request)
{
	(void)c;
	(void)request;
}

static void say_later(struct peer_conn *c, struct str request)
{
	(void)request;
	peer_answer(c, "429 Too Many Requests", "Retry-After: 2\r\n", S(""));
}

/* Retries do not extend the deadline of the request. */
TEST a_bound_holds_for_all_tries(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	for (int i = 0; i < 2; i++) {
		struct loop *l = loop_new(&err);
		struct run r = { 0 };
		struct kube_opts o = {
			.loop = l, .conf = &r.conf, .agent = "test", .timeout_ms = 1000
		};
		struct str body = S("");
		int64_t began;

		r.peer.asked = i ? say_later : say_nothing;
		connect_to(&r, l, "http");
		kube_free(r.kube);
		ASSERT_INT(0, kube_new(&o, &r.kube, &err));
		began = clock_ms();
		ASSERT_INT(-ERR_AGAIN, kube_get(r.kube, &a, S("/x"), &body, &err));
		ASSERT(clock_ms() - began < 1900);
		ASSERT_INT(1, (long long)r.peer.requests);
		finish(&r);
		loop_free(l);
	}
	PASS();
}

SUITE(suite)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(answers);
	RUN_TEST(ten_megabytes_and_too_many);
	RUN_TEST(the_server_goes_while_tls_is_agreed);
	RUN_TEST(who_waits_for_later_keeps_no_slot);
	RUN_TEST(a_bound_holds_for_all_tries);
	RUN_TEST(slots_are_bounded_and_calls_can_be_cancelled);
}

TEST_MAIN(suite)
