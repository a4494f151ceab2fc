/*
 * bench_cluster BIN KUBECONFIG LOG NODES PODS PID: mco-controller start on a
 * cluster of many nodes. This program plays all daemons: they report Working,
 * request a drain, apply the config, request an uncordon and report Done.
 *
 * The cluster has its pools and one rendered config for the workers. Prints for
 * cluster.sh: seconds from the controller's start to correct counts; from a new
 * MachineConfig to the first desiredConfig and to correct counts, while the
 * daemons wait; seconds of the rollout; CPU seconds and peak memory of the
 * controller during all of that; its memory before the rollout; the number of
 * writes while idle.
 *
 * With - for BIN it measures the API server alone, whose process is PID:
 * seconds to create the nodes, microseconds of CPU time for each, seconds until
 * all of them are listed and decoded, bytes of memory for each.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "kube/cache.h"
#include "kube/config.h"
#include "mc/mcn.h"
#include "plan/action.h"

#define API "/apis/machineconfiguration.openshift.io/v1/"
#define POOL API "machineconfigpools/worker"
#define PATIENCE_S 1800
#define IMAGES 50 /* as many as a kubelet reports */

struct bench;

/* The daemon of one node. */
struct agent {
	struct bench *b;
	struct kube_call call;
	struct arena a; /* of the call */
	bool busy;
};

struct bench {
	struct loop *loop;
	struct kube *kube;
	struct kube_cache *nodes, *pools;
	struct agent *agents;
	size_t n, created, pods;
	bool held; /* the daemons wait */
	struct str first, target;
	size_t targeted;
	double first_at;
	pid_t controller;
	struct arena a;
};

static _Noreturn void die(struct bench *b, const char *what)
{
	(void)fprintf(stderr, "bench_cluster: %s\n", what);
	if (b->controller > 0)
		(void)kill(b->controller, SIGKILL);
	exit(1);
}

static void until(struct bench *b, bool (*is)(struct bench *b), const char *what)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	double end = seconds() + PATIENCE_S;

	while (!is(b)) {
		if (seconds() > end || loop_turn(b->loop, 100, &err) < 0)
			die(b, what);
		if (b->controller && waitpid(b->controller, NULL, WNOHANG) == b->controller)
			die(b, "the controller has ended");
	}
}

/* ---- the objects of a cluster of that size ------------------------------- */

