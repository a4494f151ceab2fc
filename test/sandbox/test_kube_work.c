/*
 * The queue, the executor of plans, events and the lease, with the sandbox.
 */
#include <fcntl.h>

#include "../test.h"
#include "../clock.h"
#include "io/clock.h"
#include "io/log.h"
#include "kube/exec.h"
#include "kube/lease.h"
#include "kube/queue.h"
#include "sandbox/server.h"

struct world {
	struct loop *loop;
	struct sandbox sb;
	struct sb_server *server;
	struct kube_conf conf;
	struct kube *kube;
	struct arena a;
	struct err err;
	struct kube_cache *nodes;
	struct kube_events events;
	struct kube_metrics metrics;
	struct kube_exec exec;
	/* the notifications */
	const struct kube_key *key;
	size_t worked, done, replies, leads, lost, released;
};

static struct kube_cache *cache_of(void *ctx, struct str path)
{
	struct world *w = ctx;

	return str_starts(path, S("/api/v1/nodes")) ? w->nodes : NULL;
}

static const struct kube_gauge gauges[] = {
	{ "g", "b,a", "a gauge", true },
	{ "h", "", "another", false },
	{ 0 },
};

static void setup(struct world *w)
{
	struct sb_server_opts so = { .sandbox = &w->sb };
	struct kube_opts o = { .conf = &w->conf, .agent = "test" };
	struct kube_cache_opts co = { .path = "/api/v1/nodes",
				      .what = "nodes",
				      .make = kube_tree_make,
				      .drop = kube_tree_drop };
	int fd = -1;

	*w = (struct world){ 0 };
	w->err = ERR_INIT(&w->a);
	w->loop = loop_new(&w->err);
	sandbox_init(&w->sb, 7);
	so.loop = w->loop;
	w->server = sb_server_new(&so);
	if (sock_listen(S("127.0.0.1"), 0, &fd, &w->err) < 0)
		exit(1);
	w->conf.server = str_fmt(&w->a, "http://127.0.0.1:%u", sock_port(fd));
	sb_server_listen(w->server, fd, NULL);
	o.loop = w->loop;
	if (kube_new(&o, &w->kube, &w->err) < 0)
		exit(1);
	co.kube = w->kube;
	w->nodes = kube_cache_start(&co);
	w->events.kube = w->kube;
	w->events.namespace = "default";
	kube_metrics_init(&w->metrics, gauges);
	w->exec = (struct kube_exec){ w->kube, &w->events, &w->metrics, cache_of, w };
}

static bool until(struct world *w, const size_t *n, size_t want)
{
	int64_t end = clock_ms() + 60000;

	while (*n < want && clock_ms() < end)
		(void)loop_turn(w->loop, TURN_MS, &w->err);
	return *n >= want;
}

static void teardown(struct world *w)
{
	while (w->events.calls)
		(void)loop_turn(w->loop, 20, &w->err);
	kube_cache_free(w->nodes);
	kube_free(w->kube);
	if (w->server)
		sb_server_free(w->server);
	sandbox_free(&w->sb);
	loop_free(w->loop);
	arena_free(&w->metrics.a);
	arena_free(&w->a);
}

/* ---- the queue ----------------------------------------------------------- */

static void work(void *ctx, const struct kube_key *key)
{
	struct world *w = ctx;

	w->key = key;
	w->worked++;
}

TEST a_key_is_worked_on_once_at_a_time(void)
{
	struct world w;
	struct kube_queue *q;

	setup(&w);
	q = kube_queue_new(w.loop, work, &w);
	kube_queue_add(q, 1, S("a"));
	kube_queue_add(q, 1, S("a"));
	(void)loop_turn(w.loop, 10, &w.err);
	ASSERT_INT(0, (long long)w.worked);
	kube_queue_go(q);
	ASSERT(until(&w, &w.worked, 1));
	ASSERT_STR("a", w.key->name);
	kube_queue_add(q, 1, S("a"));
	(void)loop_turn(w.loop, 10, &w.err);
	(void)loop_turn(w.loop, 10, &w.err);
	ASSERT_INT(1, (long long)w.worked);
	ASSERT_INT(1, (long long)kube_queue_busy(q));
	kube_queue_done(q, w.key, false, 15);
	ASSERT(until(&w, &w.worked, 2));
	kube_queue_done(q, w.key, false, 15);
	ASSERT_INT(0, (long long)kube_queue_busy(q));
	kube_queue_add(q, 2, S("a"));
	kube_queue_add(q, 1, S("b"));
	ASSERT(until(&w, &w.worked, 4));
	kube_queue_free(q);
	teardown(&w);
	PASS();
}

