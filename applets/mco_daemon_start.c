/*
 * mco-daemon start: follows the cluster, or applies one config and ends.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon_enter.h"
#include "daemon_loop.h"
#include "io/file.h"
#include "io/http_server.h"
#include "io/log.h"
#include "io/metrics_text.h"
#include "io/version.h"
#include "kube/config.h"
#include "node/ignite.h"

#define CONFIG_MAX ((size_t)64 << 20)
#define KUBELET "/var/lib/kubelet/kubeconfig"

struct opts {
	struct str root, node_name, once_from, kubeconfig, metrics;
	struct str desired_configmap, healthz_endpoint, ciphers, min_version;
	struct str payload;
	bool skip_reboot, healthz, force;
};

#define TEXT(flag, field, what, text)                                                   \
	{                                                                               \
		.name = flag, .kind = FLAG_STR, .offset = offsetof(struct opts, field), \
		.value = what, .help = text                                             \
	}
/* Upstream's, read for its manifests' sake. */
#define IGNORED(flag, field)                                              \
	{                                                                 \
		.name = flag, .kind = FLAG_STR, .hidden = true,           \
		.offset = offsetof(struct opts, field), .value = "STRING" \
	}

static const struct flag flags[] = {
	TEXT("root-mount", root, "DIR", "where the node's root is mounted (default /rootfs)"),
	{ .name = "node-name",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, node_name),
	  .value = "NAME",
	  .help = "the node this is",
	  .env = "NODE_NAME" },
	TEXT("kubeconfig", kubeconfig, "FILE",
	     "cluster and credentials (default: those of the pod)"),
	TEXT("metrics-url", metrics, "HOST:PORT",
	     "where /metrics and /healthz are (default 127.0.0.1:8797)"),
	TEXT("once-from", once_from, "FILE|URL",
	     "apply this Ignition config or MachineConfig, and end"),
	{ .name = "skip-reboot",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, skip_reboot),
	  .help = "with --once-from: do not reboot" },
	{ .name = "force",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, force),
	  .help = "with --root-mount /: even if this machine is no node" },
	TEXT("desired-configmap", desired_configmap, "DIR",
	     "a hosted cluster's node: where its config and hash are"),
	IGNORED("kubelet-healthz-endpoint", healthz_endpoint),
	IGNORED("tls-cipher-suites", ciphers),
	IGNORED("tls-min-version", min_version),
	PAYLOAD_FLAG(struct opts),
	{ .name = "kubelet-healthz-enabled",
	  .kind = FLAG_BOOL,
	  .hidden = true,
	  .offset = offsetof(struct opts, healthz) },
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	o->root = S("/rootfs");
	o->metrics = S("127.0.0.1:8797");
	o->healthz = true;
	o->payload = S(MC_GATES_SNAPSHOT);
	o->healthz_endpoint = S("http://localhost:10248/healthz");
}

/* ---- once ---------------------------------------------------------------- */

static int once_from(struct run *r, struct node *n, struct str path)
{
	const char *file = str_z(r->a, path);
	bool remote = str_starts(path, S("http://")) || str_starts(path, S("https://"));
	struct os_status status;
	struct str text;
	int rc = boot_init(n, r->a, &status, &r->err);

	if (rc < 0)
		return err_wrap(&r->err, "Failed to initialize single run daemon");
	if (remote)
		rc = daemon_fetch(r, path, &text);
	else /* upstream reads it inside the node's root */
		rc = tree_read(r->a, &n->tree, file, CONFIG_MAX, &text, &r->err);
	if (!remote && rc == -ERR_NOTFOUND)
		rc = file_read(r->a, file, CONFIG_MAX, &text, &r->err);
	return rc < 0 ? rc : standalone_once_from(n, r->a, text, remote, &r->err);
}

/* Who has entered a root has been given it. */
static int open_node(struct run *r, const struct opts *o, struct node *n)
{
	int rc = daemon_open(r, o->root, false, n);

	if (rc < 0)
		return rc;
	rc = daemon_guard_root(r, n, o->force || daemon_entered());
	if (rc < 0)
		node_close(n);
	return rc;
}

