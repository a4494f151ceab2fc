/*
 * A cache against a server that misbehaves. Every case is a script: the
 * expected requests in order, the answers, and then what the cache reports. The
 * cases run concurrently, because each waits for its back-offs.
 */
#include "../test.h"
#include "../clock.h"

#include <fcntl.h>

#include "io/clock.h"
#include "io/log.h"
#include "kube/cache.h"
#include "peer.h"

#define LIST(version, items)                                                  \
	"{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"" version \
	"\"},\"items\":[" items "]}"
#define PAGE(version, next, items)                                            \
	"{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"" version \
	"\",\"continue\":\"" next "\"},\"items\":[" items "]}"
#define OBJECT(name, version) \
	"{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" version "\"}}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define STATUS(code, text) "{\"kind\":\"Status\",\"code\":" #code ",\"message\":\"" text "\"}"

enum how {
	LISTED, /* 200 with the body */
	WATCHED, /* 200, the body, and the watch stays open */
	ENDED, /* the same, and it ends in order */
	CUT, /* the same, and the connection closes */
	REFUSED, /* 410 */
	TOO_LARGE, /* 504 */
	HTML, /* 200, but not from an API server */
	NOTHING, /* the connection closes */
	SILENT, /* no answer and no close */
};

struct step {
	const char *asked; /* text that the request must contain */
	enum how how;
	const char *body;
};

#define FROM(version) "&resourceVersion=" version "&"
#define FIRST "GET /api/v1/nodes?limit=500&resourceVersion=0 "
#define NEXT(token) "GET /api/v1/nodes?limit=500&continue=" token " "
#define RELIST "GET /api/v1/nodes?limit=500 "
#define ALL "GET /api/v1/nodes?limit=0 "
#define ABC OBJECT("a", "1") "," OBJECT("b", "2") "," OBJECT("c", "3")

static const struct cache_case {
	const char *name;
	struct step steps[8]; /* the last step repeats for all later requests */
	const char *told;
	size_t lists;
	size_t most; /* requests in all; 0: the number of steps */
} cases[] = {
	{ "a list, then what the watch says",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), WATCHED,
	      EVENT("ADDED", OBJECT("d", "6")) EVENT("MODIFIED", OBJECT("a", "7"))
		      EVENT("DELETED", OBJECT("b", "8")) } },
	  "+a@1 +b@2 +c@3 +d@6 ~a@7 -b ",
	  1,
	  0 },
	{ "a first list that must not be of the past",
	  { { RELIST, LISTED, LIST("5", ABC) }, { FROM("5"), WATCHED, "" } },
	  "+a@1 +b@2 +c@3 ",
	  1,
	  0 },
	{ "a truncated event is delivered once, after the watch resumes",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), ENDED, EVENT("MODIFIED", OBJECT("a", "6")) "{\"type\":\"DELETED\",\"obj" },
	    { FROM("6"), WATCHED, EVENT("DELETED", OBJECT("b", "7")) } },
	  "+a@1 +b@2 +c@3 ~a@6 -b ",
	  1,
	  0 },
	{ "a cut in an event is the same",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), CUT, EVENT("MODIFIED", OBJECT("a", "6")) "{\"type\":\"DELETED\",\"obj" },
	    { FROM("6"), WATCHED, EVENT("DELETED", OBJECT("b", "7")) } },
	  "+a@1 +b@2 +c@3 ~a@6 -b ",
	  1,
	  0 },
	{ "an event that is no JSON",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), WATCHED, EVENT("MODIFIED", OBJECT("a", "6")) "{\"type\":DELETED}\n" },
	    { FROM("6"), WATCHED, EVENT("DELETED", OBJECT("b", "7")) } },
	  "+a@1 +b@2 +c@3 ~a@6 -b ",
	  1,
	  0 },
	{ "an event of a kind not known",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), WATCHED, EVENT("MOVED", OBJECT("a", "6")) },
	    { FROM("5"), WATCHED, EVENT("DELETED", OBJECT("b", "7")) } },
	  "+a@1 +b@2 +c@3 -b ",
	  1,
	  0 },
	{ "a repeated event is not delivered again",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), WATCHED,
	      EVENT("ADDED", OBJECT("a", "1")) EVENT("MODIFIED", OBJECT("c", "6"))
		      EVENT("MODIFIED", OBJECT("c", "6")) EVENT("MODIFIED", OBJECT("c", "4")) EVENT(
			      "DELETED", OBJECT("c", "5")) EVENT("MODIFIED", OBJECT("c", "7")) } },
	  "+a@1 +b@2 +c@3 ~c@6 ~c@7 ",
	  1,
	  0 },
	{ "a bookmark is where the next watch begins",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), ENDED, EVENT("BOOKMARK", OBJECT("", "90")) },
	    { FROM("90"), WATCHED, EVENT("DELETED", OBJECT("b", "91")) } },
	  "+a@1 +b@2 +c@3 -b ",
	  1,
	  0 },
	{ "410 Gone in the watch: missed changes are found",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), WATCHED, EVENT("ERROR", STATUS(410, "too old")) },
	    { RELIST, LISTED,
	      LIST("50", OBJECT("a", "1") "," OBJECT("c", "40") "," OBJECT("e", "41")) },
	    { FROM("50"), WATCHED, EVENT("DELETED", OBJECT("e", "51")) } },
	  "+a@1 +b@2 +c@3 ~c@40 +e@41 -b -e ",
	  2,
	  0 },
	{ "410 Gone as the response status",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), REFUSED, STATUS(410, "too old") },
	    { RELIST, LISTED, LIST("50", ABC) },
	    { FROM("50"), WATCHED, EVENT("DELETED", OBJECT("b", "51")) } },
	  "+a@1 +b@2 +c@3 -b ",
	  2,
	  0 },
	{ "pages",
	  { { FIRST, LISTED, PAGE("5", "x/y", OBJECT("a", "1")) },
	    { NEXT("x%2Fy"), LISTED, PAGE("5", "z", OBJECT("b", "2")) },
	    { NEXT("z"), LISTED, LIST("5", OBJECT("c", "3")) },
	    { FROM("5"), WATCHED, "" } },
	  "+a@1 +b@2 +c@3 ",
	  1,
	  0 },
	{ "a page that is cut is asked for again",
	  { { FIRST, LISTED, PAGE("5", "x", OBJECT("a", "1")) },
	    { NEXT("x"), CUT, "{\"items\":[" OBJECT("b", "2") ",{\"metadata\":{\"na" },
	    { NEXT("x"), LISTED, LIST("5", OBJECT("b", "2") "," OBJECT("c", "3")) },
	    { FROM("5"), WATCHED, "" } },
	  "+a@1 +b@2 +c@3 ",
	  1,
	  0 },
	{ "a page too late: all at once, and nothing twice",
	  { { FIRST, LISTED, PAGE("5", "x", OBJECT("a", "1")) },
	    { NEXT("x"), REFUSED, STATUS(410, "continue expired") },
	    { ALL, LISTED, LIST("9", OBJECT("a", "1") "," OBJECT("c", "8")) },
	    { FROM("9"), WATCHED, "" } },
	  "+a@1 +c@8 ",
	  1,
	  0 },
	{ "what is no list takes nothing away",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), REFUSED, STATUS(410, "too old") },
	    { RELIST, LISTED, "{}" },
	    { RELIST, LISTED, LIST("9", OBJECT("a", "1")) },
	    { FROM("9"), WATCHED, "" } },
	  "+a@1 +b@2 +c@3 -c -b ",
	  2,
	  0 },
	{ "a list that ends too early takes nothing away",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), REFUSED, STATUS(410, "too old") },
	    { RELIST, LISTED, "{\"items\":[" OBJECT("a", "1") },
	    { RELIST, LISTED, LIST("9", ABC) },
	    { FROM("9"), WATCHED, EVENT("DELETED", OBJECT("a", "10")) } },
	  "+a@1 +b@2 +c@3 -a ",
	  2,
	  0 },
	{ "another content type",
	  { { FIRST, HTML, "<html>log in</html>" },
	    { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), HTML, "<html>log in</html>" },
	    { FROM("5"), WATCHED, EVENT("DELETED", OBJECT("a", "6")) } },
	  "+a@1 +b@2 +c@3 -a ",
	  1,
	  0 },
	{ "the server goes before it answers: a read is asked again",
	  { { FIRST, NOTHING, "" },
	    { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), NOTHING, "" },
	    { FROM("5"), WATCHED, EVENT("DELETED", OBJECT("a", "6")) } },
	  "+a@1 +b@2 +c@3 -a ",
	  1,
	  0 },
	{ "a watch that ends as it begins is not asked for at once",
	  { { FIRST, LISTED, LIST("5", ABC) }, { FROM("5"), ENDED, "" } },
	  "+a@1 +b@2 +c@3 ",
	  1,
	  6 },
	{ "nor one that says where it is and ends",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), ENDED, EVENT("BOOKMARK", OBJECT("", "5")) } },
	  "+a@1 +b@2 +c@3 ",
	  1,
	  6 },
	{ "nor is a past forgotten again and again",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), REFUSED, STATUS(410, "too old") },
	    { RELIST, LISTED, LIST("5", ABC) },
	    { FROM("5"), REFUSED, STATUS(410, "too old") },
	    { RELIST, LISTED, LIST("5", ABC) },
	    { FROM("5"), REFUSED, STATUS(410, "too old") },
	    { RELIST, SILENT, "" } },
	  "+a@1 +b@2 +c@3 ",
	  3,
	  0 },
	{ "nor a list without a version",
	  { { FIRST, LISTED, "{\"items\":[" OBJECT("a", "1") "]}" } },
	  "+a@1 ",
	  0,
	  5 },
	{ "a server that went back is followed, as it is",
	  { { FIRST, LISTED,
	      LIST("50", OBJECT("a", "10") "," OBJECT("b", "20") "," OBJECT("c", "5")) },
	    { FROM("50"), REFUSED, STATUS(410, "too old") },
	    { RELIST, LISTED, PAGE("9", "x", OBJECT("a", "3") "," OBJECT("c", "5")) },
	    { RELIST, LISTED, PAGE("9", "x", OBJECT("a", "3") "," OBJECT("c", "5")) },
	    { NEXT("x"), LISTED, LIST("9", OBJECT("d", "8")) },
	    { FROM("9"), WATCHED, EVENT("MODIFIED", OBJECT("a", "10")) } },
	  "+a@10 +b@20 +c@5 ~a@3 ~c@5 +d@8 -b ~a@10 ",
	  2,
	  0 },
	{ "a version that is refused twice is not insisted on",
	  { { FIRST, LISTED, LIST("50", ABC) },
	    { FROM("50"), TOO_LARGE, STATUS(504, "Too large resource version: 50, current: 9") },
	    { FROM("50"), WATCHED, EVENT("ERROR", STATUS(504, "Too large resource version")) },
	    { RELIST, LISTED, LIST("51", ABC) },
	    { FROM("51"), WATCHED, EVENT("DELETED", OBJECT("a", "52")) } },
	  "+a@1 +b@2 +c@3 -a ",
	  2,
	  0 },
	{ "one whose server is away is",
	  { { FIRST, LISTED, LIST("5", ABC) },
	    { FROM("5"), NOTHING, "" },
	    { FROM("5"), NOTHING, "" },
	    { FROM("5"), WATCHED, EVENT("DELETED", OBJECT("a", "6")) } },
	  "+a@1 +b@2 +c@3 -a ",
	  1,
	  0 },
};

