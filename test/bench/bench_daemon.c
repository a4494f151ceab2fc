/*
 * bench_daemon KUBECONFIG NODE FILE COMMAND...: runs mco-daemon start on a node
 * that is up to date. Prints for daemon.sh: milliseconds from its start to the
 * watch on the node's files, MiB after an idle second, milliseconds from a
 * change of FILE until the Node is Degraded in the API server, and MiB then.
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
#include "mc/knode.h"

#define PATIENCE_S 1800
#define EVENTS "/api/v1/namespaces/openshift-machine-config-operator/events"

struct bench {
	struct loop *loop;
	struct kube *kube;
	bool started;
	struct kube_cache *nodes;
	const char *node;
	pid_t daemon;
	struct arena a;
};

static void *make_event(const struct json *tree, void *ctx)
{
	struct bench *b = ctx;

	/* events of an earlier start arrive before this daemon runs */
	if (b->daemon && str_find(json_str(tree, "message"), S("watching against")) >= 0)
		b->started = true;
	return strdup("");
}

static bool event_told(struct bench *b)
{
	return b->started;
}

static bool degraded(struct bench *b)
{
	const struct kube_tree *t = kube_cache_get(b->nodes, str_of(b->node));
	const struct json *notes = t ? json_at(t->tree, "metadata.annotations") : NULL;

	return str_is(json_text(json_member(notes, S(ANNO_STATE))), "Degraded");
}

static bool nodes_known(struct bench *b)
{
	return kube_cache_synced(b->nodes);
}

static void until(struct bench *b, bool (*is)(struct bench *b), const char *what)
{
	struct err err = ERR_INIT(&b->a);
	double end = seconds() + PATIENCE_S;

	while (!is(b)) {
		if (seconds() < end && loop_turn(b->loop, 100, &err) == 0)
			continue;
		(void)fprintf(stderr, "bench_daemon: not in time: %s\n", what);
		if (b->daemon)
			(void)kill(b->daemon, SIGKILL);
		exit(1);
	}
}

static void follow(struct bench *b, const char *kubeconfig)
{
	static struct kube_conf conf;
	struct err err = ERR_INIT(&b->a);
	struct kube_flags flags = { .kubeconfig = str_of(kubeconfig) };
	struct kube_opts o = { .conf = &conf, .agent = "bench" };
	struct kube_cache_opts c = { .path = "/api/v1/nodes",
				     .what = "nodes",
				     .make = kube_tree_make,
				     .drop = kube_tree_drop,
				     .ctx = b };

	b->loop = o.loop = loop_new(&err);
	if (!b->loop || kube_config_load(&b->a, &flags, false, &conf, &err) < 0 ||
	    kube_new(&o, &b->kube, &err) < 0)
		exit(2);
	c.kube = b->kube;
	b->nodes = kube_cache_start(&c);
	c.path = EVENTS;
	c.what = "events";
	c.make = make_event;
	c.drop = NULL;
	(void)kube_cache_start(&c);
	until(b, nodes_known, "nodes");
}

static void rest(struct bench *b)
{
	struct err err = ERR_INIT(&b->a);
	double end = seconds() + 1;

	while (seconds() < end)
		(void)loop_turn(b->loop, 50, &err);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	double at, start, notice, idle;
	int fd;

	if (argc < 5)
		return 2;
	b.node = argv[2];
	follow(&b, argv[1]);
	rest(&b);
	at = seconds();
	b.daemon = fork();
	if (b.daemon == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		(void)execv(argv[4], argv + 4);
		_exit(127);
	}
	until(&b, event_told, "the daemon watches its files");
	start = seconds() - at;
	rest(&b);
	idle = status_mib(b.daemon, "VmRSS:");
	at = seconds();
	fd = open(argv[3], O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, "drift", 5) != 5 || close(fd) < 0)
		return 1;
	until(&b, degraded, "drift");
	notice = seconds() - at;
	(void)printf("%.1f %.1f %.1f %.1f\n", start * 1000, idle, notice * 1000,
		     status_mib(b.daemon, "VmHWM:"));
	(void)kill(b.daemon, SIGTERM);
	(void)waitpid(b.daemon, NULL, 0);
	return 0;
}
