/*
 * A set of watches and a server whose answers the test changes: which kinds are watched
 * when, when a kind is known, and when the server is taken to lack one.
 */
#include "../test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/log.h"
#include "kube/watch_set.h"
#include "peer.h"

#define DEADLINE_MS 20000
#define IMAGES "/apis/config.openshift.io/v1/images"
#define GATES "/apis/config.openshift.io/v1/featuregates"
#define STREAMS "/apis/example.com/v1alpha1/streams"
#define CRD "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
#define ITEM(name) "{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"1\"}}"

/* The clock can be moved on: half a minute is long for a test. */
static int64_t skipped_s;

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (syscall(SYS_clock_gettime, id, t) < 0)
		return -1;
	if (id == CLOCK_MONOTONIC)
		t->tv_sec += (time_t)skipped_s;
	return 0;
}

enum kind { K_GATES, K_NODE, K_IMAGE, K_STREAM, K_POD, KINDS };

static struct str first_letter(const void *value, void *ctx)
{
	(void)ctx;
	return (struct str){ value, 1 };
}

static void *keep_name(const struct json *tree, void *ctx)
{
	struct str name = json_str(tree, "metadata.name");

	(void)ctx;
	return strndup(name.p, name.n);
}

static const struct kube_watch_kind kinds[KINDS] = {
	[K_GATES] = { GATES, .early = true },
	[K_NODE] = { "/api/v1/nodes", .make = keep_name, .index = first_letter },
	[K_IMAGE] = { IMAGES },
	[K_STREAM] = { STREAMS, .gate = "Streams" },
	[K_POD] = { "/api/v1/pods", .query = "labelSelector=a%3Db", .fresh = true },
};

/* What the server answers; "" stands for an empty list. */
struct route {
	const char *path;
	const char *items; /* of a list; NULL: status */
	const char *status;
};

struct run {
	struct arena a;
	struct loop *l;
	struct peer peer;
	struct kube_conf conf;
	struct kube *kube;
	struct kube_watch_set set;
	struct kube_watch watches[KINDS];
	struct route routes[8];
	struct buf asked; /* "PATH?QUERY " of lists and single objects */
	struct buf told;
	int log;
};

static const struct route *find_route(const struct run *r, struct str path)
{
	for (size_t i = 0; i < ARRAY_LEN(r->routes) && r->routes[i].path; i++)
		if (str_eq(path, str_of(r->routes[i].path)))
			return &r->routes[i];
	return NULL;
}

static void answer(struct peer_conn *c, struct str request)
{
	struct run *r = c->peer->ctx;
	struct str target = str_from(request, sizeof("GET ") - 1);
	struct str path, rest;
	const struct route *route;

	target = str_sub(target, 0, (size_t)str_chr(target, ' '));
	if (str_find(target, S("watch=")) >= 0) {
		peer_say(c, PEER_STREAM);
		return;
	}
	path = target;
	if (str_cut(target, '?', &path, &rest) && str_find(rest, S("labelSelector=a%3Db")) >= 0)
		buf_addz(&r->asked, str_find(rest, S("resourceVersion=0")) < 0 ? "selected fresh "
									       : "selected ");
	buf_addf(&r->asked, "%.*s ", STRF(path));
	route = find_route(r, path);
	if (route && route->items)
		peer_answer(c, "200 OK", "Content-Type: application/json\r\n",
			    str_fmt(&c->a,
				    "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"5\"},"
				    "\"items\":[%s]}",
				    route->items));
	else
		peer_answer(c, route ? route->status : "404 Not Found",
			    "Content-Type: application/json\r\n", S("{\"kind\":\"Status\"}"));
}

static void changed(void *ctx, struct str key, const void *before, const void *now)
{
	const struct kube_watch *w = ctx;
	struct run *r = w->set->ctx;

	(void)before;
	buf_addf(&r->told, "%zu%c%.*s ", w->kind, now ? '+' : '-', STRF(key));
}

static void known(struct kube_watch *w)
{
	struct run *r = w->set->ctx;

	buf_addf(&r->told, "%zu%s ", w->kind, w->discovery.absent ? "absent" : "known");
}

static void begin(struct run *r)
{
	struct kube_opts o = { .conf = &r->conf, .agent = "test" };
	struct err err = ERR_INIT(&r->a);

	r->log = memfd_create("log", MFD_CLOEXEC);
	log_init(0, r->log);
	r->l = o.loop = loop_new(&err);
	buf_init(&r->asked, &r->a);
	buf_init(&r->told, &r->a);
	r->peer.asked = answer;
	r->peer.ctx = r;
	peer_start(&r->peer, r->l);
	r->conf.server = str_fmt(&r->a, "http://127.0.0.1:%u", r->peer.port);
	if (kube_new(&o, &r->kube, &err) < 0)
		abort();
	r->set = (struct kube_watch_set){ .kube = r->kube,
					  .kinds = kinds,
					  .watches = r->watches,
					  .n = KINDS,
					  .make = kube_tree_make,
					  .drop = kube_tree_drop,
					  .changed = changed,
					  .known = known,
					  .ctx = r };
}