#define N (ARRAY_LEN(cases))
#define RUN_MS 60000 /* fail instead of waiting for ever */
#define ENDLESS_MS 3000 /* how long the cases of endless faults are observed */

struct run {
	const struct cache_case *t;
	struct peer peer;
	struct kube_conf conf;
	struct kube *kube;
	struct kube_cache *cache;
	struct arena a;
	struct buf told, wrong;
	size_t at;
	size_t requests; /* in ENDLESS_MS */
};

static void say_stream(struct peer_conn *c, const struct step *s)
{
	peer_say(c, PEER_STREAM);
	if (*s->body)
		peer_chunk(c, str_of(s->body));
	if (s->how == ENDED)
		peer_say(c, S("0\r\n\r\n"));
	c->hang_up = s->how == CUT;
}

static void asked(struct peer_conn *c, struct str request)
{
	struct run *r = c->peer->ctx;
	const struct step *s = &r->t->steps[r->at];

	if (str_find(request, str_of(s->asked)) < 0)
		buf_addf(&r->wrong, "step %zu: %.*s\n", r->at, (int)str_find(request, S("\r\n")),
			 request.p);
	if (r->at + 1 < 8 && r->t->steps[r->at + 1].asked)
		r->at++;
	switch (s->how) {
	case LISTED:
		peer_answer(c, "200 OK", "Content-Type: application/json\r\n", str_of(s->body));
		break;
	case REFUSED:
		peer_answer(c, "410 Gone", "Content-Type: application/json\r\n", str_of(s->body));
		break;
	case TOO_LARGE:
		peer_answer(c, "504 Gateway Timeout", "Content-Type: application/json\r\n",
			    str_of(s->body));
		break;
	case HTML:
		peer_answer(c, "200 OK", "Content-Type: text/html\r\n", str_of(s->body));
		break;
	case NOTHING:
		c->hang_up = true;
		break;
	case SILENT:
		break;
	case WATCHED:
	case ENDED:
	case CUT:
		say_stream(c, s);
		break;
	}
}

