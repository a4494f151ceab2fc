/*
 * client: requests to the API server, over one HTTP client with keep-alive.
 *
 * Requests wait in a queue while in_flight of them are running, or while an exec plugin runs; a
 * watch takes no slot and goes to the front. done is called exactly once for each request that is
 * not cancelled, never from within kube_start. A write is retried only after 401, or after an error
 * with Retry-After.
 */
#include "kube/client.h"

#include <stdlib.h>

#include "base/goarch.h"
#include "io/log.h"
#include "io/tls.h"
#include "kube/auth.h"

#define IN_FLIGHT 32
#define TRIES_MAX 10
#define ANSWER_MAX ((size_t)16 << 20)
/* The server ends watches after ten minutes at most: a longer one is dead. */
#define WATCH_MS 660000
#define RETRY_AFTER_MAX 300 /* seconds; longer values are cut */

struct kube {
	struct kube_opts o;
	struct tls_client *tls;
	struct http_client *http;
	struct kube_auth *auth;
	struct kube_call *first, **last; /* waiting for a slot */
	size_t running;
	bool blocked; /* an exec plugin is running */
	struct arena a;
	struct str agent;
};

struct loop *kube_loop(const struct kube *k)
{
	return k->o.loop;
}

const struct kube_conf *kube_conf(const struct kube *k)
{
	return k->o.conf;
}

/* ---- answers ------------------------------------------------------------- */

static int code_of(int status)
{
	if (status == 404)
		return ERR_NOTFOUND;
	if (status == 409)
		return ERR_CONFLICT;
	if (status == 410)
		return ERR_GONE;
	return status == 429 || status >= 500 ? ERR_AGAIN : ERR_INVALID;
}

static int64_t patience(int64_t seconds)
{
	return 1000 * (seconds < 0 ? 0 : seconds > RETRY_AFTER_MAX ? RETRY_AFTER_MAX : seconds);
}

/* One line of a response that is no Status shows which server sent it. */
static struct str first_line(struct str body)
{
	size_t n = 0;

	body = str_sub(str_trim(body), 0, 200);
	while (n < body.n && (unsigned char)body.p[n] >= ' ')
		n++;
	return str_sub(body, 0, n);
}

int kube_status(struct arena *a, int http, struct str body, struct kube_answer *out)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	(void)json_parse(a, body, NULL, &j, &err);
	if (http == 0)
		http = (int)json_i64(j, "code", 500);
	out->status = http;
	out->reason = json_str(j, "reason");
	out->message = json_str(j, "message");
	out->retry_after_ms = patience(json_i64(j, "details.retryAfterSeconds", 0));
	if (!out->message.n)
		out->message = str_fmt(a, "the server responded with %d %s%s%.*s", http,
				       http_status_text(http), first_line(body).n ? ": " : "",
				       STRF(first_line(body)));
	out->rc = -code_of(http);
	return out->rc;
}

/* ---- sending ------------------------------------------------------------- */

static void launch(struct kube_call *c);

/* Watches take no slot. */
static bool may_go(const struct kube *k, const struct kube_call *c)
{
	return !k->blocked && (c->watch || k->running < k->o.in_flight);
}

static void put_first(struct kube_call *c)
{
	struct kube *k = c->kube;

	c->next = k->first;
	k->first = c;
	if (!c->next)
		k->last = &c->next;
}

static void next_waiting(struct kube *k)
{
	while (k->first && may_go(k, k->first)) {
		struct kube_call *c = k->first;

		k->first = c->next;
		if (!k->first)
			k->last = &k->first;
		launch(c);
	}
}

static void leave(struct kube_call *c)
{
	if (c->running && !c->watch)
		c->kube->running--;
	c->running = false;
	loop_remove(c->kube->o.loop, &c->wait);
}

static void finish(struct kube_call *c, const struct kube_answer *ans)
{
	struct kube *k = c->kube;
	struct arena a = c->a;

	leave(c);
	c->a = ARENA_INIT;
	c->done(c, ans);
	arena_free(&a);
	next_waiting(k);
}