/* As a kubelet and the network fill it in, about 13 KB. */
static struct str node_body(struct arena *a, size_t i, struct str config)
{
	static const char *const types[] = { "MemoryPressure", "DiskPressure", "PIDPressure",
					     "Ready" };
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b,
		 "{\"metadata\":{\"name\":\"node-%05zu\",\"labels\":{"
		 "\"" LABEL_WORKER "\":\"\",\"kubernetes.io/os\":\"linux\","
		 "\"kubernetes.io/arch\":\"amd64\","
		 "\"kubernetes.io/hostname\":\"node-%05zu.c.example.net\","
		 "\"node.kubernetes.io/instance-type\":\"m6i.2xlarge\","
		 "\"topology.kubernetes.io/region\":\"one\",\"" LABEL_ZONE
		 "\":\"one-%c\",\"node.openshift.io/os_id\":\"rhel\"},"
		 "\"annotations\":{",
		 i, i, (int)('a' + i % 3));
	buf_addf(&b,
		 "\"" ANNO_CURRENT_CONFIG "\":\"%.*s\",\"" ANNO_DESIRED_CONFIG
		 "\":\"%.*s\",\"" ANNO_STATE "\":\"Done\",\"" ANNO_REASON "\":\"\",\"" ANNO_TOPOLOGY
		 "\":\"HighlyAvailable\",\"" ANNO_DESIRED_DRAIN
		 "\":\"uncordon-%.*s\",\"" ANNO_APPLIED_DRAIN "\":\"uncordon-%.*s\"",
		 STRF(config), STRF(config), STRF(config), STRF(config));
	buf_addf(&b,
		 ",\"k8s.ovn.org/node-subnets\":\"{\\\"default\\\":[\\\"10.%zu."
		 "%zu.0/24\\\"]}\",\"volumes.kubernetes.io/controller-managed-"
		 "attach-detach\":\"true\"}},\"spec\":{\"providerID\":"
		 "\"aws:///one-a/i-%017zu\"},\"status\":{\"capacity\":{\"cpu\":"
		 "\"8\",\"memory\":\"32384Mi\",\"pods\":\"250\"},"
		 "\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"10.0."
		 "%zu.%zu\"}],\"conditions\":[",
		 i / 250, i % 250, i, i / 250, i % 250);
	for (size_t k = 0; k < 4; k++)
		buf_addf(&b,
			 "%s{\"type\":\"%s\",\"status\":\"%s\",\"reason\":"
			 "\"Kubelet%s\",\"message\":\"kubelet has told about "
			 "%s\",\"lastHeartbeatTime\":\"2026-11-16T10:00:00Z\","
			 "\"lastTransitionTime\":\"2026-11-01T10:00:00Z\"}",
			 k ? "," : "", types[k], k == 3 ? "True" : "False", types[k], types[k]);
	buf_addz(&b, "],\"images\":[");
	for (size_t k = 0; k < IMAGES; k++)
		buf_addf(&b,
			 "%s{\"names\":[\"registry.example.net/release/part-%zu"
			 "@sha256:%064zu\",\"registry.example.net/release/part-"
			 "%zu:latest\"],\"sizeBytes\":%zu}",
			 k ? "," : "", k, k, k, 100000000 + k);
	buf_addz(&b, "]}}");
	return buf_str(&b);
}

/* A pod of a node that is never drained. */
static struct str pod_body(struct arena *a, size_t i)
{
	return str_fmt(a,
		       "{\"metadata\":{\"name\":\"pod-%06zu\",\"labels\":{\"app\":"
		       "\"web\"}},\"spec\":{\"nodeName\":\"other-%02zu\","
		       "\"containers\":[{\"name\":\"web\",\"image\":\"registry."
		       "example.net/web:1\",\"env\":[{\"name\":\"TEXT\",\"value\":"
		       "\"%0800d\"}]}]},\"status\":{\"phase\":\"Running\"}}",
		       i, i % 50, 0);
}

static void create_next(struct agent *g);

static void created(struct kube_call *c, const struct kube_answer *ans)
{
	struct agent *g = c->ctx;

	if (ans->rc < 0)
		die(g->b, "a node or pod cannot be created");
	g->busy = false;
	create_next(g);
}

static void create_next(struct agent *g)
{
	struct bench *b = g->b;
	size_t i = b->created;

	arena_free(&g->a);
	if (i == b->n + b->pods)
		return;
	b->created++;
	g->busy = true;
	g->call = (struct kube_call){
		.method = "POST",
		.path = i < b->n ? S("/api/v1/nodes") : S("/api/v1/namespaces/default/pods"),
		.body = i < b->n ? node_body(&g->a, i, b->first) : pod_body(&g->a, i - b->n),
		.done = created,
		.ctx = g,
	};
	kube_start(b->kube, &g->call);
}

static bool all_created(struct bench *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->agents[i].busy)
			return false;
	return b->created == b->n + b->pods;
}

/* ---- the daemons --------------------------------------------------------- */

static void act(struct agent *g, const struct knode *n);

static void patched(struct kube_call *c, const struct kube_answer *ans)
{
	struct agent *g = c->ctx;
	char name[32];

	g->busy = false;
	if (ans->rc < 0)
		die(g->b, "a node cannot be patched");
	kube_cache_put(g->b->nodes, ans->body);
	/* act on what the watch reported during the call */
	(void)snprintf(name, sizeof(name), "node-%05zu", (size_t)(g - g->b->agents));
	act(g, kube_cache_get(g->b->nodes, str_of(name)));
}