static int run_once(struct run *r, const struct opts *o)
{
	struct node n;
	int rc = open_node(r, o, &n);

	if (rc < 0)
		return rc;
	n.skip_reboot = o->skip_reboot;
	rc = once_from(r, &n, o->once_from);
	node_close(&n);
	return rc;
}

/* ---- always -------------------------------------------------------------- */

struct start {
	struct daemon d;
	struct kube_conf conf, writer_conf;
	struct http_server *http;
};

/* A pod reaches the API as the kubelet does, before there is a service network. */
static int as_kubelet_does(struct run *r, struct start *s, const struct opts *o)
{
	struct url url = { 0 };
	int rc;

	if (o->kubeconfig.n || getenv("KUBECONFIG"))
		return 0;
	rc = daemon_kubelet_server(r, &s->d.node.tree, &url);
	if (rc < 0)
		return rc;
	(void)setenv("KUBERNETES_SERVICE_HOST", str_z(r->a, url.host), 1);
	(void)setenv("KUBERNETES_SERVICE_PORT", str_fmt(r->a, "%u", (unsigned)url.port).p, 1);
	return 0;
}

static void handle(struct http_exchange *x, void *ctx)
{
	struct start *s = ctx;
	struct buf b, fields;
	bool metrics = str_is(x->head->target, "/metrics");

	buf_init(&b, x->a);
	buf_init(&fields, x->a);
	http_add_field(&fields, S("Content-Type"),
		       metrics ? S(METRICS_TEXT_TYPE) : S("text/plain; charset=utf-8"));
	if (metrics)
		daemon_metrics(&s->d, &b);
	else
		buf_addz(&b, "ok");
	http_reply(x, metrics || str_starts(x->head->target, S("/health")) ? 200 : 404,
		   buf_str(&fields), buf_str(&b), NULL, NULL);
}

/* A probe that goes unanswered has the pod restarted. */
static bool vital(const struct http_head *head, void *ctx)
{
	(void)ctx;
	return str_starts(head->target, S("/health"));
}

static int serve(struct run *r, struct start *s, struct str address)
{
	const struct http_server_opts opts = { .handle = handle, .vital = vital, .ctx = s };
	struct sock_place at;
	int fd, rc = sock_place_parse(address.n ? address : S(":8797"), &at, &r->err);

	if (rc < 0)
		return err_wrap(&r->err, "--metrics-url");
	rc = sock_listen(at.host, at.port, &fd, &r->err);
	if (rc < 0)
		return rc;
	log_info("Metrics on port %u", sock_port(fd));
	s->http = http_server_new(s->d.loop, &opts);
	http_server_listen(s->http, fd, NULL);
	return 0;
}

static void on_term(void *ctx, int signo)
{
	struct start *s = ctx;

	(void)signo;
	if (!daemon_may_stop(&s->d))
		return;
	log_info("Shutting down MachineConfigDaemon");
	loop_stop(s->d.loop);
}

/*
 * Nodes are written with the kubelet's credentials, as upstream does it: those
 * of the pod may only read them.
 */
static int make_clients(struct run *r, struct start *s, const struct opts *o)
{
	struct kube_flags pod = { .kubeconfig = o->kubeconfig };
	struct kube_flags kubelet = { .kubeconfig = str_of(
					      tree_host_path(r->a, &s->d.node.tree, KUBELET)) };
	struct kube_opts opts = { .loop = s->d.loop,
				  .conf = &s->conf,
				  .agent = "machine-config-daemon",
				  .failed = daemon_unanswered,
				  .ctx = &s->d };
	int rc = kube_config_load(r->a, &pod, true, &s->conf, &r->err);

	if (rc == 0)
		rc = kube_new(&opts, &s->d.kube, &r->err);
	if (rc < 0)
		return rc;
	s->d.writer = s->d.kube;
	if (!tree_exists(&s->d.node.tree, KUBELET))
		return 0;
	rc = kube_config_load(r->a, &kubelet, false, &s->writer_conf, &r->err);
	opts.conf = &s->writer_conf;
	return rc < 0 ? rc : kube_new(&opts, &s->d.writer, &r->err);
}