/* Several at a time, each once, in order. */
TEST many_keys_are_all_worked_on(void)
{
	struct world w;
	struct kube_queue *q;

	setup(&w);
	q = kube_queue_new(w.loop, work, &w);
	kube_queue_go(q);
	for (int i = 0; i < 100; i++)
		kube_queue_add(q, 0, str_fmt(&w.a, "%d", i));
	kube_queue_add(q, 0, S("3"));
	ASSERT(until(&w, &w.worked, 32));
	(void)loop_turn(w.loop, 10, &w.err);
	ASSERT_INT(32, (long long)w.worked);
	ASSERT_STR("31", w.key->name);
	for (size_t i = 33; i <= 100; i++) {
		kube_queue_done(q, w.key, false, 15);
		ASSERT(until(&w, &w.worked, i));
	}
	ASSERT_STR("99", w.key->name);
	ASSERT_INT(32, (long long)kube_queue_busy(q));
	kube_queue_free(q);
	teardown(&w);
	PASS();
}

/* Keys that wait for a retry run now; other keys do not. */
TEST waiting_keys_are_retried(void)
{
	struct world w;
	struct kube_queue *q;

	setup(&w);
	q = kube_queue_new(w.loop, work, &w);
	kube_queue_go(q);
	kube_queue_add(q, 1, S("done"));
	ASSERT(until(&w, &w.worked, 1));
	kube_queue_done(q, w.key, false, 15);
	kube_queue_after(q, 1, S("later"), 100000);
	for (size_t i = 0; i < 8; i++) { /* to a wait of more than a second */
		kube_queue_add(q, 1, S("failed"));
		ASSERT(until(&w, &w.worked, 2 + i));
		kube_queue_done(q, w.key, true, 15);
	}
	kube_queue_retry(q, 2);
	(void)loop_turn(w.loop, 10, &w.err);
	ASSERT_INT(9, (long long)w.worked);
	kube_queue_retry(q, 1);
	(void)loop_turn(w.loop, 10, &w.err);
	(void)loop_turn(w.loop, 10, &w.err);
	ASSERT_INT(10, (long long)w.worked);
	ASSERT_STR("failed", w.key->name);
	kube_queue_free(q);
	teardown(&w);
	PASS();
}

TEST a_key_that_failed_comes_back(void)
{
	struct world w;
	struct kube_queue *q;
	int64_t began = clock_ms();

	setup(&w);
	q = kube_queue_new(w.loop, work, &w);
	kube_queue_go(q);
	kube_queue_add(q, 0, S("x"));
	for (size_t i = 1; i <= 4; i++) {
		ASSERT(until(&w, &w.worked, i));
		kube_queue_done(q, w.key, true, 15);
	}
	ASSERT(until(&w, &w.worked, 5));
	/* 5, 10, 20 and 40 milliseconds */
	ASSERT(clock_ms() - began >= 75);
	kube_queue_done(q, w.key, false, 15);
	kube_queue_after(q, 0, S("x"), 600000);
	kube_queue_after(q, 0, S("x"), 1);
	ASSERT(until(&w, &w.worked, 6));
	kube_queue_halt(q);
	kube_queue_add(q, 0, S("y"));
	(void)loop_turn(w.loop, 10, &w.err);
	ASSERT_INT(6, (long long)w.worked);
	kube_queue_free(q);
	teardown(&w);
	PASS();
}

/* ---- plans --------------------------------------------------------------- */