static void annotate(struct agent *g, struct str node, const struct json *patch)
{
	g->busy = true;
	g->call = (struct kube_call){
		.method = "PATCH",
		.path = str_fmt(&g->a, "/api/v1/nodes/%.*s", STRF(node)),
		.type = "application/merge-patch+json",
		.body = json_format(&g->a, patch, 0),
		.done = patched,
		.ctx = g,
	};
	kube_start(g->b->kube, &g->call);
}

static void act(struct agent *g, const struct knode *n)
{
	struct str wish, back, empty = S("");
	bool moves = !str_eq(n->current_config, n->desired_config);
	bool granted = str_eq(n->desired_drain, n->applied_drain);
	struct json *patch, *notes;

	if (g->busy || g->b->held)
		return;
	arena_free(&g->a);
	patch = json_new(&g->a, JSON_OBJECT);
	notes = json_make(&g->a, patch, "metadata.annotations");
	wish = str_fmt(&g->a, "drain-%.*s", STRF(n->desired_config));
	back = str_fmt(&g->a, "uncordon-%.*s", STRF(n->desired_config));
	if (moves && !str_eq(n->desired_drain, wish)) {
		json_add_opt(&g->a, notes, ANNO_STATE, S("Working"));
		json_add_opt(&g->a, notes, ANNO_DESIRED_DRAIN, wish);
	} else if (moves && granted) {
		json_add_opt(&g->a, notes, ANNO_CURRENT_CONFIG, n->desired_config);
		json_add_opt(&g->a, notes, ANNO_DESIRED_DRAIN, back);
		json_add_opt(&g->a, notes, ANNO_REASON, empty);
	} else if (!moves && granted && !str_is(n->state, "Done")) {
		json_add_opt(&g->a, notes, ANNO_STATE, S("Done"));
	} else {
		return;
	}
	annotate(g, n->name, patch);
}

static struct agent *agent_of(struct bench *b, struct str name)
{
	int64_t i = -1;

	(void)str_to_i64(str_from(name, 5), &i);
	return i >= 0 && (size_t)i < b->n ? &b->agents[i] : NULL;
}

static void *make_node(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode n;
	void *mem;

	(void)ctx;
	knode_decode(&a, tree, &n);
	mem = malloc(knode_size(&n));
	return mem ? knode_copy(mem, &n) : NULL;
}

static void node_changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct bench *b = ctx;
	const struct knode *was = before, *is = now;
	struct agent *g = agent_of(b, key);

	if (!is || !g)
		return;
	if (was && str_eq(was->desired_config, b->first) && !str_eq(is->desired_config, b->first) &&
	    !b->targeted++)
		b->first_at = seconds();
	act(g, is);
}

static void release(struct bench *b)
{
	struct kube_item *const *v;
	size_t n = kube_cache_all(b->nodes, &v);

	b->held = false;
	for (size_t i = 0; i < n; i++) {
		struct agent *g = agent_of(b, v[i]->key);

		if (g)
			act(g, v[i]->value);
	}
}

/* ---- the pool ------------------------------------------------------------ */

static const struct json *pool(const struct bench *b)
{
	const struct kube_tree *t = kube_cache_get(b->pools, S("worker"));

	return t ? t->tree : NULL;
}

static size_t counted(const struct bench *b, const char *what)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "status.%sMachineCount", what);
	if (!*what)
		(void)snprintf(path, sizeof(path), "status.machineCount");
	return (size_t)json_i64(pool(b), path, -1);
}

static bool is_updated(const struct bench *b)
{
	const struct json *list = json_at(pool(b), "status.conditions");

	for (const struct json *j = json_first(list); j; j = json_next(j))
		if (str_is(json_str(j, "type"), "Updated"))
			return str_is(json_str(j, "status"), "True");
	return false;
}

static struct str target(const struct bench *b)
{
	return json_str(pool(b), "spec.configuration.name");
}

static bool rendered(struct bench *b)
{
	return target(b).n > 0;
}

