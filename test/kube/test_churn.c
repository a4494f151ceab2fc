/*
 * Numbered changes while connections are cut at any byte, also inside TLS
 * records, and while the server is killed and restarted. Where the server keeps
 * its history, every follower must report exactly what was done, in order.
 * Where it loses history, only changes that no list can show may be missing.
 * The seed is printed; SEED= repeats a run.
 */
#include "../test.h"

#include <fcntl.h>
#include <time.h>

#include "cutter.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "io/tls.h"
#include "kube/cache.h"
#include "sandbox/server.h"
#include "sandbox/watch.h"

#define KEYS 30
#define CHANGES 1000
#define FOLLOWERS 8

/* One change; version 0 is a delete, as a cache reports it. */
struct change {
	unsigned key;
	uint64_t version;
};

struct world;

struct follower {
	struct world *w;
	struct kube *kube;
	struct kube_cache *cache;
	size_t at; /* changes reported */
	uint64_t last[KEYS]; /* the newest version ever reported for a key */
	bool there[KEYS];
	const char *fault;
};

struct world {
	struct loop *loop;
	struct sandbox sb;
	struct sb_server *server;
	struct tls_server *tls;
	struct cutter cutter;
	uint16_t port;
	struct kube_conf conf;
	struct arena a;
	struct err err;
	struct test_rng rng;
	struct follower followers[FOLLOWERS];
	struct change done[CHANGES];
	size_t n;
	uint64_t now[KEYS]; /* the server's version; 0: no object */
	bool forgets;
	int64_t next, back; /* change, server */
};

static char cert[] = "/tmp/mco-churn-XXXXXX";
static struct str pem, key_pem;

static void serve(struct world *w)
{
	struct sb_server_opts o = { .loop = w->loop, .sandbox = &w->sb };
	int fd = -1;

	w->server = sb_server_new(&o);
	if (sock_listen(S("127.0.0.1"), w->port, &fd, &w->err) < 0) {
		(void)printf("%.*s\n", STRF(w->err.msg));
		exit(1);
	}
	w->port = sock_port(fd);
	sb_server_listen(w->server, fd, w->tls);
}

/* Makes a change directly on the server; returns the server's version of the key. */
static uint64_t change(struct world *w, const char *method, unsigned key)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	bool create = str_is(str_of(method), "POST");
	struct sb_request r = { .method = str_of(method), .now = 1000000000 };
	struct json *j = NULL;
	struct sb_reply out;

	r.path = create ? S("/api/v1/nodes") : str_fmt(&a, "/api/v1/nodes/n%02u", key);
	r.body = str_fmt(&a,
			 "{\"metadata\":{\"name\":\"n%02u\",\"labels\":{"
			 "\"n\":\"%zu\"},\"annotations\":{\"x\":\"%0*u\"}}}",
			 key, w->n, (int)test_rand(&w->rng, 3000) + 1, 0);
	if (str_is(r.method, "PATCH"))
		r.content_type = S("application/merge-patch+json");
	if (str_is(r.method, "DELETE"))
		r.body = S("");
	sandbox_handle(&w->sb, &a, &r, &out);
	if (out.code >= 300)
		abort();
	if (str_is(r.method, "DELETE"))
		return 0;
	if (json_parse(&a, out.body, NULL, &j, &err) < 0)
		abort();
	return strtoull(json_str(j, "metadata.resourceVersion").p, NULL, 10);
}

static void change_one(struct world *w)
{
	unsigned key = test_rand(&w->rng, KEYS);
	const char *method = !w->now[key]		  ? "POST"
			     : test_rand(&w->rng, 4) == 0 ? "DELETE"
							  : "PATCH";

	w->now[key] = change(w, method, key);
	w->done[w->n++] = (struct change){ key, w->now[key] };
}

/* ---- followers ----------------------------------------------------------- */

static void *keep_version(const struct json *tree, void *ctx)
{
	uint64_t *v = malloc(sizeof(*v));

	(void)ctx;
	if (!v)
		abort();
	*v = strtoull(json_str(tree, "metadata.resourceVersion").p, NULL, 10);
	return v;
}

static void told(void *ctx, struct str key, const void *before, const void *now)
{
	struct follower *f = ctx;
	struct world *w = f->w;
	/* a view: never freed */
	unsigned k = (unsigned)(key.p[1] - '0') * 10 + (unsigned)(key.p[2] - '0');
	uint64_t version = now ? *(const uint64_t *)now : 0;

	if (f->there[k] != (before != NULL))
		f->fault = "the old object is not the one delivered";
	f->there[k] = now != NULL;
	if (now && version <= f->last[k])
		f->fault = "a version was delivered twice, or after a newer one";
	if (now)
		f->last[k] = version;
	if (!w->forgets &&
	    (f->at >= w->n || w->done[f->at].key != k || w->done[f->at].version != version))
		f->fault = "another change than the next one";
	f->at++;
}

static bool same_as_server(const struct follower *f)
{
	for (unsigned k = 0; k < KEYS; k++)
		if (f->there[k] != (f->w->now[k] != 0) ||
		    (f->there[k] && f->last[k] != f->w->now[k]))
			return false;
	return true;
}

static void follow(struct world *w, struct follower *f)
{
	struct kube_opts o = { .loop = w->loop, .conf = &w->conf, .agent = "churn" };
	struct kube_cache_opts co = { .path = "/api/v1/nodes",
				      .what = "nodes",
				      .make = keep_version,
				      .changed = told,
				      .ctx = f,
				      .page = 7 };

	f->w = w;
	if (kube_new(&o, &f->kube, &w->err) < 0)
		abort();
	co.kube = f->kube;
	f->cache = kube_cache_start(&co);
}