static void fail(struct kube_call *c, int rc, struct str message)
{
	struct kube_answer ans = { .rc = rc, .message = message };
	const struct kube_opts *o = &c->kube->o;

	if (o->failed)
		o->failed(o->ctx, message, c->http.result.untrusted);
	finish(c, &ans);
}

static void failed(struct source *s, short events)
{
	struct kube_call *c = s->ctx;

	(void)events;
	fail(c, c->failed, buf_str(&c->fault));
}

/* Fails from the loop, because done is never called from within kube_start. */
static void fail_later(struct kube_call *c, int rc, struct str message)
{
	struct loop *l = c->kube->o.loop;

	c->failed = rc;
	c->http.result.untrusted = false;
	buf_init(&c->fault, &c->a);
	buf_add(&c->fault, message);
	c->wait = (struct source){ .fd = -1, .due = loop_now(l) + 1, .ready = failed, .ctx = c };
	loop_add(l, &c->wait);
}

static void again(struct source *s, short events)
{
	struct kube_call *c = s->ctx;

	(void)events;
	loop_remove(c->kube->o.loop, s);
	put_first(c);
	next_waiting(c->kube);
}

static void retry(struct kube_call *c, int64_t ms)
{
	struct loop *l = c->kube->o.loop;

	c->tries++;
	if (c->running && !c->watch)
		c->kube->running--;
	c->running = false;
	c->wait = (struct source){
		.fd = -1, .due = loop_now(l) + (ms ? ms : 1), .ready = again, .ctx = c
	};
	loop_add(l, &c->wait);
	next_waiting(c->kube);
}

/* Whether the deadline of the request allows a retry after ms. */
static bool in_time(const struct kube_call *c, int64_t ms)
{
	return !c->until || loop_now(c->kube->o.loop) + ms < c->until;
}

static bool reads(const struct kube_call *c)
{
	return strcmp(c->method, "GET") == 0;
}

static void on_head(struct http_call *h, const struct http_head *head)
{
	struct kube_call *c = h->ctx;
	struct str type = http_get(head, S("Content-Type"));

	c->good = head->status >= 200 && head->status < 300;
	c->alien = c->good && type.n && str_find(type, S("json")) < 0;
	buf_init(&c->fault, &c->a);
}

static void on_body(struct http_call *h, struct str part)
{
	struct kube_call *c = h->ctx;

	if (c->good && !c->alien)
		c->on_part(c, part);
	else if (c->fault.n < 65536)
		buf_add(&c->fault, part);
}

static void refused(struct kube_call *c, struct str body)
{
	struct kube_answer ans = { 0 };
	int status = c->http.result.status;
	struct str after = http_get(c->http.result.head, S("Retry-After"));
	int64_t seconds = 0;
	bool later = str_to_i64(after, &seconds);

	(void)kube_status(&c->a, status, body, &ans);
	ans.body = body;
	if (later)
		ans.retry_after_ms = patience(seconds);
	if (status == 401 && !c->renewed && in_time(c, 0)) {
		c->renewed = true;
		kube_auth_stale(c->kube->auth);
		retry(c, 0);
		return;
	}
	if ((status == 429 || status >= 500) && later && !c->once && c->tries < TRIES_MAX &&
	    in_time(c, ans.retry_after_ms)) {
		retry(c, ans.retry_after_ms);
		return;
	}
	if (status == 401)
		ans.message = str_fmt(&c->a,
				      "the server has asked for the client to "
				      "provide credentials (%.*s)",
				      STRF(ans.message));
	finish(c, &ans);
}

/* Not the response of an API server; a login page of a proxy, for example. */
static void not_json(struct kube_call *c)
{
	fail(c, -ERR_INVALID,
	     str_fmt(&c->a, "%s %.*s returned %.*s instead of JSON: is it an API server?",
		     c->method, STRF(url_public(&c->a, c->kube->o.conf->server)),
		     STRF(http_get(c->http.result.head, S("Content-Type")))));
}