static void *keep_version(const struct json *tree, void *ctx)
{
	(void)ctx;
	return strdup(json_str(tree, "metadata.resourceVersion").p);
}

static void changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct run *r = ctx;
	const char *version = now;

	buf_addf(&r->told, "%c%.*s", !before ? '+' : now ? '~' : '-', STRF(key));
	if (now)
		buf_addf(&r->told, "@%.*s", (int)strspn(version, "0123456789"), version);
	buf_addc(&r->told, ' ');
}

static void begin(struct run *r, struct loop *l, const struct cache_case *t)
{
	struct kube_opts o = { .loop = l, .conf = &r->conf, .agent = "test" };
	struct kube_cache_opts co = { .path = "/api/v1/nodes",
				      .what = t->name,
				      .make = keep_version,
				      .changed = changed,
				      .ctx = r,
				      .fresh = !strcmp(t->steps[0].asked, RELIST) };
	struct err err = ERR_INIT(&r->a);

	r->t = t;
	buf_init(&r->told, &r->a);
	buf_init(&r->wrong, &r->a);
	r->peer.asked = asked;
	r->peer.ctx = r;
	peer_start(&r->peer, l);
	r->conf.server = str_fmt(&r->a, "http://127.0.0.1:%u", r->peer.port);
	if (kube_new(&o, &r->kube, &err) < 0)
		abort();
	co.kube = r->kube;
	r->cache = kube_cache_start(&co);
}

