/*
 * bench_kube NODES BYTES CHANGES: a cache of nodes; the sandbox runs in its own
 * process. Prints for run.sh: seconds from an empty cache to a complete list,
 * then changes followed per CPU second of the client, and the client's resident
 * memory in MiB at the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "kube/cache.h"
#include "mc/knode.h"
#include "sandbox/server.h"

static double seconds(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the server ---------------------------------------------------------- */

struct churn {
	struct source src;
	struct sandbox *sb;
	struct loop *loop;
	size_t nodes;
	long left, sent;
};

static void ask(struct sandbox *sb, const char *method, const char *path, struct str body)
{
	struct arena a = ARENA_INIT;
	struct sb_reply out;
	struct sb_request r = { .method = str_of(method),
				.path = str_of(path),
				.content_type = S("application/merge-patch+json"),
				.body = body,
				.now = time(NULL) };

	if (*method == 'P' && method[1] == 'O')
		r.content_type = S("");
	sandbox_handle(sb, &a, &r, &out);
	if (out.code >= 300)
		abort();
	arena_free(&a);
}

static void make_node(struct sandbox *sb, size_t i, size_t bytes)
{
	struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	buf_addf(&b,
		 "{\"metadata\":{\"name\":\"node-%05zu\",\"labels\":{\"" LABEL_WORKER
		 "\":\"\"}},\"status\":{\"conditions\":[{\"type\":\"Ready\","
		 "\"status\":\"True\"}],\"images\":[",
		 i);
	for (size_t k = 0; b.n + 150 < bytes; k++)
		buf_addf(&b,
			 "%s{\"names\":[\"registry.example.net/team/image-%zu"
			 "@sha256:%064zu\"],\"sizeBytes\":%zu}",
			 k ? "," : "", k, k, 1000000 + k);
	buf_addz(&b, "]}}");
	ask(sb, "POST", "/api/v1/nodes", buf_str(&b));
	arena_free(&a);
}

/* A hundred changes ten times a second, like the heartbeats of kubelets. */
static void on_churn(struct source *s, short events)
{
	struct churn *c = s->ctx;

	(void)events;
	for (int i = 0; i < 100 && c->left > 0; i++, c->left--, c->sent++) {
		char path[64], body[96];

		(void)snprintf(path, sizeof(path), "/api/v1/nodes/node-%05zu/status",
			       (size_t)c->sent % c->nodes);
		(void)snprintf(body, sizeof(body), "{\"status\":{\"phase\":\"p%ld\"}}", c->sent);
		ask(c->sb, "PATCH", path, str_of(body));
	}
	s->due = loop_now(c->loop) + 100;
}

static void on_go(void *ctx, int signo)
{
	struct churn *c = ctx;

	(void)signo;
	loop_add(c->loop, &c->src);
}

static void serve(int port_fd, size_t nodes, size_t bytes, long changes)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct sandbox sb;
	struct churn c = { .sb = &sb, .nodes = nodes, .left = changes };
	struct sb_server_opts o = { .sandbox = &sb };
	uint16_t port;
	int fd = -1;

	sandbox_init(&sb, 1);
	for (size_t i = 0; i < nodes; i++)
		make_node(&sb, i, bytes);
	c.loop = o.loop = loop_new(&err);
	c.src = (struct source){ .fd = -1, .due = clock_ms() + 1, .ready = on_churn, .ctx = &c };
	if (!o.loop || sock_listen(S("127.0.0.1"), 0, &fd, &err) < 0 ||
	    loop_signal(o.loop, SIGUSR1, on_go, &c, &err) < 0)
		exit(1);
	sb_server_listen(sb_server_new(&o), fd, NULL);
	port = sock_port(fd);
	if (write(port_fd, &port, sizeof(port)) != sizeof(port))
		exit(1);
	(void)loop_run(o.loop, &err);
	exit(0);
}

/* ---- the client ---------------------------------------------------------- */

struct client {
	bool synced;
	long changed;
};

static void *make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode n;
	void *mem;

	(void)ctx;
	knode_decode(&a, tree, &n);
	mem = malloc(knode_size(&n));
	return mem ? knode_copy(mem, &n) : NULL;
}

static void changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct client *c = ctx;

	(void)key;
	c->changed += before && now;
}

static void synced(void *ctx)
{
	((struct client *)ctx)->synced = true;
}

static double resident_mib(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long total = 0, resident = 0;

	if (f) {
		if (fscanf(f, "%ld %ld", &total, &resident) != 2)
			resident = 0;
		(void)fclose(f);
	}
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static void follow(uint16_t port, pid_t server, long changes)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct kube_conf conf = { .server = str_fmt(&a, "http://127.0.0.1:%u", port) };
	struct kube_opts o = { .loop = loop_new(&err), .conf = &conf, .agent = "bench" };
	struct client c = { 0 };
	struct kube_cache_opts co = { .path = "/api/v1/nodes",
				      .what = "nodes",
				      .make = make,
				      .changed = changed,
				      .synced = synced,
				      .ctx = &c };
	double start = seconds(CLOCK_MONOTONIC), cpu, listed;
	struct kube_cache *cache;

	if (!o.loop || kube_new(&o, &co.kube, &err) < 0)
		abort();
	cache = kube_cache_start(&co);
	while (!c.synced)
		(void)loop_turn(o.loop, -1, &err);
	listed = seconds(CLOCK_MONOTONIC) - start;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	(void)kill(server, SIGUSR1);
	while (c.changed < changes)
		(void)loop_turn(o.loop, 1000, &err);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	(void)printf("%.2f %.0f %.1f\n", listed, (double)changes / cpu, resident_mib());
	kube_cache_free(cache);
}

int main(int argc, char **argv)
{
	long nodes = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
	long bytes = argc > 3 ? strtol(argv[2], NULL, 10) : 0;
	long changes = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	int p[2];
	pid_t server;
	uint16_t port = 0;

	if (nodes <= 0 || bytes <= 0 || pipe(p) < 0)
		return 2;
	server = fork();
	if (server < 0)
		return 2;
	if (server == 0)
		serve(p[1], (size_t)nodes, (size_t)bytes, changes);
	if (read(p[0], &port, sizeof(port)) == sizeof(port))
		follow(port, server, changes);
	(void)kill(server, SIGKILL);
	(void)waitpid(server, NULL, 0);
	return port ? 0 : 1;
}