static void job_done(struct kube_job *j)
{
	((struct world *)j->ctx)->done++;
}

static void replied(struct kube_job *j, const struct action *act, const struct kube_answer *ans)
{
	struct world *w = j->ctx;

	w->replies += act->tag == 7 && ans->status == 404;
}

static void run(struct world *w, struct kube_job *j)
{
	j->reply = replied;
	j->done = job_done;
	j->source = "tester";
	j->ctx = w;
	w->done = 0;
	kube_exec(&w->exec, j);
	(void)until(w, &w->done, 1);
}

static struct action *create(struct kube_job *j, const char *name)
{
	return action_add(&j->a, &j->list, ACTION_CREATE, S("/api/v1/nodes"),
			  str_fmt(&j->a,
				  "{\"apiVersion\":\"v1\",\"kind\":\"Node\","
				  "\"metadata\":{\"name\":\"%s\"}}",
				  name),
			  S("a test"));
}

TEST answers_are_in_the_cache(void)
{
	struct world w;
	struct kube_job j = { 0 };

	setup(&w);
	create(&j, "a");
	create(&j, "b");
	actions_step(&j.list);
	action_add(&j.a, &j.list, ACTION_MERGE, S("/api/v1/nodes/a"),
		   S("{\"metadata\":{\"labels\":{\"x\":\"y\"}}}"), S("why"));
	actions_step(&j.list);
	action_add(&j.a, &j.list, ACTION_DELETE, S("/api/v1/nodes/b"), S(""), S("why"));
	action_add(&j.a, &j.list, ACTION_DELETE, S("/api/v1/nodes/none"), S(""), S("why"));
	action_add(&j.a, &j.list, ACTION_GET, S("/api/v1/nodes/none"), S(""), S("why"))->tag = 7;
	action_requeue(&j.a, &j.list, 900, S("later"));
	action_requeue(&j.a, &j.list, 300, S("sooner"));
	run(&w, &j);
	ASSERT_INT(1, (long long)w.done);
	ASSERT(!j.failed);
	ASSERT_INT(1, (long long)w.replies);
	ASSERT_INT(300, (long long)j.requeue);
	ASSERT(!kube_cache_get(w.nodes, S("b")));
	ASSERT_STR("y", json_str(((struct kube_tree *)kube_cache_get(w.nodes, S("a")))->tree,
				 "metadata.labels.x"));
	arena_free(&j.a);
	teardown(&w);
	PASS();
}

static struct kube_cache *maps;

static struct kube_cache *cache_of_maps(void *ctx, struct str path)
{
	(void)ctx;
	return str_find(path, S("/configmaps")) > 0 ? maps : NULL;
}

/* Keys of namespaced objects contain the namespace. */
TEST what_is_deleted_in_a_namespace_is_forgotten(void)
{
	/* no events of the watch: only the replies update the cache */
	struct kube_cache_opts o = { .path = "/api/v1/configmaps",
				     .query = S("fieldSelector="
						"metadata.name%3Dnone"),
				     .what = "configmaps",
				     .make = kube_tree_make,
				     .drop = kube_tree_drop };
	struct world w;
	struct kube_job j = { 0 };

	setup(&w);
	w.exec.cache = cache_of_maps;
	o.kube = w.kube;
	maps = kube_cache_start(&o);
	while (!kube_cache_synced(maps))
		(void)loop_turn(w.loop, TURN_MS, &w.err);
	action_add(&j.a, &j.list, ACTION_CREATE, S("/api/v1/namespaces/default/configmaps"),
		   S("{\"metadata\":{\"name\":\"m\"}}"), S("why"));
	run(&w, &j);
	ASSERT(kube_cache_get(maps, S("default/m")));
	arena_free(&j.a);
	j = (struct kube_job){ 0 };
	action_add(&j.a, &j.list, ACTION_DELETE, S("/api/v1/namespaces/default/configmaps/m?x=y/z"),
		   S(""), S("why"));
	run(&w, &j);
	ASSERT(!j.failed);
	ASSERT(!kube_cache_get(maps, S("default/m")));
	arena_free(&j.a);
	kube_cache_free(maps);
	teardown(&w);
	PASS();
}