static void on_done(struct http_call *h, int rc, struct err *err)
{
	struct kube_call *c = h->ctx;
	struct kube_answer ans = { .status = h->result.status };

	if (rc < 0) {
		/* A read that delivered nothing to the caller is safe to retry, once. */
		if (reads(c) && !c->watch && !c->good && !c->once && c->tries == 0 &&
		    rc != -ERR_INVALID && in_time(c, 1000)) {
			retry(c, 1000);
			return;
		}
		/* NOTFOUND, CONFLICT and GONE mean HTTP statuses, never connection
		 * errors */
		fail(c, rc == -ERR_INVALID || rc == -ERR_LIMIT ? rc : -ERR_AGAIN,
		     str_dup(&c->a, err->msg));
		return;
	}
	if (c->alien) {
		not_json(c);
		return;
	}
	ans.body = c->on_part ? buf_str(&c->fault) : h->result.body;
	if (h->result.status >= 200 && h->result.status < 300)
		finish(c, &ans);
	else
		refused(c, ans.body);
}

static int fields_of(struct kube_call *c, struct str *out, struct err *err)
{
	struct buf b;
	int rc;

	buf_init(&b, &c->a);
	http_add_field(&b, S("Accept"), S("application/json, */*"));
	http_add_field(&b, S("User-Agent"), c->kube->agent);
	if (c->body.n)
		http_add_field(&b, S("Content-Type"),
			       str_of(c->type ? c->type : "application/json"));
	rc = kube_auth_add(c->kube->auth, &b, err);
	*out = buf_str(&b);
	return rc;
}

/* The limit of the whole exchange; 0: none. A request past its deadline gets 1 ms. */
static int total_ms(const struct kube_call *c)
{
	int64_t left = c->until - loop_now(c->kube->o.loop);

	if (c->watch)
		return WATCH_MS;
	return !c->until ? 0 : left > 1 ? (int)left : 1;
}

static void launch(struct kube_call *c)
{
	struct kube *k = c->kube;
	struct err err = ERR_INIT(&c->a);
	struct str fields;
	int rc = fields_of(c, &fields, &err);

	if (rc == -ERR_AGAIN) {
		/* Back to the queue until the plugin has ended. */
		put_first(c);
		k->blocked = true;
		return;
	}
	if (rc < 0) {
		fail_later(c, rc, err.msg);
		return;
	}
	if (!c->watch)
		k->running++;
	c->running = true;
	c->good = c->alien = false;
	c->http = (struct http_call){
		.method = str_of(c->method),
		.url = str_fmt(&c->a, "%.*s%.*s", STRF(k->o.conf->server), STRF(c->path)),
		.fields = fields,
		.body = c->body,
		.idle_ms = c->watch ? -1 : 0,
		.head_ms = c->watch ? 90000 : 60000,
		.total_ms = total_ms(c),
		.body_max = c->body_max ? c->body_max : ANSWER_MAX,
		.on_head = on_head,
		.on_body = c->on_part ? on_body : NULL,
		.done = on_done,
		.ctx = c,
	};
	http_call_start(k->http, &c->http);
}

void kube_start(struct kube *k, struct kube_call *c)
{
	c->kube = k;
	c->tries = 0;
	c->renewed = c->running = false;
	c->until = k->o.timeout_ms ? loop_now(k->o.loop) + k->o.timeout_ms : 0;
	c->next = NULL;
	c->a = ARENA_INIT;
	c->wait = (struct source){ .fd = -1 };
	if (c->watch) {
		put_first(c);
	} else {
		*k->last = c;
		k->last = &c->next;
	}
	next_waiting(k);
}

