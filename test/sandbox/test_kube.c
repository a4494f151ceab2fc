/*
 * The client and its caches with the sandbox, in one loop.
 */
#include "../test.h"

#include <unistd.h>

#include "io/clock.h"
#include "io/file.h"
#include "kube/cache.h"
#include "sandbox/server.h"
#include "sandbox/watch.h"

struct world {
	struct loop *loop;
	struct sandbox sb;
	struct sb_server *server;
	uint16_t port;
	struct kube_conf conf;
	struct kube *kube;
	struct arena a;
	struct err err;
	/* the notifications of the cache */
	size_t added, changed, removed, synced, absent, again;
	const char *suffix; /* an input of the index besides the value */
	int64_t resync_ms;
};

static void listen_on(struct world *w, const struct sb_faults *faults)
{
	struct sb_server_opts o = { .loop = w->loop, .sandbox = &w->sb, .bookmark_ms = 20 };
	int fd = -1;

	if (faults)
		o.faults = *faults;
	w->server = sb_server_new(&o);
	if (sock_listen(S("127.0.0.1"), w->port, &fd, &w->err) < 0) {
		(void)printf("%.*s\n", STRF(w->err.msg));
		exit(1);
	}
	w->port = sock_port(fd);
	sb_server_listen(w->server, fd, NULL);
}

static void setup(struct world *w, const struct sb_faults *faults)
{
	struct kube_opts o = { .conf = &w->conf, .agent = "test" };

	*w = (struct world){ 0 };
	w->err = ERR_INIT(&w->a);
	w->loop = loop_new(&w->err);
	sandbox_init(&w->sb, 7);
	listen_on(w, faults);
	w->conf.server = str_fmt(&w->a, "http://127.0.0.1:%u", w->port);
	o.loop = w->loop;
	if (kube_new(&o, &w->kube, &w->err) < 0)
		exit(1);
}

static void teardown(struct world *w)
{
	kube_free(w->kube);
	sb_server_free(w->server);
	sandbox_free(&w->sb);
	loop_free(w->loop);
	arena_free(&w->a);
}

/* A request that bypasses the client. */
static int poke(struct world *w, const char *method, const char *path, const char *body)
{
	struct sb_reply out;
	struct sb_request r = { .method = str_of(method),
				.path = str_of(path),
				.content_type = str_is(str_of(method), "PATCH")
							? S("application/merge-patch+json")
							: S(""),
				.body = str_of(body),
				.now = 1000000000 };

	sandbox_handle(&w->sb, &w->a, &r, &out);
	return out.code;
}

static int make_node(struct world *w, int i)
{
	return poke(w, "POST", "/api/v1/nodes",
		    str_fmt(&w->a, "{\"metadata\":{\"name\":\"n%04d\"}}", i).p);
}

static void changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct world *w = ctx;

	(void)key;
	w->added += !before;
	w->removed += !now;
	w->changed += before && now && before != now;
	w->again += before == now;
}

static void synced(void *ctx)
{
	((struct world *)ctx)->synced++;
}

static void *keep_name(const struct json *tree, void *ctx)
{
	(void)ctx;
	return strdup(str_z(&((struct world *)ctx)->a,
			    json_str_or(tree, "metadata.labels.x", S("none"))));
}

/* Indexed by label and, as nodes are by pool, by something that is not in the value. */
static struct str index_of(const void *value, void *ctx)
{
	struct world *w = ctx;

	return str_is(str_of(value), "none")
		       ? S("")
		       : str_fmt(&w->a, "%s%s", (const char *)value, w->suffix ? w->suffix : "");
}

static struct kube_cache *watch_nodes(struct world *w, const char *query)
{
	struct kube_cache_opts o = { .kube = w->kube,
				     .path = "/api/v1/nodes",
				     .query = str_of(query),
				     .what = "nodes",
				     .make = keep_name,
				     .changed = changed,
				     .synced = synced,
				     .index = index_of,
				     .ctx = w,
				     .resync_ms = w->resync_ms,
				     .page = 7 };