static void finish(struct run *r)
{
	kube_watch_set_free(&r->set);
	kube_free(r->kube);
	peer_stop(&r->peer);
	loop_free(r->l);
	arena_free(&r->a);
	(void)close(r->log);
}

/* Runs until b says this. */
static bool until(struct run *r, const struct buf *b, const char *text)
{
	struct err err = ERR_INIT(&r->a);
	int64_t end = clock_ms() + DEADLINE_MS;

	while (clock_ms() < end && !str_eq(str_of(text), buf_str(b)))
		(void)loop_turn(r->l, 5, &err);
	return test_same("said", str_of(text), buf_str(b));
}

static void turn_ms(struct run *r, int64_t ms)
{
	struct err err = ERR_INIT(&r->a);

	for (int64_t end = clock_ms() + ms; clock_ms() < end;)
		(void)loop_turn(r->l, 5, &err);
}

/* How often a log line contains the text. */
static int logged(const struct run *r, const char *text)
{
	char bytes[8192];
	ssize_t n = pread(r->log, bytes, sizeof(bytes), 0);
	struct str rest = { bytes, n > 0 ? (size_t)n : 0 };
	int found = 0;

	for (ptrdiff_t at; (at = str_find(rest, str_of(text))) >= 0; found++)
		rest = str_from(rest, (size_t)at + 1);
	return found;
}

static struct str waited(struct run *r)
{
	struct buf b;

	buf_init(&b, &r->a);
	if (kube_watch_set_known(&r->set, &b) != !b.n)
		abort();
	return buf_str(&b);
}

/* Runs until these are the only kinds that are waited for. */
static bool until_waited(struct run *r, const char *paths)
{
	int64_t end = clock_ms() + DEADLINE_MS;

	while (clock_ms() < end && !str_eq(str_of(paths), waited(r)))
		turn_ms(r, 5);
	return test_same("waited for", str_of(paths), waited(r));
}

TEST early_kinds_then_those_of_the_gates(void)
{
	static const struct mc_gates none = { 0 };
	struct run r = { .routes = { { GATES, ITEM("cluster"), NULL },
				     { "/api/v1/nodes", ITEM("n1") "," ITEM("m1"), NULL },
				     { IMAGES, "", NULL },
				     { STREAMS, "", NULL },
				     { "/api/v1/pods", NULL, "500 Internal Server Error" } } };
	struct kube_item *const *v;

	begin(&r);
	ASSERT_STR("", waited(&r));
	kube_watch_set_start(&r.set, NULL);
	ASSERT_STR(GATES, waited(&r));
	ASSERT(!kube_watch_known(&r.watches[K_GATES]));
	ASSERT(until(&r, &r.told, "0+cluster 0known "));
	ASSERT_STR(GATES " ", buf_str(&r.asked));
	ASSERT(kube_watch_known(&r.watches[K_GATES]));
	ASSERT(!kube_watch_known(&r.watches[K_NODE]));
	ASSERT_STR("", waited(&r));
	kube_watch_set_start(&r.set, &none);
	ASSERT_STR("/api/v1/nodes, " IMAGES ", /api/v1/pods", waited(&r));
	ASSERT(until_waited(&r, "/api/v1/pods"));
	ASSERT(str_find(buf_str(&r.asked), S("selected fresh /api/v1/pods ")) >= 0);
	ASSERT(str_find(buf_str(&r.asked), S(STREAMS)) < 0);
	ASSERT_EQ(NULL, r.watches[K_STREAM].cache);
	/* a kind's own decoder and index */
	ASSERT_EQ(1u, kube_cache_of(r.watches[K_NODE].cache, S("m"), &v));
	ASSERT_STR("m1", str_of(v[0]->value));
	finish(&r);
	PASS();
}

TEST a_gate_that_is_on(void)
{
	struct str on = S("Streams");
	struct mc_gates gates = { .enabled = { &on, 1, 1 } };
	struct run r = { .routes = { { STREAMS, ITEM("s"), NULL } } };

	begin(&r);
	kube_watch_set_start(&r.set, &gates);
	ASSERT(r.watches[K_STREAM].cache);
	ASSERT_EQ(NULL, r.watches[K_GATES].cache);
	/* the server lacks images; nodes and pods are built in */
	ASSERT(until_waited(&r, "/api/v1/nodes, /api/v1/pods"));
	ASSERT(kube_cache_get(r.watches[K_STREAM].cache, S("s")));
	finish(&r);
	PASS();
}