/* ---- the complete test --------------------------------------------------- */

static void setup(struct world *w, struct loop *l, uint64_t seed, bool forgets)
{
	*w = (struct world){ .loop = l, .rng = { seed }, .forgets = forgets };
	w->err = ERR_INIT(&w->a);
	sandbox_init(&w->sb, seed);
	w->tls = tls_server_new(NULL);
	if (tls_server_set_pair(w->tls, pem, key_pem, &w->err) < 0)
		abort();
	serve(w);
	cut_start(&w->cutter, w->loop, 0, w->port, seed);
	w->cutter.calm = true;
	w->conf.server = str_fmt(&w->a, "https://127.0.0.1:%u", w->cutter.port);
	w->conf.ca_data = pem;
	for (size_t i = 0; i < FOLLOWERS; i++)
		follow(w, &w->followers[i]);
}

static void teardown(struct world *w)
{
	for (size_t i = 0; i < FOLLOWERS; i++) {
		kube_cache_free(w->followers[i].cache);
		kube_free(w->followers[i].kube);
	}
	cut_stop(&w->cutter);
	sb_server_free(w->server);
	tls_server_free(w->tls);
	sandbox_free(&w->sb);
	arena_free(&w->a);
}

/* One server keeps its history, the other loses it; they run concurrently. */
static struct world worlds[2];

static bool all(bool (*is)(const struct follower *f))
{
	for (size_t i = 0; i < 2 * FOLLOWERS; i++)
		if (!is(&worlds[i % 2].followers[i / 2]))
			return false;
	return true;
}

static bool until(bool (*is)(const struct follower *f), int64_t ms)
{
	int64_t end = clock_ms() + ms;

	while (!all(is) && clock_ms() < end)
		(void)loop_turn(worlds[0].loop, 50, &worlds[0].err);
	return all(is);
}

static bool synced(const struct follower *f)
{
	return kube_cache_synced(f->cache);
}

/* Some changes; the server is restarted now and then. */
static void churn(struct world *w)
{
	if (!w->server && clock_ms() >= w->back)
		serve(w);
	if (clock_ms() < w->next || w->n >= CHANGES)
		return;
	w->next = clock_ms() + 8;
	for (int i = 0; i < 5; i++)
		change_one(w);
	if (w->forgets && test_rand(&w->rng, 20) == 0)
		store_compact(&w->sb.store);
	if (w->server && test_rand(&w->rng, 100) == 0) {
		sb_server_free(w->server);
		w->server = NULL;
		w->back = clock_ms() + 100;
	}
}

static void churn_all(void)
{
	worlds[0].cutter.calm = worlds[1].cutter.calm = false;
	while (worlds[0].n < CHANGES || worlds[1].n < CHANGES || !worlds[0].server ||
	       !worlds[1].server) {
		churn(&worlds[0]);
		churn(&worlds[1]);
		(void)loop_turn(worlds[0].loop, 5, &worlds[0].err);
	}
	worlds[0].cutter.calm = worlds[1].cutter.calm = true;
}

TEST told_what_was_done(const struct world *w)
{
	size_t lists = 0;

	for (size_t i = 0; i < FOLLOWERS; i++) {
		const struct follower *f = &w->followers[i];

		ASSERT_STR_M("fault", S(""), str_of(f->fault ? f->fault : ""));
		lists += kube_cache_lists(f->cache);
		if (!w->forgets)
			ASSERT_INT(CHANGES, (long long)f->at);
	}
	(void)printf("%d changes, %d followers, %zu cuts in %zu bytes, %zu "
		     "lists\n",
		     CHANGES, FOLLOWERS, w->cutter.cuts, w->cutter.carried, lists);
	ASSERT(w->cutter.cuts > 2);
	if (!w->forgets)
		ASSERT_INT(FOLLOWERS, (long long)lists);
	else
		ASSERT(lists > FOLLOWERS);
	PASS();
}

TEST churned(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);

	(void)printf("SEED=%llu\n", (unsigned long long)seed);
	setup(&worlds[0], l, seed, false);
	setup(&worlds[1], l, seed, true);
	ASSERT(until(synced, 60000));
	churn_all();
	ASSERT(until(same_as_server, 100000));
	CHECK_CALL(told_what_was_done(&worlds[0]));
	CHECK_CALL(told_what_was_done(&worlds[1]));
	teardown(&worlds[0]);
	teardown(&worlds[1]);
	loop_free(l);
	PASS();
}

SUITE(suite)
{
	static struct arena a;
	const char *dir = mkdtemp(cert);

	if (!dir || system(str_fmt(&a,
				   "cd %s && openssl req -x509 -newkey ec -pkeyopt "
				   "ec_paramgen_curve:prime256v1 -nodes -keyout key "
				   "-out cert -days 2 -subj /CN=churn -addext "
				   "subjectAltName=IP:127.0.0.1 2>/dev/null",
				   dir)
				   .p) != 0)
		exit(1);
	pem = test_file(&a, str_fmt(&a, "%s/cert", dir).p);
	key_pem = test_file(&a, str_fmt(&a, "%s/key", dir).p);
	(void)!system(str_fmt(&a, "rm -r %s", dir).p);
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(churned);
	arena_free(&a);
}

TEST_MAIN(suite)