static size_t n_steps(const struct cache_case *t)
{
	size_t n = 0;

	while (n < 8 && t->steps[n].asked)
		n++;
	return n;
}

/* A case of endless faults has no final state to wait for. */
static bool over(const struct run *r)
{
	return !r->t->most && r->peer.requests >= n_steps(r->t) &&
	       kube_cache_lists(r->cache) == r->t->lists &&
	       str_eq(str_of(r->t->told), buf_str(&r->told));
}

TEST a_server_that_misbehaves(void)
{
	static struct run runs[N];
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	int64_t began = clock_ms(), end = began + RUN_MS;
	bool going = true;

	for (size_t i = 0; i < N; i++)
		begin(&runs[i], l, &cases[i]);
	while (clock_ms() < end && (going || clock_ms() < began + ENDLESS_MS)) {
		(void)loop_turn(l, TURN_MS, &err);
		going = false;
		for (size_t i = 0; i < N; i++) {
			going |= !runs[i].t->most && !over(&runs[i]);
			if (clock_ms() < began + ENDLESS_MS)
				runs[i].requests = runs[i].peer.requests;
		}
	}
	for (size_t i = 0; i < N; i++) {
		struct run *r = &runs[i];

		ASSERT_STR_M(r->t->name, S(""), buf_str(&r->wrong));
		ASSERT_STR_M(r->t->name, str_of(r->t->told), buf_str(&r->told));
		ASSERT_INT_M(r->t->name, (long long)r->t->lists,
			     (long long)kube_cache_lists(r->cache));
		if (r->t->most)
			ASSERTm(r->t->name, r->requests <= r->t->most);
		else
			ASSERT_INT_M(r->t->name, (long long)n_steps(r->t),
				     (long long)r->peer.requests);
		kube_cache_free(r->cache);
		kube_free(r->kube);
		peer_stop(&r->peer);
		arena_free(&r->a);
	}
	loop_free(l);
	PASS();
}

/* ---- answers to writes --------------------------------------------------- */

