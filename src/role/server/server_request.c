/*
 * Handles requests for configs and for metrics, counts them and writes the audit log. The audit
 * log has no headers and no queries, because they may contain secrets.
 */
#include "base/codec.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/metrics_text.h"
#include "io/repeat.h"
#include "server_run.h"

/* One request, for the log and the audit. */
struct visit {
	struct serve_answer route;
	int64_t began;
};

/* ---- requests ------------------------------------------------------------ */

static void release_answer(void *owner)
{
	answer_unref(owner);
}

static void log_request(struct http_exchange *x, struct str pool, struct str accept)
{
	struct str agent = http_get(x->head, S("User-Agent"));
	char peer[SOCK_TEXT];
	struct buf b;

	sock_text(x->peer, peer);
	buf_init(&b, x->a);
	buf_addz(&b, "Pool ");
	go_quote(&b, pool);
	buf_addf(&b, " requested by address:\"%s\" User-Agent:", peer);
	go_quote(&b, agent);
	buf_addz(&b, " Accept-Header: ");
	go_quote(&b, accept);
	log_info("%s", b.p);
}

static void reply(struct http_exchange *x, int status, const char *name, struct str value)
{
	struct buf fields;

	buf_init(&fields, x->a);
	if (name)
		http_add_field(&fields, str_of(name), value);
	http_reply(x, status, buf_str(&fields), S(""), NULL, NULL);
}

static void reply_config(struct server *s, struct http_exchange *x,
			 const struct serve_answer *route)
{
	bool made;
	struct answer *a = answers_get(s->answers, route->pool, route->version, &made);

	if (made)
		atomic_fetch_add(&s->shared->made, 1);
	if (a->why.n)
		log_again(LOG_ERROR, route->pool, "%.*s", STRF(a->why));
	else
		(void)log_over(route->pool);
	http_reply(x, a->status, a->status == 200 ? S("Content-Type: application/json\r\n") : S(""),
		   a->body, release_answer, a);
}

static void reply_route(struct http_exchange *x, const struct serve_answer *route)
{
	/* as Go: no Content-Length for a page that HEAD does not get */
	struct str body = route->type.n ? route->body : S("");
	struct buf fields;

	buf_init(&fields, x->a);
	if (route->type.n)
		http_add_field(&fields, S("Content-Type"), route->type);
	if (route->location.n)
		http_add_field(&fields, S("Location"), route->location);
	http_reply(x, route->status, buf_str(&fields), body, NULL, NULL);
}

/* True when the request was refused. */
static bool refused(struct server *s, struct http_exchange *x)
{
	int64_t seconds;

	if (!gate_paces(s->gate, x->peer, &seconds)) {
		reply(x, 429, "Retry-After", str_fmt(x->a, "%lld", (long long)seconds));
		return true;
	}
	if (!gate_knows(s->gate, http_get(x->head, S("Authorization")))) {
		reply(x, 401, "WWW-Authenticate", S("Bearer"));
		return true;
	}
	return false;
}

void server_handle(struct http_exchange *x, void *ctx)
{
	struct server *s = ctx;
	struct visit *v = ARENA_NEW(x->a, struct visit);
	struct serve_request req = { x->head->method, x->head->target,
				     http_get(x->head, S("Accept")) };
	struct serve_answer *route = &v->route;

	x->state = v;
	v->began = clock_ms();
	serve_route(x->a, &req, route);
	if (route->pool.n) {
		log_request(x, route->pool, req.accept);
		if (refused(s, x))
			return;
	}
	if (route->why.n)
		log_error("%.*s: %.*s", STRF(route->why), STRF(req.accept));
	if (!route->status)
		reply_config(s, x, route);
	else
		reply_route(x, route);
}

/* ---- audit and metrics --------------------------------------------------- */

