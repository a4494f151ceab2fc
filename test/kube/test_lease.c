/*
 * The lease against a server that answers late, wrongly or not at all; and the
 * listener for metrics and probes. All run concurrently in one loop.
 */
#include "../test.h"
#include "../clock.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "io/clock.h"
#include "io/log.h"
#include "kube/lease.h"
#include "kube/metrics.h"
#include "peer.h"

#define JSON "Content-Type: application/json\r\n"
#define HELD(who, turns)                                                      \
	"{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"5\"},\"spec\":{" \
	"\"holderIdentity\":\"" who "\",\"leaseDurationSeconds\":1,"          \
	"\"renewTime\":\"2026-01-01T00:00:00.000000Z\",\"leaseTransitions\":" turns "}}"

/* The server's answers in turn; the last one repeats. */
static const struct lease_case {
	const char *name;
	/* "": no answer; "404", "409", "500"; "read-only": 500 to writes; or a lease */
	const char *answers[8];
	const char *asked; /* first letters of the methods */
	const char *told; /* l leads, x lost, r released */
	bool release; /* after a second */
} cases[] = {
	{ "made when there is none, renewed, given up",
	  { "404", HELD("me", "0"), HELD("me", "0") },
	  "GPGUGUGUGUGU",
	  "lr",
	  true },
	{ "free", { HELD("", "3"), HELD("me", "4") }, "GUGUGUGUGUGU", "lr", true },
	{ "another process created it first, and died",
	  { "404", "409", HELD("other", "0") },
	  "GPG",
	  "lr",
	  true },
	{ "its holder has died", { HELD("other", "2") }, "GGGGGGGGGGGGU", "l", false },
	{ "another process holds it now",
	  { "404", HELD("me", "0"), HELD("other", "1") },
	  "GPG",
	  "lx",
	  false },
	{ "the server does not answer any more",
	  { "404", HELD("me", "0"), "" },
	  "GPG",
	  "lx",
	  false },
	{ "nor when it is to be given up",
	  { "404", HELD("me", "0"), HELD("me", "0"), HELD("me", "0"), HELD("me", "0"), "" },
	  "GPGUGU",
	  "lxr",
	  true },
	{ "the server fails, and is well again",
	  { "500", "404", HELD("me", "0"), "500", HELD("me", "0") },
	  "GGPG",
	  "l",
	  false },
	{ "the server fails from then on", { "404", HELD("me", "0"), "500" }, "GPG", "lx", false },
	{ "it can be read, not renewed",
	  { "404", HELD("me", "0"), "read-only" },
	  "GPG",
	  "lx",
	  false },
	{ "no JSON", { "{\"spec\":", "404", HELD("me", "0") }, "GGPGU", "l", false },
};

#define N (ARRAY_LEN(cases))

struct run {
	const struct lease_case *t;
	struct peer peer;
	struct kube_conf conf;
	struct kube *kube;
	struct kube_lease *lease;
	struct arena a;
	struct buf asked, told;
	size_t at;
	bool over;
	int64_t led, gone, ended, last, longest;
	struct str acquired, renewed; /* as last written */
};

/* The string value of that key, or "". */
static struct str string_of(struct arena *a, struct str text, struct str key)
{
	ptrdiff_t at = str_find(text, key);
	struct str value, rest;

	if (at < 0 || !str_cut(str_from(text, (size_t)at + key.n), '"', &value, &rest))
		return S("");
	return str_dup(a, value);
}

static void asked(struct peer_conn *c, struct str request)
{
	struct run *r = c->peer->ctx;
	const char *say = r->t->answers[r->at];
	int64_t now = clock_ms();

	if (r->last && now - r->last > r->longest)
		r->longest = now - r->last;
	r->last = now;
	if (str_starts(request, S("PUT"))) {
		r->acquired = string_of(&r->a, request, S("acquireTime\":\""));
		r->renewed = string_of(&r->a, request, S("renewTime\":\""));
	}
	/* PUT and POST differ: U is an update, P a create */
	buf_addc(&r->asked, str_starts(request, S("PUT")) ? 'U' : request.p[0]);
	if (r->at < 7 && r->t->answers[r->at + 1])
		r->at++;
	if (str_is(str_of(say), "404"))
		peer_answer(c, "404 Not Found", JSON, S("{}"));
	else if (str_is(str_of(say), "409"))
		peer_answer(c, "409 Conflict", JSON, S("{}"));
	else if (str_is(str_of(say), "read-only") && str_starts(request, S("GET")))
		peer_answer(c, "200 OK", JSON, S(HELD("me", "0")));
	else if (str_is(str_of(say), "500") || str_is(str_of(say), "read-only"))
		peer_answer(c, "500 Internal Server Error", JSON, S("{}"));
	else if (*say)
		peer_answer(c, "200 OK", JSON, str_of(say));
}