static bool all_counted(struct bench *b)
{
	return counted(b, "") == b->n && counted(b, "ready") == b->n &&
	       counted(b, "updated") == b->n && is_updated(b);
}

/* The allowed number of nodes is updating, and the pool's status says so. */
static bool moving_counted(struct bench *b)
{
	return b->targeted && counted(b, "") == b->n && counted(b, "updated") == 0 &&
	       counted(b, "unavailable") == b->targeted;
}

static bool rolled_out(struct bench *b)
{
	return !str_eq(target(b), b->first) && all_counted(b) &&
	       str_eq(json_str(pool(b), "status.configuration.name"), target(b));
}

/* ---- the controller ------------------------------------------------------ */

static double cpu_seconds(pid_t pid)
{
	clockid_t clock;
	struct timespec t = { 0 };

	if (clock_getcpuclockid(pid, &clock) == 0)
		(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void start_controller(struct bench *b, const char *bin, const char *kubeconfig,
			     const char *log)
{
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/mco-controller", bin);
	b->controller = fork();
	if (b->controller != 0)
		return;
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || dup2(fd, 2) < 0 || dup2(fd, 1) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		_exit(126);
	(void)execl(path, path, "start", "--kubeconfig", kubeconfig, "--payload-version", "4.22.0",
		    "--templates=builtin", "--v=4", "--metrics-listen-address", "127.0.0.1:0",
		    (char *)NULL);
	_exit(127);
}

struct asking {
	bool over;
	int rc;
};

static void asked(struct kube_call *c, const struct kube_answer *ans)
{
	struct asking *w = c->ctx;

	w->over = true;
	w->rc = ans->rc;
}

static void ask(struct bench *b, const char *method, const char *path, const char *body)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct asking w = { 0 };
	struct kube_call c = { .method = method,
			       .path = str_of(path),
			       .type = *method == 'P' && method[1] == 'A'
					       ? "application/merge-patch+json"
					       : NULL,
			       .body = str_of(body),
			       .done = asked,
			       .ctx = &w };

	kube_start(b->kube, &c);
	while (!w.over)
		(void)loop_turn(b->loop, -1, &err);
	if (w.rc < 0)
		die(b, path);
}

static uint64_t version_now(struct bench *b)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *j = NULL;
	struct str text;
	int64_t n = 0;

	if (kube_get(b->kube, &a, S("/api/v1/namespaces?limit=1"), &text, &err) < 0 ||
	    json_parse(&a, text, NULL, &j, &err) < 0)
		die(b, "the API server does not answer");
	(void)str_to_i64(json_str(j, "metadata.resourceVersion"), &n);
	return (uint64_t)n;
}

static void pass(struct bench *b, double s)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	double end = seconds() + s;

	while (seconds() < end)
		(void)loop_turn(b->loop, 50, &err);
}

/* ---- the run ------------------------------------------------------------- */

static void connect_api(struct bench *b, const char *kubeconfig)
{
	static struct kube_conf conf;
	struct err err = ERR_INIT(&b->a);
	struct kube_flags flags = { .kubeconfig = str_of(kubeconfig) };
	struct kube_opts o = { .conf = &conf, .agent = "bench" };

	b->loop = o.loop = loop_new(&err);
	if (!b->loop || kube_config_load(&b->a, &flags, false, &conf, &err) < 0 ||
	    kube_new(&o, &b->kube, &err) < 0)
		die(b, "no kubeconfig");
}

static void watch_pools(struct bench *b)
{
	struct kube_cache_opts o = { .kube = b->kube,
				     .path = API "machineconfigpools",
				     .what = "pools",
				     .make = kube_tree_make,
				     .drop = kube_tree_drop,
				     .ctx = b };

	b->pools = kube_cache_start(&o);
	until(b, rendered, "no rendered config");
	b->first = str_dup(&b->a, target(b));
}

static bool nodes_known(struct bench *b)
{
	return kube_cache_synced(b->nodes);
}