/* More actions than run in parallel, before the next step begins. */
TEST a_step_may_be_long(void)
{
	struct world w;
	struct kube_job j = { 0 };
	struct kube_item *const *v;

	setup(&w);
	for (int i = 0; i < 200; i++)
		create(&j, str_fmt(&j.a, "n%d", i).p);
	actions_step(&j.list);
	for (int i = 0; i < 200; i += 2)
		action_add(&j.a, &j.list, ACTION_DELETE, str_fmt(&j.a, "/api/v1/nodes/n%d", i),
			   S(""), S("why"));
	run(&w, &j);
	ASSERT_INT(1, (long long)w.done);
	ASSERT(!j.failed);
	ASSERT_INT(100, (long long)kube_cache_all(w.nodes, &v));
	arena_free(&j.a);
	teardown(&w);
	PASS();
}

/* The reaction to each kind of failure. */
TEST failures_stop_or_do_not(void)
{
	static const struct {
		enum action_fail fail;
		bool failed, again, later, if_ok;
	} cases[] = {
		{ ACTION_STOP, true, true, false, false },
		{ ACTION_GO_ON, true, true, true, false },
		{ ACTION_LATER, false, true, true, true },
		{ ACTION_SHRUG, false, false, true, true },
	};
	struct world w;

	setup(&w);
	for (size_t i = 0; i < 4; i++) {
		struct kube_job j = { 0 };
		struct str later = str_fmt(&w.a, "later%zu", i);
		struct str ok = str_fmt(&w.a, "ok%zu", i);
		struct action *act = action_add(&j.a, &j.list, ACTION_MERGE,
						S("/api/v1/nodes/none"), S("{}"), S("a test"));

		act->fail = cases[i].fail;
		act->wrap = S("did not work");
		actions_step(&j.list);
		create(&j, later.p);
		create(&j, ok.p)->if_ok = true;
		run(&w, &j);
		ASSERT_INT(cases[i].failed, j.failed);
		ASSERT_INT(cases[i].again, j.failed || j.later);
		ASSERT_STR(cases[i].failed ? "did not work: nodes \"none\" not found" : "",
			   j.error);
		ASSERT_INT(cases[i].later, !!kube_cache_get(w.nodes, later));
		ASSERT_INT(cases[i].if_ok, !!kube_cache_get(w.nodes, ok));
		arena_free(&j.a);
	}
	teardown(&w);
	PASS();
}

/* ---- events and gauges --------------------------------------------------- */

TEST events_are_counted_up(void)
{
	const struct action_event about = { .api = S("v1"),
					    .kind = S("Node"),
					    .name = S("n"),
					    .uid = S("u"),
					    .version = S("7"),
					    .reason = S("Tested") };
	struct world w;
	struct str text;

	setup(&w);
	for (int i = 0; i < 3; i++) {
		kube_event(&w.events, "tester", &about, S("a \"test\""));
		while (w.events.calls)
			(void)loop_turn(w.loop, 20, &w.err);
	}
	kube_event(&w.events, "tester", &about, S("another"));
	while (w.events.calls)
		(void)loop_turn(w.loop, 20, &w.err);
	ASSERT_INT(0,
		   kube_get(w.kube, &w.a, S("/api/v1/namespaces/default/events"), &text, &w.err));
	ASSERT(str_find(text, S("\"involvedObject\":{\"apiVersion\":\"v1\","
				"\"kind\":\"Node\",\"name\":\"n\","
				"\"namespace\":\"default\","
				"\"resourceVersion\":\"7\",\"uid\":\"u\"}")) >= 0);
	ASSERT(str_find(text, S("\"count\":3")) >= 0);
	ASSERT(str_find(text, S("\"count\":1")) >= 0);
	ASSERT(str_find(text, S("\"count\":2")) < 0);
	ASSERT(str_find(text, S("\"message\":\"a \\\"test\\\"\"")) >= 0);
	teardown(&w);
	PASS();
}