	return kube_cache_start(&o);
}

/* Runs the loop until the cache has n items, for a minute at most. */
static bool until(struct world *w, struct kube_cache *c, size_t n)
{
	int64_t end = clock_ms() + 60000;
	struct kube_item *const *v;

	while (clock_ms() < end) {
		if (kube_cache_synced(c) && kube_cache_all(c, &v) == n)
			return true;
		(void)loop_turn(w->loop, 50, &w->err);
	}
	return false;
}

TEST lists_in_pages_and_follows(void)
{
	struct world w;
	struct kube_cache *c;

	setup(&w, NULL);
	for (int i = 0; i < 20; i++)
		ASSERT_INT(201, make_node(&w, i));
	c = watch_nodes(&w, "");
	ASSERT(until(&w, c, 20));
	ASSERT_INT(1, (long long)w.synced);
	ASSERT_INT(20, (long long)w.added);
	ASSERT_INT(201, make_node(&w, 20));
	ASSERT(until(&w, c, 21));
	ASSERT_INT(200, poke(&w, "DELETE", "/api/v1/nodes/n0003", ""));
	ASSERT(until(&w, c, 20));
	ASSERT_INT(1, (long long)w.removed);
	ASSERT(!kube_cache_get(c, S("n0003")));
	ASSERT_STR("none", str_of(kube_cache_get(c, S("n0004"))));
	ASSERT_INT(200, poke(&w, "PATCH", "/api/v1/nodes/n0004",
			     "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}"));
	while (w.changed == 0)
		(void)loop_turn(w.loop, 50, &w.err);
	ASSERT_STR("y", str_of(kube_cache_get(c, S("n0004"))));
	ASSERT_INT(1, (long long)kube_cache_lists(c));
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

/* The keys of an index entry, each preceded by a space. */
static struct str found(struct world *w, struct kube_cache *c, const char *name)
{
	struct kube_item *const *v;
	size_t n = kube_cache_of(c, str_of(name), &v);
	struct buf b;

	buf_init(&b, &w->a);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, " %.*s", STRF(v[i]->key));
	return buf_str(&b);
}

static void label(struct world *w, int i, const char *x)
{
	size_t told = w->changed + w->again;
	struct str path = str_fmt(&w->a, "/api/v1/nodes/n%04d", i);

	if (poke(w, "PATCH", path.p,
		 str_fmt(&w->a, "{\"metadata\":{\"labels\":{\"x\":%s}}}", x).p) != 200)
		abort();
	while (w->changed + w->again == told)
		(void)loop_turn(w->loop, 50, &w->err);
}

