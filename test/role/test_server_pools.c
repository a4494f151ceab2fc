/* Pools and the configs they name, watched in a sandbox. */
#include "../test.h"

#include <fcntl.h>

#include "io/clock.h"
#include "io/log.h"
#include "mc/api.h"
#include "role/server/server_pools.h"
#include "sandbox/server.h"

#define POOLS PATH_MC "machineconfigpools"
#define CONFIGS PATH_MC "machineconfigs"

static struct world {
	struct arena a;
	struct err err;
	struct loop *loop;
	struct sandbox sb;
	struct sb_server *server;
	struct str forbidden[1]; /* a resource that gets 403 */
	uint16_t port;
	struct kube_conf conf;
	struct kube *kube;
	struct pools *pools;
	unsigned changes;
} w;

static void serve(void)
{
	struct sb_server_opts o = { .loop = w.loop,
				    .sandbox = &w.sb,
				    .faults.forbid = { w.forbidden, 1, 1 } };
	int fd = -1;

	w.server = sb_server_new(&o);
	if (sock_listen(S("127.0.0.1"), w.port, &fd, &w.err) < 0)
		abort();
	w.port = sock_port(fd);
	sb_server_listen(w.server, fd, NULL);
}

/* One request to the sandbox, without the network. */
static void ask(const char *method, const char *path, const char *body)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sb_request r = {
		.method = str_of(method), .path = str_of(path), .body = str_of(body), .now = 1
	};
	struct sb_reply out;

	if (str_is(r.method, "PATCH"))
		r.content_type = S("application/merge-patch+json");
	sandbox_handle(&w.sb, &a, &r, &out);
	if (out.code >= 300) {
		(void)fprintf(stderr, "%s %s: %.*s\n", method, path, STRF(out.body));
		abort();
	}
}

static void add_config(const char *name)
{
	ask("POST", CONFIGS,
	    str_fmt(&w.a,
		    "{\"apiVersion\":\"" API_MC "\",\"kind\":\"MachineConfig\","
		    "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"fips\":true}}",
		    name)
		    .p);
}

static void add_pool(const char *name)
{
	ask("POST", POOLS,
	    str_fmt(&w.a,
		    "{\"apiVersion\":\"" API_MC "\",\"kind\":\"MachineConfigPool\","
		    "\"metadata\":{\"name\":\"%s\"},\"spec\":{}}",
		    name)
		    .p);
}

static void set_spec(const char *config)
{
	ask("PATCH", POOLS "/worker",
	    str_fmt(&w.a, "{\"spec\":{\"configuration\":{\"name\":\"%s\"}}}", config).p);
}

static void set_status(const char *config, int updated)
{
	ask("PATCH", POOLS "/worker/status",
	    str_fmt(&w.a,
		    "{\"status\":{\"configuration\":{\"name\":\"%s\"},"
		    "\"updatedMachineCount\":%d}}",
		    config, updated)
		    .p);
}

static void changed(void *ctx)
{
	((struct world *)ctx)->changes++;
}

static bool until(bool (*is)(void))
{
	int64_t end = clock_ms() + 60000;

	while (!is() && clock_ms() < end)
		(void)loop_turn(w.loop, 20, &w.err);
	return is();
}

static void run_ms(int64_t ms)
{
	int64_t end = clock_ms() + ms;

	while (clock_ms() < end)
		(void)loop_turn(w.loop, 10, &w.err);
}

static bool ready(void)
{
	return !pools_waits_for(w.pools);
}

/* The config served for the pool, and whether it is in memory. */
static bool serves(const char *config, bool there)
{
	const struct serve_pool *p = pools_get(w.pools, S("worker"));

	return p && str_is(serve_pool_config(p, true), config) &&
	       (pools_config(w.pools, str_of(config)) != NULL) == there;
}

static bool serves_b(void)
{
	return serves("rendered-b", true);
}

static bool serves_c(void)
{
	return serves("rendered-c", true);
}

static bool lacks_c(void)
{
	return serves("rendered-c", false);
}

static bool forgot_a(void)
{
	return !pools_config(w.pools, S("rendered-a"));
}

static bool has_other_pool(void)
{
	return pools_get(w.pools, S("other")) != NULL;
}

static bool no_pool(void)
{
	return !pools_get(w.pools, S("worker"));
}