static void watch_nodes(struct bench *b)
{
	struct kube_cache_opts o = { .kube = b->kube,
				     .path = "/api/v1/nodes",
				     .what = "nodes",
				     .make = make_node,
				     .changed = node_changed,
				     .ctx = b };

	b->nodes = kube_cache_start(&o);
	until(b, nodes_known, "nodes cannot be listed");
}

static void create_all(struct bench *b)
{
	b->agents = calloc(b->n, sizeof(*b->agents));
	if (!b->agents)
		abort();
	for (size_t i = 0; i < b->n; i++)
		b->agents[i].b = b;
	for (size_t i = 0; i < b->n && i < 64; i++)
		create_next(&b->agents[i]);
	until(b, all_created, "nodes are not created in time");
}

static double took(double *from)
{
	double now = seconds(), t = now - *from;

	*from = now;
	return t;
}

/* The API server alone: the cost of creating and listing. */
static void serve_only(struct bench *b, pid_t sandbox)
{
	double at = seconds(), cpu = cpu_seconds(sandbox), made, list;
	double mib = status_mib(sandbox, "VmRSS:");

	b->first = S("rendered-worker-00000000000000000000000000000000");
	create_all(b);
	made = took(&at);
	cpu = cpu_seconds(sandbox) - cpu;
	mib = status_mib(sandbox, "VmRSS:") - mib;
	watch_nodes(b);
	list = took(&at);
	(void)printf("%zu %.2f %.0f %.2f %.0f\n", b->n, made, cpu * 1e6 / (double)b->n, list,
		     mib * 1048576 / (double)b->n);
}

static void roll_out(struct bench *b, char **argv)
{
	double at, count, right, roll, idle;
	uint64_t before;

	watch_pools(b);
	create_all(b);
	watch_nodes(b);
	at = seconds();
	start_controller(b, argv[1], argv[2], argv[3]);
	until(b, all_counted, "nodes are not counted in time");
	count = took(&at);
	pass(b, 1);
	before = version_now(b);
	pass(b, 3);
	before = version_now(b) - before;
	idle = status_mib(b->controller, "VmRSS:");
	ask(b, "PATCH", POOL, "{\"spec\":{\"maxUnavailable\":\"10%\"}}");
	pass(b, 1);
	at = seconds();
	b->first_at = at;
	ask(b, "POST", API "machineconfigs",
	    "{\"apiVersion\":\"" API_MC "\",\"kind\":\"MachineConfig\","
	    "\"metadata\":{\"name\":\"60-worker-bench\",\"labels\":{\"" KEY_MC
	    "role\":\"worker\"}},\"spec\":{\"config\":{\"ignition\":{"
	    "\"version\":\"3.4.0\"},\"storage\":{\"files\":[{\"path\":"
	    "\"/etc/bench\",\"contents\":{\"source\":\"data:,x\"}}]}}}}");
	until(b, moving_counted, "the pool's counts are not right in time");
	b->first_at -= at;
	right = took(&at);
	release(b);
	until(b, rolled_out, "no end of the rollout");
	roll = took(&at);
	(void)printf("%zu %.2f %.2f %.2f %.1f %.2f %.1f %.1f %llu\n", b->n, count, b->first_at,
		     right, roll, cpu_seconds(b->controller), status_mib(b->controller, "VmHWM:"),
		     idle, (unsigned long long)before);
	(void)kill(b->controller, SIGTERM);
	(void)waitpid(b->controller, NULL, 0);
}

int main(int argc, char **argv)
{
	struct bench b = { .held = true };

	if (argc != 7)
		return 2;
	b.n = (size_t)strtol(argv[4], NULL, 10);
	b.pods = (size_t)strtol(argv[5], NULL, 10);
	connect_api(&b, argv[2]);
	if (strcmp(argv[1], "-") == 0)
		serve_only(&b, (pid_t)strtol(argv[6], NULL, 10));
	else
		roll_out(&b, argv);
	return 0;
}