TEST finds_by_its_index(void)
{
	struct world w;
	struct kube_cache *c;

	setup(&w, NULL);
	for (int i = 0; i < 90; i++)
		(void)make_node(&w, i);
	c = watch_nodes(&w, "");
	ASSERT(until(&w, c, 90));
	ASSERT_STR("", found(&w, c, "a"));
	label(&w, 70, "\"a\"");
	label(&w, 3, "\"b\"");
	label(&w, 9, "\"a\"");
	label(&w, 1, "\"a\"");
	ASSERT_STR(" n0001 n0009 n0070", found(&w, c, "a"));
	ASSERT_STR(" n0003", found(&w, c, "b"));
	/* changed in place; moved; in no entry; deleted */
	ASSERT_INT(200, poke(&w, "PATCH", "/api/v1/nodes/n0001",
			     "{\"metadata\":{\"labels\":{\"y\":\"1\"}}}"));
	label(&w, 9, "\"b\"");
	ASSERT_STR(" n0001 n0070", found(&w, c, "a"));
	ASSERT_STR(" n0003 n0009", found(&w, c, "b"));
	label(&w, 70, "null");
	ASSERT_INT(200, poke(&w, "DELETE", "/api/v1/nodes/n0003", ""));
	ASSERT(until(&w, c, 89));
	ASSERT_STR(" n0001", found(&w, c, "a"));
	ASSERT_STR(" n0009", found(&w, c, "b"));
	/* indexed again */
	w.suffix = "!";
	kube_cache_reindex(c);
	ASSERT_STR("", found(&w, c, "a"));
	ASSERT_STR(" n0001", found(&w, c, "a!"));
	ASSERT_STR(" n0009", found(&w, c, "b!"));
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

TEST tells_all_again(void)
{
	struct world w;
	struct kube_cache *c;
	int64_t end = clock_ms() + 60000;

	setup(&w, NULL);
	w.resync_ms = 60;
	for (int i = 0; i < 20; i++)
		(void)make_node(&w, i);
	c = watch_nodes(&w, "");
	ASSERT(until(&w, c, 20));
	while (w.again < 60 && clock_ms() < end)
		(void)loop_turn(w.loop, 50, &w.err);
	ASSERT_INT(60, (long long)w.again);
	ASSERT_INT(0, (long long)w.changed);
	ASSERT_INT(20, (long long)w.added);
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

TEST selects_by_field(void)
{
	struct world w;
	struct kube_cache *c;

	setup(&w, NULL);
	for (int i = 0; i < 3; i++)
		(void)make_node(&w, i);
	c = watch_nodes(&w, "fieldSelector=metadata.name%3Dn0001");
	ASSERT(until(&w, c, 1));
	ASSERT(kube_cache_get(c, S("n0001")));
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

/* Each of them has a connection of its own. */
TEST watches_leave_room_for_requests(void)
{
	enum { N = 150 };
	struct world w;
	struct kube_cache *c[N];
	struct str body;

	setup(&w, NULL);
	for (int i = 0; i < N; i++)
		c[i] = watch_nodes(&w, "");
	for (int i = 0; i < N; i++)
		ASSERT(until(&w, c[i], 0));
	ASSERT_INT(0, kube_get(w.kube, &w.a, S("/version"), &body, &w.err));
	for (int i = 0; i < N; i++)
		kube_cache_free(c[i]);
	teardown(&w);
	PASS();
}

/* The next list finds objects that were deleted while no watch was open. */
TEST relists_after_the_past_is_forgotten(void)
{
	struct world w;
	struct kube_cache *c;

	setup(&w, NULL);
	for (int i = 0; i < 10; i++)
		(void)make_node(&w, i);
	c = watch_nodes(&w, "");
	ASSERT(until(&w, c, 10));
	sb_server_free(w.server);
	(void)poke(&w, "DELETE", "/api/v1/nodes/n0001", "");
	(void)make_node(&w, 50);
	(void)make_node(&w, 51);
	store_compact(&w.sb.store);
	listen_on(&w, NULL);
	ASSERT(until(&w, c, 11));
	ASSERT(!kube_cache_get(c, S("n0001")));
	ASSERT_INT(12, (long long)w.added);
	ASSERT_INT(1, (long long)w.removed);
	ASSERT_INT(2, (long long)kube_cache_lists(c));
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

TEST goes_on_after_a_restart(void)
{
	struct world w;
	struct kube_cache *c;

	setup(&w, NULL);
	(void)make_node(&w, 0);
	c = watch_nodes(&w, "");
	ASSERT(until(&w, c, 1));
	sb_server_free(w.server);
	(void)make_node(&w, 1);
	listen_on(&w, NULL);
	ASSERT(until(&w, c, 2));
	ASSERT_INT(1, (long long)kube_cache_lists(c));
	ASSERT_INT(2, (long long)w.added);
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

static void absent(void *ctx)
{
	((struct world *)ctx)->absent++;
}

/* A kind that the server does not have is reported, and listed when it appears. */
TEST tells_of_a_kind_that_is_missing(void)
{
	struct world w;
	struct kube_cache *c;
	struct kube_cache_opts o = { .path = "/apis/example.com/v1/gadgets",
				     .what = "gadgets",
				     .make = keep_name,
				     .changed = changed,
				     .synced = synced,
				     .absent = absent,
				     .ctx = &w };

	setup(&w, NULL);
	o.kube = w.kube;
	c = kube_cache_start(&o);
	while (!w.absent)
		(void)loop_turn(w.loop, 50, &w.err);
	ASSERT(!kube_cache_synced(c));
	ASSERT_INT(201, poke(&w, "POST",
			     "/apis/apiextensions.k8s.io/v1/"
			     "customresourcedefinitions",
			     "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":"
			     "\"CustomResourceDefinition\",\"metadata\":{\"name\":"
			     "\"gadgets.example.com\"},\"spec\":{\"group\":"
			     "\"example.com\",\"scope\":\"Cluster\",\"names\":{"
			     "\"plural\":\"gadgets\",\"singular\":\"gadget\","
			     "\"kind\":\"Gadget\",\"listKind\":\"GadgetList\"},"
			     "\"versions\":[{\"name\":\"v1\",\"served\":true,"
			     "\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
			     "\"type\":\"object\"}}}]}}"));
	ASSERT_INT(201, poke(&w, "POST", "/apis/example.com/v1/gadgets",
			     "{\"apiVersion\":\"example.com/v1\",\"kind\":"
			     "\"Gadget\",\"metadata\":{\"name\":\"g\"}}"));
	ASSERT(until(&w, c, 1));
	ASSERT_INT(1, (long long)w.synced);
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

/* With injected faults every change arrives exactly once. */
TEST survives_faults(void)
{
	const struct sb_faults faults = {
		.too_many = 50, .errors = 50, .drop_watch_ms = 60, .compact_every = 40
	};
	struct world w;
	struct kube_cache *c;
	int64_t next = clock_ms();
	int made = 0;

	setup(&w, &faults);
	c = watch_nodes(&w, "");
	while (made < 120) {
		if (clock_ms() >= next) {
			ASSERT_INT(201, make_node(&w, made++));
			next += 5;
		}
		(void)loop_turn(w.loop, 5, &w.err);
	}
	ASSERT(until(&w, c, 120));
	ASSERT_INT(120, (long long)w.added);
	ASSERT_INT(0, (long long)w.removed);
	ASSERT_INT(0, (long long)w.changed);
	kube_cache_free(c);
	teardown(&w);
	PASS();
}

TEST tells_errors_by_code(void)
{
	struct world w;
	struct str body;

	setup(&w, NULL);
	ASSERT_INT(-ERR_NOTFOUND, kube_get(w.kube, &w.a, S("/api/v1/nodes/x"), &body, &w.err));
	ASSERT_STR("nodes \"x\" not found", w.err.msg);
	ASSERT_INT(-ERR_INVALID,
		   kube_get(w.kube, &w.a, S("/api/v1/nodes?labelSelector=a+b"), &body, &w.err));
	ASSERT_INT(0, kube_get(w.kube, &w.a, S("/version"), &body, &w.err));
	sb_server_free(w.server);
	ASSERT(kube_get(w.kube, &w.a, S("/version"), &body, &w.err) < 0);
	ASSERT(str_find(w.err.msg, S("127.0.0.1")) >= 0);
	listen_on(&w, NULL);
	teardown(&w);
	PASS();
}

/* ---- credentials --------------------------------------------------------- */

static void write_file(const char *path, const char *text, mode_t mode)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (file_replace(path, str_of(text), mode, &err) < 0)
		exit(1);
}

/* A server that accepts one token. */
static void setup_token(struct world *w, struct str *token)
{
	struct sb_server_opts o = { .sandbox = &w->sb, .tokens = { .v = token, .n = 1 } };
	int fd = -1;

	setup(w, NULL);
	sb_server_free(w->server);
	kube_free(w->kube);
	o.loop = w->loop;
	w->server = sb_server_new(&o);
	if (sock_listen(S("127.0.0.1"), 0, &fd, &w->err) < 0)
		exit(1);
	w->conf.server = str_fmt(&w->a, "http://127.0.0.1:%u", sock_port(fd));
	sb_server_listen(w->server, fd, NULL);
}

static void connect_as(struct world *w)
{
	struct kube_opts o = { .loop = w->loop, .conf = &w->conf, .agent = "test" };

	if (kube_new(&o, &w->kube, &w->err) < 0)
		exit(1);
}

TEST reads_a_rotated_token_again(void)
{
	char dir[] = "/tmp/mco-token-XXXXXX";
	struct str token = S("one"), body;
	struct world w;

	ASSERT(mkdtemp(dir));
	setup_token(&w, &token);
	w.conf.token_file = str_fmt(&w.a, "%s/token", dir);
	write_file(w.conf.token_file.p, "one\n", 0600);
	connect_as(&w);
	ASSERT_INT(0, kube_get(w.kube, &w.a, S("/version"), &body, &w.err));
	token = S("two");
	ASSERT_INT(-ERR_INVALID, kube_get(w.kube, &w.a, S("/version"), &body, &w.err));
	ASSERT_STR("the server has asked for the client to provide credentials "
		   "(Unauthorized)",
		   w.err.msg);
	write_file(w.conf.token_file.p, "two\n", 0600);
	ASSERT_INT(0, kube_get(w.kube, &w.a, S("/version"), &body, &w.err));
	(void)unlink(w.conf.token_file.p);
	(void)rmdir(dir);
	teardown(&w);
	PASS();
}

TEST asks_a_plugin(void)
{
	char dir[] = "/tmp/mco-plugin-XXXXXX";
	struct str token = S("from-plugin"), body;
	struct json *exec = NULL;
	struct world w;
	const char *path;

	ASSERT(mkdtemp(dir));
	setup_token(&w, &token);
	path = str_fmt(&w.a, "%s/plugin", dir).p;
	write_file(path,
		   "#!/bin/sh\ncase $KUBERNETES_EXEC_INFO in *ExecCredential*) "
		   ";; *) exit 3;; esac\necho '{\"status\":{\"token\":\"'$1"
		   "$SUFFIX'\"}}'\n",
		   0700);
	ASSERT_INT(0, json_parse(&w.a,
				 S("{\"command\":\"./plugin\",\"args\":["
				   "\"from\"],\"env\":[{\"name\":\"SUFFIX\","
				   "\"value\":\"-plugin\"}]}"),
				 NULL, &exec, &w.err));
	w.conf.exec = exec;
	w.conf.exec_dir = str_fmt(&w.a, "%s/", dir);
	connect_as(&w);
	ASSERT_INT(0, kube_get(w.kube, &w.a, S("/version"), &body, &w.err));
	/* Refused, it is asked once more, and its failure is told. */
	token = S("other");
	write_file(path, "#!/bin/sh\necho no luck >&2\nexit 3\n", 0700);
	ASSERT_INT(-ERR_INVALID, kube_get(w.kube, &w.a, S("/version"), &body, &w.err));
	ASSERT_STR("exec plugin ./plugin: exit status 3: no luck", w.err.msg);
	(void)unlink(path);
	(void)rmdir(dir);
	teardown(&w);
	PASS();
}

SUITE(kube)
{
	RUN_TEST(lists_in_pages_and_follows);
	RUN_TEST(finds_by_its_index);
	RUN_TEST(tells_all_again);
	RUN_TEST(selects_by_field);
	RUN_TEST(watches_leave_room_for_requests);
	RUN_TEST(relists_after_the_past_is_forgotten);
	RUN_TEST(goes_on_after_a_restart);
	RUN_TEST(tells_of_a_kind_that_is_missing);
	RUN_TEST(survives_faults);
	RUN_TEST(tells_errors_by_code);
	RUN_TEST(reads_a_rotated_token_again);
	RUN_TEST(asks_a_plugin);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(kube);
	GREATEST_MAIN_END();
}