static void leads(void *ctx)
{
	struct run *r = ctx;

	buf_addc(&r->told, 'l');
	r->led = clock_ms();
}

static void lost(void *ctx)
{
	struct run *r = ctx;

	buf_addc(&r->told, 'x');
	r->gone = clock_ms();
}

static void released(void *ctx)
{
	struct run *r = ctx;

	buf_addc(&r->told, 'r');
	r->over = true;
	r->ended = clock_ms();
}

static void begin(struct run *r, struct loop *l, const struct lease_case *t)
{
	struct kube_opts o = { .loop = l, .conf = &r->conf, .agent = "test" };
	struct kube_lease_opts lo = { .namespace = S("ns"),
				      .name = S("l"),
				      .identity = S("me"),
				      .lasts_s = 1,
				      .renew_ms = 700,
				      .retry_ms = 100,
				      .leads = leads,
				      .lost = lost,
				      .released = released,
				      .ctx = r };
	struct err err = ERR_INIT(&r->a);

	r->t = t;
	buf_init(&r->asked, &r->a);
	buf_init(&r->told, &r->a);
	r->peer.asked = asked;
	r->peer.ctx = r;
	peer_start(&r->peer, l);
	r->conf.server = str_fmt(&r->a, "http://127.0.0.1:%u", r->peer.port);
	if (kube_new(&o, &r->kube, &err) < 0)
		abort();
	lo.kube = r->kube;
	r->lease = kube_lease_start(&lo);
}

static void turn(struct loop *l, int64_t ms)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int64_t end = clock_ms() + ms;

	while (clock_ms() < end)
		(void)loop_turn(l, TURN_MS, &err);
}

TEST leases(void)
{
	static struct run runs[N];
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	int64_t asked_at;

	for (size_t i = 0; i < N; i++)
		begin(&runs[i], l, &cases[i]);
	turn(l, 2500);
	asked_at = clock_ms();
	for (size_t i = 0; i < N; i++)
		if (runs[i].t->release)
			kube_lease_release(runs[i].lease);
	turn(l, 2000);
	for (size_t i = 0; i < N; i++) {
		struct run *r = &runs[i];
		struct str got = buf_str(&r->asked);

		ASSERT_STR_M(r->t->name, str_of(r->t->told), buf_str(&r->told));
		ASSERT_STR_M(r->t->name, str_sub(str_of(r->t->asked), 0, got.n < 3 ? got.n : 3),
			     str_sub(got, 0, got.n < 3 ? got.n : 3));
		/* given up in time, and not long before: 700 ms and the write */
		if (r->gone && str_is(str_of(r->t->answers[2]), ""))
			ASSERTm(r->t->name, r->gone - r->led >= 600);
		/* and no later than that plus one more attempt */
		if (r->gone)
			ASSERTm(r->t->name, r->gone - r->led <= 1500 || r->t->release);
		/* a candidate waits up to 2.2 times as long, at random */
		if (str_is(str_of(r->t->name), "its holder has died"))
			ASSERTm(r->t->name, r->longest > 110);
		/* a release sets acquireTime to renewTime, as client-go does */
		if (r->t->release && str_is(str_of(r->t->name), "free")) {
			ASSERTm(r->t->name, r->renewed.n > 0);
			ASSERT_STR_M(r->t->name, r->renewed, r->acquired);
		}
		/* whatever the server does, the release takes a second */
		if (r->t->release)
			ASSERTm(r->t->name, r->ended - asked_at <= 1100);
		if (!r->over)
			kube_lease_release(r->lease);
	}
	turn(l, 1500);
	for (size_t i = 0; i < N; i++) {
		struct run *r = &runs[i];

		ASSERTm(r->t->name, r->over);
		kube_lease_free(r->lease);
		kube_free(r->kube);
		peer_stop(&r->peer);
		arena_free(&r->a);
	}
	loop_free(l);
	PASS();
}

