/* Lists for tools: pages, objects one at a time, expired continue tokens. */
#include "kube/list.h"

#include "../test.h"
#include "peer.h"

#define JSON "Content-Type: application/json\r\n"
#define PAGES 4

/* The server's answers in turn, and the result of the list. */
struct list_case {
	const char *name;
	struct {
		const char *status, *body;
	} answers[PAGES];
	const char *asked; /* the queries, one per line */
	const char *got; /* the objects; list heads in brackets */
	int rc;
	const char *error;
};

#define LIST(next, items) \
	"{\"kind\":\"TList\",\"items\":[" items "],\"metadata\":{\"continue\":\"" next "\"}}"
#define GONE "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}"
#define REFUSED "{\"kind\":\"Status\",\"code\":403,\"message\":\"no\"}"

static const struct list_case cases[] = {
	{ "no objects", { { "200 OK", LIST("", "") } }, "limit=100\n", "[TList]", 0, "" },
	{ "one page",
	  { { "200 OK", LIST("", "{\"a\":1},{\"b\":2}") } },
	  "limit=100\n",
	  "{\"a\":1};{\"b\":2};[TList]",
	  0,
	  "" },
	{ "two pages",
	  { { "200 OK", LIST("x/y", "{\"a\":1}") }, { "200 OK", LIST("", "{\"b\":2}") } },
	  "limit=100\nlimit=100&continue=x%2Fy\n",
	  "{\"a\":1};[TList]{\"b\":2};[TList]",
	  0,
	  "" },
	{ "an expired token: all at once",
	  { { "200 OK", LIST("x", "{\"a\":1}") },
	    { "410 Gone", GONE },
	    { "200 OK", LIST("", "{\"a\":1},{\"b\":2}") } },
	  "limit=100\nlimit=100&continue=x\nlimit=0\n",
	  "{\"a\":1};{\"b\":2};[TList]",
	  0,
	  "" },
	{ "refused", { { "403 Forbidden", REFUSED } }, "limit=100\n", "", -ERR_INVALID, "no" },
	{ "half a list",
	  { { "200 OK", "{\"items\":[{\"a\":1},{" } },
	  "limit=100\n",
	  "{\"a\":1};",
	  -ERR_AGAIN,
	  "the response ends inside the list" },
	{ "an object that the caller refuses",
	  { { "200 OK", LIST("x", "{\"bad\":1},{\"b\":2}") } },
	  "limit=100\n",
	  "",
	  -ERR_SYS,
	  "bad" },
};

struct world {
	const struct list_case *c;
	size_t at;
	struct arena a;
	struct buf asked, got;
};

static void asked(struct peer_conn *conn, struct str request)
{
	struct world *w = conn->peer->ctx;
	struct str line = str_sub(request, 0, (size_t)str_find(request, S(" HTTP/")));

	buf_addf(&w->asked, "%.*s\n", STRF(str_from(line, sizeof("GET /things?") - 1)));
	peer_answer(conn, w->c->answers[w->at].status, JSON, str_of(w->c->answers[w->at].body));
	w->at++;
}

static int item(void *ctx, struct str text, struct err *err)
{
	struct world *w = ctx;

	if (str_find(text, S("bad")) >= 0)
		return err_set(err, ERR_SYS, "bad");
	buf_addf(&w->got, "%.*s;", STRF(text));
	return 0;
}

static int page(void *ctx, const struct json *head, struct err *err)
{
	struct world *w = ctx;

	(void)err;
	buf_addf(&w->got, "[%.*s]", STRF(json_str(head, "kind")));
	return 0;
}

static void restart(void *ctx)
{
	((struct world *)ctx)->got.n = 0;
}

TEST lists(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w = { .c = &cases[i] };
		struct err err = ERR_INIT(&w.a);
		struct peer peer = { .asked = asked, .ctx = &w };
		struct kube_conf conf = { 0 };
		struct kube_opts o = { .conf = &conf, .agent = "test" };
		struct kube_list l = {
			.path = "/things", .item = item, .page = page, .restart = restart, .ctx = &w
		};
		struct kube *k;

		buf_init(&w.asked, &w.a);
		buf_init(&w.got, &w.a);
		o.loop = loop_new(&err);
		peer_start(&peer, o.loop);
		conf.server = str_fmt(&w.a, "http://127.0.0.1:%u", peer.port);
		ASSERT_INT_M(w.c->name, 0, kube_new(&o, &k, &err));
		ASSERT_INT_M(w.c->name, w.c->rc, kube_list(k, &l, &err));
		ASSERT_STR_M(w.c->name, str_of(w.c->asked), buf_str(&w.asked));
		ASSERT_STR_M(w.c->name, str_of(w.c->got), buf_str(&w.got));
		ASSERT_STR_M(w.c->name, str_of(w.c->error), err.msg);
		kube_free(k);
		peer_stop(&peer);
		loop_free(o.loop);
		arena_free(&w.a);
	}
	PASS();
}

SUITE(list)
{
	RUN_TEST(lists);
}

TEST_MAIN(list)