void kube_cancel(struct kube_call *c)
{
	struct kube *k = c->kube;

	for (struct kube_call **at = &k->first; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	k->last = &k->first;
	while (*k->last)
		k->last = &(*k->last)->next;
	if (c->running)
		http_call_cancel(&c->http);
	leave(c);
	arena_free(&c->a);
	next_waiting(k);
}

/* ---- life ---------------------------------------------------------------- */

static void renewed(void *ctx)
{
	struct kube *k = ctx;

	http_client_renew(k->http);
}

static void auth_ready(void *ctx)
{
	struct kube *k = ctx;

	k->blocked = false;
	next_waiting(k);
}

static void warn_insecure(const struct kube_conf *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (c->insecure && str_starts(c->server, S("https://")))
		log_warn("INSECURE: the certificate of %.*s is not checked "
			 "(insecure-skip-tls-verify)",
			 STRF(url_public(&a, c->server)));
}

int kube_new(const struct kube_opts *o, struct kube **out, struct err *err)
{
	struct kube *k = calloc(1, sizeof(*k));
	/* no limit per host: this file limits requests, and watches must not keep
	 * requests from a connection */
	struct http_client_opts h = { .keep_ms = 90000, .per_host = SIZE_MAX };
	int rc;

	if (!k)
		abort();
	k->o = *o;
	if (!k->o.in_flight)
		k->o.in_flight = IN_FLIGHT;
	k->last = &k->first;
	k->agent = str_fmt(&k->a, "%s/v0.0.0 (linux/" GOARCH ") kubernetes/$Format", o->agent);
	k->tls = tls_client_new(NULL);
	tls_client_set_insecure(k->tls, o->conf->insecure);
	tls_client_set_name(k->tls, o->conf->tls_server_name);
	if (!o->tool)
		warn_insecure(o->conf);
	h.tls = k->tls;
	h.proxy = http_client_proxy_env();
	if (o->conf->proxy_url.n)
		h.proxy = (struct proxy_conf){ .http = o->conf->proxy_url,
					       .https = o->conf->proxy_url,
					       .always = true };
	rc = kube_auth_new(o->loop, o->conf, k->tls, renewed, k, &k->auth, err);
	if (rc < 0) {
		tls_client_free(k->tls);
		arena_free(&k->a);
		free(k);
		return rc;
	}
	kube_auth_on_ready(k->auth, auth_ready);
	k->http = http_client_new(o->loop, &h);
	*out = k;
	return 0;
}

void kube_free(struct kube *k)
{
	http_client_free(k->http);
	kube_auth_free(k->auth);
	tls_client_free(k->tls);
	arena_free(&k->a);
	free(k);
}

/* ---- for tools ----------------------------------------------------------- */

void kube_escape(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char ch = (unsigned char)s.p[i];

		if ((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') ||
		    (ch >= 'a' && ch <= 'z') || (ch && strchr("-_.~", ch)))
			buf_addc(b, (char)ch);
		else
			buf_addf(b, "%%%02X", ch);
	}
}

struct waiting {
	struct arena *a;
	struct str *out;
	struct err *err;
	int rc;
	bool over;
};

static void got(struct kube_call *c, const struct kube_answer *ans)
{
	struct waiting *w = c->ctx;

	w->over = true;
	w->rc = ans->rc;
	if (ans->rc < 0)
		w->rc = err_set(w->err, err_code(ans->rc), "%.*s", STRF(ans->message));
	else
		*w->out = str_dup(w->a, ans->body);
}

int kube_get(struct kube *k, struct arena *a, struct str path, struct str *out, struct err *err)
{
	struct waiting w = { .a = a, .out = out, .err = err };
	struct kube_call c = {
		.method = "GET", .path = path, .body_max = (size_t)64 << 20, .done = got, .ctx = &w
	};
	int rc = 0;

	kube_start(k, &c);
	while (!w.over && rc == 0)
		rc = loop_turn(k->o.loop, -1, err);
	if (!w.over)
		kube_cancel(&c);
	return rc < 0 ? rc : w.rc;
}