/* ---- released while a write is in flight --------------------------------- */

static const struct late_case {
	const char *name;
	const char *first; /* the lease at first, or "404" */
	const char *asked; /* the third last is answered late */
	const char *told;
	const char *status; /* of the late answer */
} late_cases[] = {
	{ "renewed", HELD("me", "0"), "GUGUGU", "lr", "200 OK" },
	{ "taken", HELD("", "0"), "GUGU", "r", "200 OK" },
	{ "made", "404", "GPGU", "r", "201 Created" },
	{ "refused", HELD("me", "0"), "GUGUGU", "lr", "500 Internal Server Error" },
};

#define N_LATE (ARRAY_LEN(late_cases))

struct late {
	struct run r;
	const struct late_case *t;
	struct peer_conn *held; /* whose answer is late */
	struct str holder; /* as last written */
};

static void asked_late(struct peer_conn *c, struct str request)
{
	struct late *t = c->peer->ctx;
	size_t last = strlen(t->t->asked) - 3; /* the last one before the release */
	bool first = t->r.asked.n == 0;

	buf_addc(&t->r.asked, str_starts(request, S("PUT")) ? 'U' : request.p[0]);
	if (str_find(request, S("holderIdentity")) >= 0)
		t->holder = string_of(&t->r.a, request, S("holderIdentity\":\""));
	if (t->r.asked.n == last + 1)
		t->held = c;
	else if (first && str_is(str_of(t->t->first), "404"))
		peer_answer(c, "404 Not Found", JSON, S("{}"));
	else
		peer_answer(c, "200 OK", JSON, str_of(first ? t->t->first : HELD("me", "0")));
}

TEST given_up_while_it_is_written(void)
{
	static struct late runs[N_LATE];
	static const struct lease_case none = { 0 };
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);

	for (size_t i = 0; i < N_LATE; i++) {
		struct late *t = &runs[i];
		int64_t end = clock_ms() + 60000;

		t->t = &late_cases[i];
		begin(&t->r, l, &none);
		t->r.peer.asked = asked_late;
		t->r.peer.ctx = t;
		while (!t->held && clock_ms() < end)
			turn(l, 5);
		ASSERTm(t->t->name, t->held);
		kube_lease_release(t->r.lease);
		peer_answer(t->held, t->t->status, JSON, S(HELD("me", "0")));
		while (!t->r.over && clock_ms() < end)
			turn(l, 5);
		ASSERT_STR_M(t->t->name, str_of(t->t->asked), buf_str(&t->r.asked));
		ASSERT_STR_M(t->t->name, str_of(t->t->told), buf_str(&t->r.told));
		ASSERT_STR_M(t->t->name, S(""), t->holder);
		kube_lease_free(t->r.lease);
		kube_free(t->r.kube);
		peer_stop(&t->r.peer);
		arena_free(&t->r.a);
	}
	loop_free(l);
	PASS();
}

/* ---- metrics ------------------------------------------------------------- */

static const struct kube_gauge gauges[] = {
	{ "mco_state", "node,reason", "what state", false },
	{ "up", "", "is it", true },
	{ 0 },
};

static struct str answer;
static int status;

static void got(struct http_call *c, int rc, struct err *err)
{
	status = rc < 0 ? rc : c->result.status;
	answer = str_dup(c->ctx, rc < 0 ? err->msg : c->result.body);
}

static int get(struct loop *l, struct arena *a, uint16_t port, const char *path)
{
	const struct http_client_opts o = { .keep_ms = 1000 };
	struct http_client *h = http_client_new(l, &o);
	struct http_call c = { .method = S("GET"),
			       .url = str_fmt(a, "http://127.0.0.1:%u%s", port, path),
			       .done = got,
			       .ctx = a };

	status = 0;
	http_call_start(h, &c);
	for (int i = 0; i < 12000 && !status; i++)
		turn(l, 5);
	http_client_free(h);
	return status;
}