static void audit(struct server *s, const struct http_exchange *x, int status, uint64_t sent)
{
	const struct visit *v = x->state;
	struct str target = x->head->target, path, query;
	struct json *o = json_new(x->a, JSON_OBJECT);
	struct err err = ERR_INIT(x->a);
	char peer[SOCK_TEXT];
	struct buf b;

	buf_init(&b, x->a);
	rfc3339_add_micro(&b, clock_wall());
	json_add_str(x->a, o, "time", str_dup(x->a, buf_str(&b)));
	sock_text(x->peer, peer);
	json_add_str(x->a, o, "address", str_of(peer));
	json_add(o, S("tls"), json_new_bool(x->a, x->tls));
	json_add_str(x->a, o, "method", x->head->method);
	if (!str_cut(target, '?', &path, &query))
		path = target;
	json_add_str(x->a, o, "path", path);
	if (v->route.pool.n && !v->route.status)
		json_add_str(x->a, o, "version",
			     str_fmt(x->a, "%lld.%lld.0", (long long)v->route.version.major,
				     (long long)v->route.version.minor));
	json_add(o, S("status"), json_new_i64(x->a, status));
	json_add(o, S("bytes"), json_new_i64(x->a, (int64_t)sent));
	json_add(o, S("ms"), json_new_i64(x->a, clock_ms() - v->began));
	b.n = 0;
	json_encode(&b, o, 0);
	buf_addc(&b, '\n');
	if (file_write_fd(s->audit, buf_str(&b), "audit log", &err) < 0)
		log_again(LOG_ERROR, S("audit"), "%.*s", STRF(err.msg));
}

void server_over(const struct http_exchange *x, int status, uint64_t sent, void *ctx)
{
	struct server *s = ctx;

	if (status > 0 && status < 600)
		atomic_fetch_add(&s->shared->statuses[status], 1);
	atomic_fetch_add(&s->shared->bytes, sent);
	if (s->audit >= 0 && x->state)
		audit(s, x, status, sent);
}

static void add_counter(struct buf *b, const char *name, const char *help,
			const _Atomic uint64_t *v)
{
	metrics_head(b, name, "counter", help);
	metrics_series(b, name, NULL, 0);
	metrics_int(b, (int64_t)atomic_load(v));
}

static void add_requests(struct buf *b, struct arena *a, struct shared *h)
{
	const char *name = "mco_server_requests_total";

	metrics_head(b, name, "counter", "Requests by status code.");
	for (int i = 0; i < 600; i++) {
		uint64_t n = atomic_load(&h->statuses[i]);
		struct metrics_label code = { S("code"), str_fmt(a, "%d", i) };

		if (!n)
			continue;
		metrics_series(b, name, &code, 1);
		metrics_int(b, (int64_t)n);
	}
}

void server_handle_metrics(struct http_exchange *x, void *ctx)
{
	struct server *s = ctx;
	struct shared *h = s->shared;
	struct buf b;

	if (!str_is(x->head->target, "/metrics")) {
		reply(x, 404, NULL, S(""));
		return;
	}
	if (!str_is(x->head->method, "GET") && !str_is(x->head->method, "HEAD")) {
		reply(x, 405, NULL, S(""));
		return;
	}
	buf_init(&b, x->a);
	add_requests(&b, x->a, h);
	add_counter(&b, "mco_server_sent_bytes_total", "Bytes of bodies sent.", &h->bytes);
	add_counter(&b, "mco_server_configs_made_total",
		    "Configs that were rendered, not served from the cache.", &h->made);
	add_counter(&b, "mco_server_worker_restarts_total", "Workers that died and were replaced.",
		    &h->restarts);
	add_counter(&b, "mco_server_connections_evicted_total",
		    "Slow connections closed to free a slot.", &h->lost[HTTP_LOST_EVICTED]);
	add_counter(&b, "mco_server_connections_refused_total",
		    "Connections refused because no slot was free.", &h->lost[HTTP_LOST_REFUSED]);
	add_counter(&b, "mco_server_connections_denied_total",
		    "Connections refused by --allow-cidr.", &h->denied);
	http_reply(x, 200, S("Content-Type: " METRICS_TEXT_TYPE "\r\n"), buf_str(&b), NULL, NULL);
}