static void setup(void)
{
	struct kube_opts o = { .conf = &w.conf, .agent = "test" };

	w = (struct world){ .forbidden = { S("nothing") } };
	w.err = ERR_INIT(&w.a);
	o.loop = w.loop = loop_new(&w.err);
	sandbox_init(&w.sb, 1);
	serve();
	w.conf.server = str_fmt(&w.a, "http://127.0.0.1:%u", w.port);
	for (int i = 0; i < 20; i++)
		add_config(str_fmt(&w.a, "rendered-old-%d", i).p);
	add_config("rendered-a");
	add_config("rendered-b");
	add_pool("worker");
	set_spec("rendered-a");
	set_status("rendered-a", 1);
	if (kube_new(&o, &w.kube, &w.err) < 0)
		abort();
	w.pools = pools_start(w.kube, changed, &w);
}

static void teardown(void)
{
	pools_free(w.pools);
	kube_free(w.kube);
	sb_server_free(w.server);
	sandbox_free(&w.sb);
	loop_free(w.loop);
	arena_free(&w.a);
}

TEST only_configs_that_pools_name_are_read(void)
{
	setup();
	ASSERT_STR(POOLS, str_of(pools_waits_for(w.pools)));
	ASSERT(until(ready));
	ASSERT(serves("rendered-a", true));
	ASSERT(!pools_config(w.pools, S("rendered-b")));
	ASSERT(!pools_config(w.pools, S("rendered-old-0")));
	ASSERT(!pools_get(w.pools, S("nope")));
	teardown();
	PASS();
}

TEST a_pool_is_served_as_before_until_its_config_is_read(void)
{
	setup();
	ASSERT(until(ready));
	w.forbidden[0] = S("machineconfigs");
	set_spec("rendered-b");
	run_ms(300);
	ASSERT(serves("rendered-a", true));
	ASSERT(ready()); /* a running server continues to serve */
	w.forbidden[0] = S("nothing");
	ASSERT(until(serves_b));
	/* the status names it: a machine may request it again */
	ASSERT(!forgot_a());
	set_status("rendered-b", 1);
	ASSERT(until(forgot_a));
	ASSERT(serves_b());
	teardown();
	PASS();
}

TEST a_config_may_come_later_than_its_pool(void)
{
	setup();
	ASSERT(until(ready));
	set_spec("rendered-c");
	ASSERT(until(lacks_c)); /* an error, as for every missing config */
	add_config("rendered-c");
	ASSERT(until(serves_c));
	ask("DELETE", CONFIGS "/rendered-c", "");
	ASSERT(until(lacks_c));
	teardown();
	PASS();
}

TEST a_server_that_is_away_changes_nothing(void)
{
	unsigned before;

	setup();
	ASSERT(until(ready));
	before = w.changes;
	sb_server_free(w.server);
	run_ms(300);
	ASSERT(serves("rendered-a", true));
	ASSERT_INT(before, w.changes);
	serve();
	set_spec("rendered-b");
	ASSERT(until(serves_b));
	teardown();
	PASS();
}

/* Answers are kept while only the pool's machine counts change. */
TEST counts_of_a_pool_change_no_answer(void)
{
	unsigned before;

	setup();
	ASSERT(until(ready));
	run_ms(50);
	before = w.changes;
	set_status("rendered-a", 2);
	set_status("rendered-a", 3);
	add_pool("other");
	ASSERT(until(has_other_pool)); /* events come in order */
	ASSERT_INT(before + 1, w.changes);
	teardown();
	PASS();
}

TEST a_deleted_pool_is_forgotten(void)
{
	setup();
	ASSERT(until(ready));
	ask("DELETE", POOLS "/worker", "");
	ASSERT(until(no_pool));
	ASSERT(forgot_a());
	teardown();
	PASS();
}

SUITE(suite)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(only_configs_that_pools_name_are_read);
	RUN_TEST(a_pool_is_served_as_before_until_its_config_is_read);
	RUN_TEST(a_config_may_come_later_than_its_pool);
	RUN_TEST(a_server_that_is_away_changes_nothing);
	RUN_TEST(counts_of_a_pool_change_no_answer);
	RUN_TEST(a_deleted_pool_is_forgotten);
}

TEST_MAIN(suite)