/* The text before mark, which must be present. */
static struct str up_to(struct str text, const char *mark)
{
	ptrdiff_t at = str_find(text, str_of(mark));

	return at < 0 ? S("") : str_sub(text, 0, (size_t)at);
}

TEST metrics_and_probes(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct kube_metrics m;
	struct action_metric v = { .name = "mco_state", .labels = { S("a\"b\\c\nd"), S("x") } };
	struct action_metric unknown = { .name = "nothing" };
	struct sock_place at;
	uint16_t port;
	int fd = -1;

	kube_metrics_init(&m, gauges);
	ASSERT_INT(0, sock_listen(S("127.0.0.1"), 0, &fd, &err));
	port = sock_port(fd);
	ASSERT_INT(0, sock_place_parse(str_fmt(&a, "127.0.0.1:%u", port), &at, &err));
	ASSERT(kube_metrics_listen(&m, l, &at, &err) < 0);
	ASSERTm("in use",
		str_starts(err.msg, str_fmt(&a, "listen tcp 127.0.0.1:%u: bind: Address", port)));
	(void)close(fd);
	ASSERT_INT(0, kube_metrics_listen(&m, l, &at, &err));
	kube_metrics_set(&m, &v, 1.5, false);
	kube_metrics_set(&m, &unknown, 1, false);
	ASSERT_INT(200, get(l, &a, port, "/metrics"));
	ASSERT_STR("# HELP mco_state what state\n# TYPE mco_state gauge\n"
		   "mco_state{node=\"a\\\"b\\\\c\\nd\",reason=\"x\"} 1.5\n"
		   "# HELP up is it\n# TYPE up gauge\nup 0\n",
		   up_to(answer, "# HELP process_cpu_seconds_total "));
	kube_metrics_set(&m, &v, 0, true);
	ASSERT_INT(200, get(l, &a, port, "/metrics"));
	ASSERT_STR("# HELP up is it\n# TYPE up gauge\nup 0\n",
		   up_to(answer, "# HELP process_cpu_seconds_total "));
	ASSERT_INT(200, get(l, &a, port, "/healthz"));
	ASSERT_STR("ok", answer);
	ASSERT_INT(404, get(l, &a, port, "/debug/pprof"));
	http_server_free(m.http);
	arena_free(&m.a);
	loop_free(l);
	PASS();
}

/* A connection from 127.0.0.2 that sends a thousand requests and reads no answer. */
static int slow_reader(struct loop *l, uint16_t port)
{
	static const char ask[] = "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n";
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in me = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK + 1) } };
	int small = 4096, segment = 536;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof(segment));
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)) < 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		abort();
	for (int i = 0; i < 1000; i++)
		(void)!send(fd, ask, sizeof(ask) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	turn(l, 20);
	return fd;
}

/* One host reads no answers on more connections than there are slots: probes and
 * scrapes from other hosts are still answered. */
TEST slow_readers_keep_no_probe_out(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct kube_metrics m;
	struct sock_place at;
	int fds[32], fd = -1;
	uint16_t port;

	kube_metrics_init(&m, gauges);
	ASSERT_INT(0, sock_listen(S("127.0.0.1"), 0, &fd, &err));
	port = sock_port(fd);
	(void)close(fd);
	ASSERT_INT(0, sock_place_parse(str_fmt(&a, "127.0.0.1:%u", port), &at, &err));
	ASSERT_INT(0, kube_metrics_listen(&m, l, &at, &err));
	for (int i = 0; i < 32; i++)
		fds[i] = slow_reader(l, port);
	ASSERT(http_server_conns(m.http) >= 8);
	for (int i = 0; i < 5; i++) {
		ASSERT_INT(200, get(l, &a, port, "/healthz"));
		ASSERT_INT(200, get(l, &a, port, "/metrics"));
	}
	for (int i = 0; i < 32; i++)
		(void)close(fds[i]);
	http_server_free(m.http);
	arena_free(&m.a);
	loop_free(l);
	PASS();
}

SUITE(suite)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(leases);
	RUN_TEST(given_up_while_it_is_written);
	RUN_TEST(metrics_and_probes);
	RUN_TEST(slow_readers_keep_no_probe_out);
}

TEST_MAIN(suite)
