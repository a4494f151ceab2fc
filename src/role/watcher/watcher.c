/*
 * apiserver-watcher: health checks in a loop, and the files that the routing scripts read.
 *
 * .down wins where both files exist: going down writes it before .up is removed, coming up removes it
 * before .up is written. The check goes to localhost, never through the load balancer or a proxy, and
 * its certificate is not verified.
 */
#include "role/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"
#include "io/clock.h"
#include "io/http_client.h"
#include "io/log.h"
#include "io/sock.h"
#include "io/tls.h"
#include "node/tree.h"
#include "plan/api_health.h"

#define INTERVAL_MS 2000
#define TIMEOUT_MS 3000

struct watcher {
	struct arena *a;
	struct str dir; /* of the files */
	struct strs vips;
	struct loop *loop;
	struct http_client *http;
	struct http_call call;
	struct str url; /* of the check */
	struct source timer;
	struct api_health health;
	int64_t interval_ms, asked;
	bool asking;
	int rc;
	struct err *err;
};

/* ---- files --------------------------------------------------------------- */

static const char *state_file(struct arena *a, const struct watcher *w, size_t i, const char *state)
{
	return str_fmt(a, "%.*s/%.*s.%s", STRF(w->dir), STRF(w->vips.v[i]), state).p;
}

static int write_state(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0) {
		(void)tree_err(err, "open", path);
		return err_wrap(err, "failed to create file (%s)", path);
	}
	(void)close(fd);
	return 0;
}

static int remove_state(const char *path, struct err *err)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return 0;
	(void)tree_err(err, "remove", path);
	return err_wrap(err, "failed to remove file (%s)", path);
}

static int set_state(struct watcher *w, bool up)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	int rc = 0;

	for (size_t i = 0; i < w->vips.n && rc == 0; i++) {
		const char *is_up = state_file(&a, w, i, "up");
		const char *is_down = state_file(&a, w, i, "down");

		if (up) {
			rc = remove_state(is_down, w->err);
			if (rc == 0)
				rc = write_state(is_up, w->err);
		} else {
			rc = write_state(is_down, w->err);
			if (rc == 0)
				rc = remove_state(is_up, w->err);
		}
		if (rc == 0)
			log_info("healthcheck %s downfile %.*s.down",
				 up ? "succeeded, removed" : "failed, created", STRF(w->vips.v[i]));
	}
	return rc;
}

/* ---- checks -------------------------------------------------------------- */

static void checked(struct http_call *c, int rc, struct err *err)
{
	struct watcher *w = c->ctx;
	bool ok = rc == 0 && c->result.status == 200;

	w->asking = false;
	if (rc < 0)
		log_v(2, "healthcheck: %.*s", STRF(err->msg));
	else if (!ok)
		log_v(2, "healthcheck: status %d", c->result.status);
	if (api_health_note(&w->health, ok) && set_state(w, ok) < 0) {
		w->rc = err_wrap(w->err, "error running health checker");
		loop_stop(w->loop);
		return;
	}
	w->timer.due = w->asked + w->interval_ms;
	loop_update(w->loop, &w->timer);
}

static void check(struct source *s, short events)
{
	struct watcher *w = s->ctx;

	(void)events;
	w->call = (struct http_call){
		.method = S("GET"), .url = w->url, .total_ms = TIMEOUT_MS, .done = checked, .ctx = w
	};
	w->asking = true;
	w->asked = loop_now(w->loop);
	http_call_start(w->http, &w->call);
}

static void interrupted(void *ctx, int signo)
{
	struct watcher *w = ctx;

	(void)signo;
	log_info("Signal interrupt received: treating service as down");
	if (set_state(w, false) < 0)
		log_info("Failed to mark service down on signal: %.*s", STRF(w->err->msg));
	loop_stop(w->loop);
}

/* ---- start --------------------------------------------------------------- */

static int look_up(struct watcher *w, struct str host)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
	int rc = getaddrinfo(str_z(w->a, host), NULL, &hints, &list);

	if (rc != 0)
		return err_set(w->err, ERR_AGAIN, "failed to lookup host %.*s: lookup %.*s: %s",
			       STRF(host), STRF(host),
			       rc == EAI_NONAME ? "no such host" : gai_strerror(rc));
	for (const struct addrinfo *i = list; i; i = i->ai_next) {
		char text[NI_MAXHOST];

		if (getnameinfo(i->ai_addr, i->ai_addrlen, text, sizeof(text), NULL, 0,
				NI_NUMERICHOST) == 0) {
			VEC_PUSH(w->a, &w->vips, str_dup(w->a, str_of(text)));
			log_info("Using VIP %s", text);
		}
	}
	freeaddrinfo(list);
	return 0;
}

static int prepare(struct watcher *w, const struct watcher_opts *o)
{
	const char *interval = getenv("MCO_HEALTH_MS");
	struct url u;
	int rc;

	w->interval_ms = INTERVAL_MS;
	if (interval)
		(void)str_to_i64(str_of(interval), &w->interval_ms);
	if (str_find(o->url, S("://")) <= 0)
		return err_set(w->err, ERR_INVALID, "invalid URI \"%.*s\" (no scheme)",
			       STRF(o->url));
	rc = url_parse(o->url, &u, w->err);
	if (rc < 0)
		return err_wrap(w->err, "failed to parse health-check-url");
	w->dir = str_fmt(w->a, "%.*s/run/cloud-routes", STRF(o->root));
	w->url = str_fmt(w->a, "http%s://localhost:%u%.*s", u.https ? "s" : "", u.port,
			 STRF(u.path));
	return look_up(w, u.host);
}

static int watch(struct watcher *w)
{
	struct http_client_opts opts = { .tls = tls_client_new(NULL), .per_host = 1 };
	int rc;

	tls_client_set_insecure(opts.tls, true);
	w->http = http_client_new(w->loop, &opts);
	w->timer = (struct source){ .fd = -1, .due = clock_ms(), .ready = check, .ctx = w };
	loop_add(w->loop, &w->timer);
	rc = loop_signal(w->loop, SIGINT, interrupted, w, w->err);
	if (rc == 0)
		rc = loop_run(w->loop, w->err);
	if (w->asking)
		http_call_cancel(&w->call);
	loop_remove(w->loop, &w->timer);
	http_client_free(w->http);
	tls_client_free(opts.tls);
	return rc < 0 ? rc : w->rc;
}

int watcher_run(struct arena *a, const struct watcher_opts *o, struct err *err)
{
	struct watcher w = { .a = a, .err = err };
	int rc = prepare(&w, o);

	if (rc < 0)
		return rc;
	w.loop = loop_new(err);
	if (!w.loop)
		return err_wrap(err, "failed to start health checker");
	rc = watch(&w);
	loop_free(w.loop);
	return rc;
}