TEST the_cache_of_a_path(void)
{
	static const struct mc_gates none = { 0 };
	struct run r = { 0 };

	begin(&r);
	ASSERT_EQ(NULL, kube_watch_set_cache(&r.set, S(IMAGES)));
	kube_watch_set_start(&r.set, &none);
	ASSERT_EQ(r.watches[K_IMAGE].cache, kube_watch_set_cache(&r.set, S(IMAGES)));
	ASSERT_EQ(r.watches[K_IMAGE].cache, kube_watch_set_cache(&r.set, S(IMAGES "/cluster")));
	ASSERT_EQ(NULL, kube_watch_set_cache(&r.set, S(IMAGES "x")));
	ASSERT_EQ(NULL, kube_watch_set_cache(&r.set, S("/apis/config.openshift.io/v1")));
	ASSERT_EQ(NULL, kube_watch_set_cache(&r.set, S(STREAMS))); /* its gate is off */
	finish(&r);
	PASS();
}

#define LACKS_GATES                                                     \
	"the server does not have " GATES " (CustomResourceDefinition " \
	"featuregates.config.openshift.io is missing, or has no such version)"

/* Without a definition a 404 is final, until the kind is there. */
TEST a_kind_without_a_definition(void)
{
	struct run r = { 0 };

	begin(&r);
	kube_watch_set_start(&r.set, NULL);
	ASSERT(until(&r, &r.told, "0absent "));
	ASSERT_STR(GATES " " CRD "featuregates.config.openshift.io ", buf_str(&r.asked));
	ASSERT(kube_watch_known(&r.watches[K_GATES]));
	ASSERT_STR("", waited(&r));
	ASSERT_INT(1, logged(&r, LACKS_GATES));
	r.routes[0] = (struct route){ GATES, ITEM("cluster"), NULL };
	skipped_s += 2;
	ASSERT(until(&r, &r.told, "0absent 0+cluster 0known "));
	ASSERT(!r.watches[K_GATES].discovery.absent);
	ASSERT_INT(1, logged(&r, GATES ": now available on the server"));
	/* the definition was read once */
	ASSERT_STR(GATES " " CRD "featuregates.config.openshift.io " GATES " ", buf_str(&r.asked));
	finish(&r);
	PASS();
}

/* One that has a definition, or may have, is waited for, but not forever. */
static enum greatest_test_res wait_for_kind(struct route definition)
{
	struct run r = { .routes = { definition } };

	begin(&r);
	kube_watch_set_start(&r.set, NULL);
	turn_ms(&r, 200);
	skipped_s += 2;
	turn_ms(&r, 200);
	ASSERT_STR("", buf_str(&r.told));
	ASSERT_STR(GATES, waited(&r));
	/* each list that fails asks for the definition again */
	ASSERT(str_starts(buf_str(&r.asked),
			  S(GATES " " CRD "featuregates.config.openshift.io " GATES " " CRD
				  "featuregates.config.openshift.io ")));
	skipped_s += 20;
	turn_ms(&r, 200);
	ASSERT_STR("", buf_str(&r.told));
	skipped_s += 10;
	ASSERT(until(&r, &r.told, "0absent "));
	ASSERT_INT(1, logged(&r, LACKS_GATES));
	finish(&r);
	PASS();
}

TEST a_kind_with_a_definition(void)
{
	return wait_for_kind((struct route){ CRD "featuregates.config.openshift.io", "", NULL });
}

TEST a_definition_that_may_not_be_read(void)
{
	return wait_for_kind(
		(struct route){ CRD "featuregates.config.openshift.io", NULL, "403 Forbidden" });
}

/* A kind that is listed meanwhile is there, whatever the definition says. */
TEST a_kind_that_comes_meanwhile(void)
{
	struct run r = { .routes = { { CRD "featuregates.config.openshift.io", "", NULL } } };

	begin(&r);
	kube_watch_set_start(&r.set, NULL);
	turn_ms(&r, 300);
	r.routes[1] = (struct route){ GATES, "", NULL };
	skipped_s += 2;
	ASSERT(until(&r, &r.told, "0known "));
	ASSERT_INT(0, logged(&r, "the server"));
	finish(&r);
	PASS();
}

/* A built-in kind has no definition: its 404 is a fault that is retried. */
TEST a_built_in_kind_is_never_absent(void)
{
	static const struct mc_gates none = { 0 };
	struct run r = { .routes = { { IMAGES, "", NULL }, { "/api/v1/nodes", "", NULL } } };

	begin(&r);
	kube_watch_set_start(&r.set, &none);
	turn_ms(&r, 200);
	skipped_s += 2;
	turn_ms(&r, 200);
	ASSERT_STR("/api/v1/pods", waited(&r));
	ASSERT(str_find(buf_str(&r.asked), S(CRD)) < 0);
	r.routes[2] = (struct route){ "/api/v1/pods", "", NULL };
	skipped_s += 10;
	ASSERT(until_waited(&r, ""));
	finish(&r);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(early_kinds_then_those_of_the_gates);
	RUN_TEST(a_gate_that_is_on);
	RUN_TEST(the_cache_of_a_path);
	RUN_TEST(a_kind_without_a_definition);
	RUN_TEST(a_kind_with_a_definition);
	RUN_TEST(a_definition_that_may_not_be_read);
	RUN_TEST(a_kind_that_comes_meanwhile);
	RUN_TEST(a_built_in_kind_is_never_absent);
}

TEST_MAIN(suite)
