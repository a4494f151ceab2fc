/*
 * One process that serves: HTTP in a loop, on sockets that its parent opened or, in a cluster,
 * that it opens itself when the origin is ready.
 */
#include <signal.h>

#include "io/log.h"
#include "io/tls.h"
#include "server_run.h"

#define BODY_MAX 65536 /* of a request; bodies are ignored */
#define LOOK_MS 1000 /* between checks of certificate and tokens */
#define WARN_MS 60000 /* between log lines about lost connections */
#define READY_MS 20 /* between checks whether the origin is ready */

static int launch(struct server *s);

/* Reloads certificate and tokens without requests, too: a later version may be broken. */
static void on_timer(struct source *src, short events)
{
	struct server *s = src->ctx;

	(void)events;
	if (!s->launched && !s->origin->ready(s->origin)) {
		src->due = loop_now(s->loop) + READY_MS;
		return;
	}
	if (!s->launched)
		s->launch_rc = launch(s);
	if (s->launch_rc < 0) {
		loop_stop(s->loop);
		return;
	}
	pair_refresh(s->pair, loop_now(s->loop));
	gate_refresh(s->gate);
	src->due = loop_now(s->loop) + LOOK_MS;
}

/* Called at accept: the handshake then uses the newest certificate. */
static bool admit(const struct sock_addr *peer, void *ctx)
{
	struct server *s = ctx;

	if (!gate_admits(s->gate, peer)) {
		atomic_fetch_add(&s->shared->denied, 1);
		return false;
	}
	pair_refresh(s->pair, loop_now(s->loop));
	return true;
}

static size_t body_max(const struct http_head *head, void *ctx)
{
	(void)head;
	(void)ctx;
	return BODY_MAX;
}

/* Probes of load balancers and the kubelet are answered under any load. */
static bool vital(const struct http_head *head, void *ctx)
{
	(void)ctx;
	return str_is(head->target, "/healthz");
}

static void lost(const struct sock_addr *peer, enum http_lost why, void *ctx)
{
	struct server *s = ctx;
	int64_t now = loop_now(s->loop);
	char text[SOCK_TEXT];

	atomic_fetch_add(&s->shared->lost[why], 1);
	if (s->warned && now - s->warned < WARN_MS)
		return;
	s->warned = now;
	sock_text(peer, text);
	log_warn("no free connection slot: %s %s; further ones are only counted for a "
		 "minute",
		 why == HTTP_LOST_EVICTED ? "evicted the slow connection of" : "refused", text);
}

/* ---- the loop ------------------------------------------------------------ */

static void stopped(void *ctx)
{
	struct server *s = ctx;

	loop_stop(s->loop);
}

static void on_term(void *ctx, int signo)
{
	struct server *s = ctx;

	(void)signo;
	http_server_stop(s->http, SERVER_GRACE_MS - 1000, stopped, s);
}

/* The share of one worker, at least 1. */
static size_t slots(int64_t all, int64_t workers)
{
	return all > workers ? (size_t)(all / workers) : 1;
}

static struct http_server_opts http_opts(struct server *s)
{
	size_t n = slots(s->o->max_conns, s->o->workers);

	return (struct http_server_opts){ .handle = server_handle,
					  .body_max = body_max,
					  .vital = vital,
					  .admit = admit,
					  .over = server_over,
					  .lost = lost,
					  .ctx = s,
					  .max_conns = n,
					  .per_address = slots(s->o->per_address
								       ? s->o->per_address
								       : (s->o->max_conns + 1) / 2,
							       s->o->workers) };
}

/* Starts to listen; the sockets of a worker are those of its parent. */
static int launch(struct server *s)
{
	int rc = s->origin->start ? server_open_sockets(s, s->err) : 0;

	if (rc < 0)
		return rc;
	http_server_listen(s->http, s->secure, s->tls);
	if (s->insecure >= 0)
		http_server_listen(s->http, s->insecure, NULL);
	if (s->metrics >= 0)
		http_server_listen(s->metrics_http, s->metrics, NULL);
	s->launched = true;
	return 0;
}

static int run_loop(struct server *s, struct err *err)
{
	int rc = s->origin->start ? s->origin->start(s->origin, s->loop, err) : launch(s);

	s->timer = (struct source){
		.fd = -1, .due = loop_now(s->loop) + READY_MS, .ready = on_timer, .ctx = s
	};
	loop_add(s->loop, &s->timer);
	if (rc == 0)
		rc = loop_signal(s->loop, SIGTERM, on_term, s, err);
	if (rc == 0)
		rc = loop_signal(s->loop, SIGINT, on_term, s, err);
	if (rc == 0)
		rc = loop_run(s->loop, err);
	return rc < 0 ? rc : s->launch_rc;
}

int server_serve(struct server *s, struct err *err)
{
	struct http_server_opts opts = http_opts(s);
	struct http_server_opts metrics = { .handle = server_handle_metrics,
					    .ctx = s,
					    .max_conns = 16 };
	int rc;

	s->err = err;
	s->loop = loop_new(err);
	if (!s->loop)
		return -(int)err->code;
	s->answers = answers_new(s->origin);
	s->http = http_server_new(s->loop, &opts);
	s->metrics_http = http_server_new(s->loop, &metrics);
	rc = run_loop(s, err);
	http_server_free(s->http);
	http_server_free(s->metrics_http);
	answers_free(s->answers);
	if (s->origin->stop)
		s->origin->stop(s->origin);
	loop_remove(s->loop, &s->timer);
	loop_free(s->loop);
	return rc;
}