static void put(struct run *r, const char *object)
{
	kube_cache_put(r->cache, str_of(object));
}

static bool until(struct loop *l, const struct run *r, const char *told, size_t requests)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int64_t end = clock_ms() + 60000;

	while (clock_ms() < end) {
		if (str_eq(str_of(told), buf_str(&r->told)) && r->peer.requests >= requests)
			return true;
		(void)loop_turn(l, TURN_MS, &err);
	}
	return test_same("told", str_of(told), buf_str(&r->told)) && r->peer.requests >= requests;
}

static void finish(struct loop *l, struct run *r)
{
	kube_cache_free(r->cache);
	kube_free(r->kube);
	peer_stop(&r->peer);
	arena_free(&r->a);
	loop_free(l);
}

TEST answers_to_writes_come_before_the_watch_or_after(void)
{
	static const struct cache_case script = {
		"writes",
		{ { FIRST, LISTED, LIST("5", ABC) },
		  { FROM("5"), WATCHED,
		    EVENT("DELETED", OBJECT("c", "8")) EVENT("BOOKMARK", OBJECT("", "20")) } },
		"",
		1,
		0
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct run r = { 0 };

	begin(&r, l, &script);
	ASSERT(until(l, &r, "+a@1 +b@2 +c@3 -c ", 2));
	/* the answer to a write that was undone before it arrived */
	put(&r, OBJECT("c", "7"));
	put(&r, OBJECT("b", "1"));
	put(&r, "{\"kind\":");
	ASSERT_STR("+a@1 +b@2 +c@3 -c ", buf_str(&r.told));
	/* the answer arrives before the event, which is then not new */
	put(&r, OBJECT("d", "21"));
	put(&r, OBJECT("b", "22"));
	ASSERT_STR("+a@1 +b@2 +c@3 -c +d@21 ~b@22 ", buf_str(&r.told));
	peer_chunk(r.peer.conns,
		   S(EVENT("ADDED", OBJECT("d", "21")) EVENT("MODIFIED", OBJECT("b", "22"))
			     EVENT("DELETED", OBJECT("d", "23"))));
	ASSERT(until(l, &r, "+a@1 +b@2 +c@3 -c +d@21 ~b@22 -d ", 2));
	/* created again after the delete was sent */
	kube_cache_remove(r.cache, S("b"), 21);
	kube_cache_remove(r.cache, S("none"), 0);
	ASSERT_STR("+a@1 +b@2 +c@3 -c +d@21 ~b@22 -d ", buf_str(&r.told));
	kube_cache_remove(r.cache, S("b"), kube_cache_version(r.cache, S("b")));
	ASSERT_STR("+a@1 +b@2 +c@3 -c +d@21 ~b@22 -d -b ", buf_str(&r.told));
	finish(l, &r);
	PASS();
}

/* An object that a later list lacks is deleted, even when a write's answer added it. */
TEST answers_to_writes_come_while_it_lists(void)
{
	static const struct cache_case script = { "writes",
						  { { FIRST, LISTED, LIST("5", ABC) },
						    { FROM("5"), REFUSED, STATUS(410, "too old") },
						    { RELIST, SILENT, "" },
						    { FROM("7"), WATCHED,
						      EVENT("DELETED", OBJECT("y", "10")) } },
						  "",
						  2,
						  0 };
	const struct str list = S(LIST("7", ABC));
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct run r = { 0 };
	struct peer_conn *c;

	begin(&r, l, &script);
	ASSERT(until(l, &r, "+a@1 +b@2 +c@3 ", 3));
	put(&r, OBJECT("y", "9"));
	put(&r, OBJECT("z", "6"));
	for (c = r.peer.conns; c->out.n && c->next; c = c->next)
		;
	peer_answer(c, "200 OK", "Content-Type: application/json\r\n", list);
	ASSERT(until(l, &r, "+a@1 +b@2 +c@3 +y@9 +z@6 -z -y ", 4));
	ASSERT_STR("", buf_str(&r.wrong));
	finish(l, &r);
	PASS();
}

SUITE(suite)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(a_server_that_misbehaves);
	RUN_TEST(answers_to_writes_come_before_the_watch_or_after);
	RUN_TEST(answers_to_writes_come_while_it_lists);
}

TEST_MAIN(suite)
