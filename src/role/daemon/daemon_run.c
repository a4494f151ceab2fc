/*
 * daemon_run: sets the daemon up: API clients, the metrics server, signals; then runs its loop.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "daemon_own.h"
#include "io/http_server.h"
#include "io/log.h"
#include "io/metrics_text.h"
#include "kube/config.h"
#include "node/keep_logs.h"

#define KUBELET "/var/lib/kubelet/kubeconfig"

struct start {
	struct daemon d;
	struct kube_conf conf, writer_conf;
	struct http_server *http;
};

/* Reaches the API as the kubelet does: there may be no service network yet. */
static int as_kubelet_does(struct arena *a, struct start *s, const struct daemon_opts *o,
			   struct err *err)
{
	struct url url = { 0 };
	int rc;

	if (o->kubeconfig.n || getenv("KUBECONFIG"))
		return 0;
	rc = daemon_kubelet_server(a, &s->d.node->tree, &url, err);
	if (rc < 0)
		return rc;
	(void)setenv("KUBERNETES_SERVICE_HOST", str_z(a, url.host), 1);
	(void)setenv("KUBERNETES_SERVICE_PORT", str_fmt(a, "%u", (unsigned)url.port).p, 1);
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

/* Probes are served under load, too: without an answer the pod is restarted. */
static bool vital(const struct http_head *head, void *ctx)
{
	(void)ctx;
	return str_starts(head->target, S("/health"));
}

static int serve(struct start *s, struct str address, struct err *err)
{
	const struct http_server_opts opts = { .handle = handle, .vital = vital, .ctx = s };
	struct sock_place at;
	int fd, rc = sock_place_parse(address.n ? address : S(":8797"), &at, err);

	if (rc < 0)
		return err_wrap(err, "--metrics-url");
	rc = sock_listen(at.host, at.port, &fd, err);
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
	daemon_happens(&s->d, EVENT_TERM, NULL);
}

/*
 * Nodes are written with the kubelet's credentials, as upstream does it: the pod's account may
 * only read them.
 */
static int make_clients(struct arena *a, struct start *s, const struct daemon_opts *o,
			struct err *err)
{
	struct kube_flags pod = { .kubeconfig = o->kubeconfig };
	struct kube_flags kubelet = { .kubeconfig = str_of(
					      tree_host_path(a, &s->d.node->tree, KUBELET)) };
	struct kube_opts opts = { .loop = s->d.loop,
				  .conf = &s->conf,
				  .agent = "machine-config-daemon",
				  .failed = daemon_unanswered,
				  .ctx = &s->d };
	int rc = kube_config_load(a, &pod, true, &s->conf, err);

	if (rc == 0)
		rc = kube_new(&opts, &s->d.kube, err);
	if (rc < 0)
		return rc;
	s->d.writer = s->d.kube;
	if (!tree_exists(&s->d.node->tree, KUBELET))
		return 0;
	rc = kube_config_load(a, &kubelet, false, &s->writer_conf, err);
	opts.conf = &s->writer_conf;
	return rc < 0 ? rc : kube_new(&opts, &s->d.writer, err);
}

static int follow_cluster(struct arena *a, struct start *s, const struct daemon_opts *o,
			  struct err *err)
{
	const char *retry = getenv("MCO_RETRY_MS");
	int rc = as_kubelet_does(a, s, o, err);

	if (rc == 0)
		rc = make_clients(a, s, o, err);

	/* the daemon works without metrics, too */
	if (rc == 0 && !o->hosted.n && serve(s, o->metrics, err) < 0)
		log_error("metrics listener exited with error: %.*s", STRF(err->msg));
	if (rc == 0)
		rc = loop_signal(s->d.loop, SIGTERM, on_term, s, err);
	if (rc == 0)
		rc = loop_signal(s->d.loop, SIGINT, on_term, s, err);
	if (rc == 0) {
		if (retry)
			(void)str_to_i64(str_of(retry), &s->d.retry_ms);
		s->d.name = o->node_name;
		s->d.release = o->release;
		s->d.hosted = o->hosted;
		s->d.health = (struct daemon_health){ .loop = s->d.loop,
						      .url = o->healthz,
						      .retry_ms = s->d.retry_ms };
		s->d.a = a;
		daemon_begin(&s->d);
		rc = loop_run(s->d.loop, err);
		daemon_end(&s->d);
		if (!s->d.hosted.n)
			keep_logs(s->d.node, a);
	}
	if (s->http)
		http_server_free(s->http);
	if (s->d.writer && s->d.writer != s->d.kube)
		kube_free(s->d.writer);
	if (s->d.kube)
		kube_free(s->d.kube);
	return rc;
}

int daemon_run(struct arena *a, struct node *n, const struct daemon_opts *o, struct err *err)
{
	struct start *s = arena_alloc(a, sizeof(*s));
	int rc;

	memset(s, 0, sizeof(*s));
	(void)setenv("RPMOSTREE_CLIENT_ID", NAME_OPERATOR, 1);
	s->d.node = n;
	s->d.loop = loop_new(err);
	rc = s->d.loop ? follow_cluster(a, s, o, err) : -ERR_SYS;
	if (s->d.loop)
		loop_free(s->d.loop);
	return rc;
}