static int follow(struct run *r, struct start *s, const struct opts *o)
{
	const char *retry = getenv("MCO_RETRY_MS");
	int rc = as_kubelet_does(r, s, o);

	if (rc == 0)
		rc = make_clients(r, s, o);

	/* a node without them is a node all the same */
	if (rc == 0 && !o->desired_configmap.n && serve(r, s, o->metrics) < 0)
		log_error("metrics listener exited with error: %.*s", STRF(r->err.msg));
	if (rc == 0)
		rc = loop_signal(s->d.loop, SIGTERM, on_term, s, &r->err);
	if (rc == 0)
		rc = loop_signal(s->d.loop, SIGINT, on_term, s, &r->err);
	if (rc == 0) {
		if (retry)
			(void)str_to_i64(str_of(retry), &s->d.retry_ms);
		s->d.name = o->node_name;
		s->d.release = o->payload;
		s->d.hosted = o->desired_configmap;
		if (o->healthz)
			s->d.healthz = o->healthz_endpoint;
		s->d.a = r->a;
		daemon_begin(&s->d);
		rc = loop_run(s->d.loop, &r->err);
		daemon_end(&s->d);
		if (!s->d.hosted.n)
			keep_logs(&s->d.node, r->a);
	}
	if (s->http)
		http_server_free(s->http);
	if (s->d.writer && s->d.writer != s->d.kube)
		kube_free(s->d.writer);
	if (s->d.kube)
		kube_free(s->d.kube);
	return rc;
}

static int run_always(struct run *r, const struct opts *o)
{
	struct start *s = arena_alloc(r->a, sizeof(*s));
	int rc;

	memset(s, 0, sizeof(*s));
	log_never_wait();
	log_info("Version: %s (%s)", version_raw(), version_hash());
	(void)setenv("RPMOSTREE_CLIENT_ID", NAME_OPERATOR, 1);
	rc = open_node(r, o, &s->d.node);
	if (rc < 0)
		return rc;
	s->d.loop = loop_new(&r->err);
	rc = s->d.loop ? follow(r, s, o) : -ERR_SYS;
	if (s->d.loop)
		loop_free(s->d.loop);
	node_close(&s->d.node);
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	const struct daemon_given given = { .root = o->root,
					    .kubeconfig = o->kubeconfig,
					    .configmap = o->desired_configmap,
					    .once_from = o->once_from };
	int rc;

	if (!o->node_name.n)
		log_fatal("node-name is required");
	rc = daemon_enter(r, &given);
	if (rc == 0)
		rc = o->once_from.n ? run_once(r, o) : run_always(r, o);
	if (rc < 0)
		log_fatal("%.*s", STRF(r->err.msg));
	return rc;
}

const struct command daemon_start = {
	.name = "start",
	.args = "--node-name NAME [--root-mount DIR] [--kubeconfig FILE]\n"
		"--once-from FILE|URL",
	.summary = "keep the node as the cluster wants it",
	.details = "Follows the node's own Node object: drains, applies, reloads "
		   "or reboots, verifies and\nreports, with upstream's "
		   "annotations, events and metrics. What is cut short is undone "
		   "or\ncompleted at the next start. SIGTERM waits for an update "
		   "to end.",
	.examples = "# In the node's pod\n"
		    "@ start --node-name worker-0 --root-mount /rootfs\n"
		    "# Apply one config and end, no cluster needed\n"
		    "@ start --once-from worker.ign --root-mount / --skip-reboot",
	.exits = "0 after SIGTERM or --once-from, 1 an error",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.from_manifest = true,
	.run = run,
};