static int str_order(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* "count message", a line each, sorted. */
static struct str told(struct world *w)
{
	struct json *list = NULL;
	struct str text, lines[64];
	size_t n = 0;
	struct buf b;

	while (w->events.calls)
		(void)loop_turn(w->loop, 20, &w->err);
	if (kube_get(w->kube, &w->a, S("/api/v1/namespaces/default/events"), &text, &w->err) < 0 ||
	    json_parse(&w->a, text, NULL, &list, &w->err) < 0)
		return w->err.msg;
	for (const struct json *e = json_first(json_at(list, "items")); e && n < 64;
	     e = json_next(e))
		lines[n++] = str_fmt(&w->a, "%lld %.*s\n", (long long)json_i64(e, "count", 0),
				     STRF(json_str(e, "message")));
	qsort(lines, n, sizeof(*lines), str_order);
	buf_init(&b, &w->a);
	for (size_t i = 0; i < n; i++)
		buf_add(&b, lines[i]);
	return buf_str(&b);
}

static void forgotten(struct kube_call *c, const struct kube_answer *ans)
{
	struct world *w = c->ctx;

	w->done += ans->rc == 0;
}

static bool forget_events(struct world *w)
{
	struct kube_call c = { .method = "DELETE",
			       .path = S("/api/v1/namespaces/default/events"),
			       .done = forgotten,
			       .ctx = w };

	kube_start(w->kube, &c);
	return until(w, &w->done, w->done + 1);
}

/* An event that the server no longer has is created again at once, with its count; no count is
 * incremented before the event exists. */
TEST events_that_are_forgotten(void)
{
	const struct action_event about = {
		.api = S("v1"), .kind = S("Node"), .name = S("n"), .reason = S("Tested")
	};
	struct world w;

	setup(&w);
	for (int i = 0; i < 20; i++)
		kube_event(&w.events, "tester", &about, S("again"));
	ASSERT_STR("20 again\n", told(&w));
	ASSERT(forget_events(&w));
	kube_event(&w.events, "tester", &about, S("again"));
	w.events.namespace = "elsewhere"; /* of events from now on */
	ASSERT_STR("21 again\n", told(&w));
	w.events.namespace = "default";
	kube_event(&w.events, "tester", &about, S("again"));
	kube_event(&w.events, "tester", &about, S("another"));
	ASSERT_STR("1 another\n22 again\n", told(&w));
	teardown(&w);
	PASS();
}

/* The queue for a server that is down is bounded. */
/* As client-go: the tenth similar message stands for all later ones; an object has a burst of
 * 25. */
TEST events_that_are_alike(void)
{
	struct action_event about = {
		.api = S("v1"), .kind = S("Node"), .name = S("n"), .reason = S("Tested")
	};
	struct world w;

	setup(&w);
	for (int i = 0; i < 12; i++)
		kube_event(&w.events, "tester", &about, str_fmt(&w.a, "number %d", i));
	kube_event(&w.events, "tester", &about, S("number 3"));
	ASSERT_STR("1 number 0\n1 number 1\n1 number 2\n1 number 4\n"
		   "1 number 5\n1 number 6\n1 number 7\n1 number 8\n"
		   "2 number 3\n"
		   "3 (combined from similar events): number 11\n",
		   told(&w));
	/* another reason, or another object, is not similar */
	about.reason = S("Other");
	kube_event(&w.events, "tester", &about, S("number 11"));
	ASSERT(str_find(told(&w), S("1 number 11\n")) >= 0);
	for (int i = 0; i < 20; i++)
		kube_event(&w.events, "tester", &about, S("often"));
	/* 14 were sent before: 11 more are allowed */
	ASSERT(str_find(told(&w), S("11 often\n")) >= 0);
	about.name = S("another");
	kube_event(&w.events, "tester", &about, S("of another"));
	ASSERT(str_find(told(&w), S("1 of another\n")) >= 0);
	teardown(&w);
	PASS();
}

TEST events_do_not_pile_up(void)
{
	struct action_event about = {
		.api = S("v1"), .kind = S("Node"), .name = S("n"), .reason = S("Tested")
	};
	struct world w;
	struct json *list = NULL;
	struct str text;
	size_t n = 0;

	setup(&w);
	for (int i = 0; i < KUBE_EVENTS_WAITING + 100; i++) {
		about.name = str_fmt(&w.a, "n%d", i);
		kube_event(&w.events, "tester", &about, S("one of many"));
	}
	ASSERT_INT(KUBE_EVENTS_WAITING, (long long)w.events.n_calls);
	while (w.events.calls)
		(void)loop_turn(w.loop, 20, &w.err);
	ASSERT_INT(0, (long long)w.events.n_calls);
	ASSERT_INT(0,
		   kube_get(w.kube, &w.a, S("/api/v1/namespaces/default/events"), &text, &w.err));
	ASSERT_INT(0, json_parse(&w.a, text, NULL, &list, &w.err));
	for (const struct json *e = json_first(json_at(list, "items")); e; e = json_next(e))
		n++;
	ASSERT_INT(KUBE_EVENTS_WAITING, (long long)n);
	/* an event that could not be written is created, not incremented */
	w.events.retry_ms = 1;
	sb_server_free(w.server);
	w.server = NULL;
	kube_event(&w.events, "tester", &about, S("lost"));
	ASSERT(w.events.kept[(w.events.next - 1) % KUBE_EVENTS_KEPT].hash);
	while (w.events.calls)
		(void)loop_turn(w.loop, 20, &w.err);
	ASSERT(!w.events.kept[(w.events.next - 1) % KUBE_EVENTS_KEPT].hash);
	teardown(&w);
	PASS();
}

/* The server is down when the event is sent, and up again before the last retry. */
TEST events_outlast_a_server_that_is_away(void)
{
	const struct action_event about = {
		.api = S("v1"), .kind = S("Node"), .name = S("n"), .reason = S("Tested")
	};
	struct sb_server_opts so = { 0 };
	struct world w;
	uint16_t port;
	int fd = -1;

	setup(&w);
	port = (uint16_t)strtoul(strrchr(w.conf.server.p, ':') + 1, NULL, 10);
	w.events.retry_ms = 100;
	sb_server_free(w.server);
	kube_event(&w.events, "tester", &about, S("kept"));
	kube_event(&w.events, "tester", &about, S("behind it"));
	for (int64_t end = clock_ms() + 250; clock_ms() < end;)
		(void)loop_turn(w.loop, 10, &w.err);
	ASSERT_INT(2, (long long)w.events.n_calls);
	so.loop = w.loop;
	so.sandbox = &w.sb;
	w.server = sb_server_new(&so);
	ASSERT_INT(0, sock_listen(S("127.0.0.1"), port, &fd, &w.err));
	sb_server_listen(w.server, fd, NULL);
	ASSERT_STR("1 behind it\n1 kept\n", told(&w));
	teardown(&w);
	PASS();
}

/* Events end with the process, whether they wait or are being sent. */
TEST events_that_wait_are_given_up(void)
{
	const struct action_event about = { .kind = S("Node"), .name = S("n") };
	struct world w;

	setup(&w);
	sb_server_free(w.server);
	w.server = NULL;
	kube_event(&w.events, "tester", &about, S("one"));
	kube_event(&w.events, "tester", &about, S("two"));
	for (int64_t end = clock_ms() + 200; clock_ms() < end;)
		(void)loop_turn(w.loop, 10, &w.err);
	kube_events_stop(&w.events);
	ASSERT(!w.events.calls);
	teardown(&w);
	PASS();
}

TEST gauges_are_shown(void)
{
	struct action_metric g = { .name = "g", .labels = { S("x"), S("\"\n\\") } };
	struct action_metric h = { .name = "h" };
	struct world w;
	struct buf b;

	setup(&w);
	kube_metrics_set(&w.metrics, &g, 2.5, false);
	kube_metrics_set(&w.metrics, &h, 1, false);
	buf_init(&b, &w.a);
	kube_metrics_text(&w.metrics, &b);
	ASSERT_STR("# HELP g a gauge\n# TYPE g gauge\n"
		   "g{a=\"\\\"\\n\\\\\",b=\"x\"} 2.5\n"
		   "g{a=\"initialize\",b=\"initialize\"} 0\n"
		   "# HELP h another\n# TYPE h gauge\nh 1\n",
		   buf_str(&b));
	kube_metrics_set(&w.metrics, &g, 0, true);
	kube_metrics_set(&w.metrics, &h, 0, true);
	b.n = 0;
	kube_metrics_text(&w.metrics, &b);
	ASSERT_STR("# HELP g a gauge\n# TYPE g gauge\n"
		   "g{a=\"initialize\",b=\"initialize\"} 0\n",
		   buf_str(&b));
	teardown(&w);
	PASS();
}

/* ---- the lease ----------------------------------------------------------- */

static void leads(void *ctx)
{
	((struct world *)ctx)->leads++;
}

static void lost(void *ctx)
{
	((struct world *)ctx)->lost++;
}

static void released(void *ctx)
{
	((struct world *)ctx)->released++;
}

static struct kube_lease *contend(struct world *w, const char *who)
{
	struct kube_lease_opts o = { .kube = w->kube,
				     .namespace = S("default"),
				     .name = S("l"),
				     .identity = str_of(who),
				     .lasts_s = 1,
				     .renew_ms = 500,
				     .retry_ms = 50,
				     .leads = leads,
				     .lost = lost,
				     .released = released,
				     .ctx = w };

	return kube_lease_start(&o);
}

TEST one_leads_until_it_lets_go(void)
{
	struct world w;
	struct kube_lease *x, *y;
	struct str text;
	int64_t end;

	setup(&w);
	x = contend(&w, "x");
	ASSERT(until(&w, &w.leads, 1));
	y = contend(&w, "y");
	end = clock_ms() + 300;
	while (clock_ms() < end)
		(void)loop_turn(w.loop, TURN_MS, &w.err);
	ASSERT_INT(1, (long long)w.leads);
	kube_lease_release(x);
	ASSERT(until(&w, &w.released, 1));
	ASSERT(until(&w, &w.leads, 2));
	ASSERT_INT(0, kube_get(w.kube, &w.a,
			       S("/apis/coordination.k8s.io/v1/namespaces/"
				 "default/leases/l"),
			       &text, &w.err));
	ASSERT(str_find(text, S("\"holderIdentity\":\"y\"")) >= 0);
	ASSERT(str_find(text, S("\"leaseDurationSeconds\":1")) >= 0);
	ASSERT_INT(0, (long long)w.lost);
	kube_lease_release(y);
	ASSERT(until(&w, &w.released, 2));
	kube_lease_free(x);
	kube_lease_free(y);
	teardown(&w);
	PASS();
}

SUITE(work_suite)
{
	RUN_TEST(a_key_is_worked_on_once_at_a_time);
	RUN_TEST(many_keys_are_all_worked_on);
	RUN_TEST(waiting_keys_are_retried);
	RUN_TEST(a_key_that_failed_comes_back);
	RUN_TEST(answers_are_in_the_cache);
	RUN_TEST(what_is_deleted_in_a_namespace_is_forgotten);
	RUN_TEST(a_step_may_be_long);
	RUN_TEST(failures_stop_or_do_not);
	RUN_TEST(events_are_counted_up);
	RUN_TEST(events_that_are_forgotten);
	RUN_TEST(events_that_are_alike);
	RUN_TEST(events_do_not_pile_up);
	RUN_TEST(events_outlast_a_server_that_is_away);
	RUN_TEST(events_that_wait_are_given_up);
	RUN_TEST(gauges_are_shown);
	RUN_TEST(one_leads_until_it_lets_go);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	log_init(0, open("/dev/null", O_WRONLY));
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(work_suite);
	GREATEST_MAIN_END();
}
