/*
 * Calls and the connections they may use. A connection's key says where it
 * leads and how; a call takes an idle one with its key, makes a new one, or
 * waits for one when its host has enough.
 */
#include "hconn.h"

#include <stdlib.h>

#define PER_HOST 100
#define KEEP_MS 60000
#define IDLE_MAX 64 /* kept for all hosts together */

static struct str own(struct arena *a, struct str s)
{
	return str_dup(a, s);
}

struct http_client *http_client_new(struct loop *l,
				    const struct http_client_opts *opts)
{
	struct http_client *c = calloc(1, sizeof(*c));
	struct proxy_conf *p;

	if (!c)
		abort();
	c->loop = l;
	c->opts = *opts;
	p = &c->opts.proxy;
	*p = (struct proxy_conf){ own(&c->a, p->http), own(&c->a, p->https),
				  own(&c->a, p->no) };
	if (!c->opts.per_host)
		c->opts.per_host = PER_HOST;
	if (!c->opts.keep_ms)
		c->opts.keep_ms = KEEP_MS;
	return c;
}

void http_client_renew(struct http_client *c)
{
	for (struct hconn *h = c->conns, *next; h; h = next) {
		next = h->next;
		if (h->state == HCONN_IDLE)
			hconn_close(h);
	}
	/* those in use end with their call */
	for (struct hconn *h = c->conns; h; h = h->next)
		h->last = true;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	while (c->conns)
		hconn_close(c->conns);
	arena_free(&c->a);
	free(c);
}

static struct str env_of(const char *upper, const char *lower)
{
	const char *v = getenv(upper);

	if (!v || !*v)
		v = getenv(lower);
	return v ? str_of(v) : S("");
}

struct proxy_conf http_client_proxy_env(void)
{
	return (struct proxy_conf){ env_of("HTTP_PROXY", "http_proxy"),
				    env_of("HTTPS_PROXY", "https_proxy"),
				    env_of("NO_PROXY", "no_proxy") };
}

/* ---- ends ------------------------------------------------------------------------ */

/* The call is over: nothing of it is touched after done. */
void call_over(struct http_call *call, int rc, struct err *err)
{
	struct http_client *c = call->client;
	struct arena a = call->a;
	struct err last = *err;

	last.a = &a;
	loop_remove(c->loop, &call->timer);
	call->conn = NULL;
	call->a = ARENA_INIT;
	call->done(call, rc, &last);
	arena_free(&a);
}

static void fail_now(struct http_call *call, int rc)
{
	struct buf b;

	/* without user, password and query: messages go into logs */
	buf_init(&b, &call->a);
	buf_addf(&b, "%.*s", STRF(call->method));
	if (call->to.host.n) {
		ptrdiff_t q = str_chr(call->to.path, '?');
		struct str path = q < 0 ? call->to.path
					: str_sub(call->to.path, 0, (size_t)q);

		buf_addz(&b, call->to.https ? " https://" : " http://");
		url_add_host(&b, &call->to, false);
		buf_add(&b, path);
	}
	(void)err_wrap(&call->err, "%.*s", STRF(buf_str(&b)));
	call_over(call, rc, &call->err);
}

void call_fail(struct http_call *call, int rc, struct err *err)
{
	call->err.a = &call->a;
	call->err.code = (enum err_code) - rc;
	call->err.msg = str_dup(&call->a, err->msg);
	fail_now(call, rc);
}

static void unqueue(struct http_client *c, struct http_call *call)
{
	struct http_call **at = &c->waiting;

	while (*at && *at != call)
		at = &(*at)->next;
	if (*at)
		*at = call->next;
	call->next = NULL;
}

static void on_timer(struct source *s, short events)
{
	struct http_call *call = s->ctx;
	struct hconn *h = call->conn;

	(void)events;
	if (!call->failed) {
		call->err = ERR_INIT(&call->a);
		call->failed =
			err_set(&call->err, ERR_AGAIN, "took longer than %d ms",
				call->total_ms);
	}
	unqueue(call->client, call);
	if (h) {
		h->call = NULL;
		hconn_close(h);
	}
	fail_now(call, call->failed);
}

void http_call_cancel(struct http_call *call)
{
	struct http_client *c = call->client;
	struct hconn *h = call->conn;

	if (!c)
		return;
	unqueue(c, call);
	loop_remove(c->loop, &call->timer);
	call->conn = NULL;
	arena_free(&call->a);
	if (!h)
		return;
	h->call = NULL;
	if (h->feeding)
		h->last = true; /* closed when the callback has returned */
	else
		hconn_close(h);
}

void http_call_pause(struct http_call *call, bool pause)
{
	if (call->conn)
		hconn_pause(call->conn, pause);
}

/* ---- beginnings ------------------------------------------------------------------ */

static size_t count(const struct http_client *c, struct str key)
{
	size_t n = 0;

	for (const struct hconn *h = c->conns; h; h = h->next)
		n += str_eq(h->key, key);
	return n;
}

static struct hconn *find_idle(const struct http_client *c, struct str key)
{
	for (struct hconn *h = c->conns; h; h = h->next)
		if (h->state == HCONN_IDLE && str_eq(h->key, key))
			return h;
	return NULL;
}

static void place(struct http_client *c, struct http_call *call)
{
	struct hconn *h = call->fresh ? NULL : find_idle(c, call->key);
	struct http_call **at = &c->waiting;

	if (h) {
		hconn_use(h, call);
		return;
	}
	if (count(c, call->key) < c->opts.per_host) {
		hconn_open(c, call);
		return;
	}
	while (*at)
		at = &(*at)->next;
	call->next = NULL;
	*at = call;
}

/* A connection has ended or is free: whoever waits for it may go on. */
void client_next(struct http_client *c)
{
	struct http_call **at = &c->waiting;

	while (*at) {
		struct http_call *call = *at;

		if (!find_idle(c, call->key) &&
		    count(c, call->key) >= c->opts.per_host) {
			at = &call->next;
			continue;
		}
		*at = call->next;
		place(c, call);
	}
}

/* Not more than a few are kept: the one idle longest goes. */
void client_trim(struct http_client *c)
{
	struct hconn *oldest = NULL;
	size_t n = 0;

	for (struct hconn *h = c->conns; h; h = h->next) {
		if (h->state != HCONN_IDLE)
			continue;
		n++;
		if (!oldest || h->src.due < oldest->src.due)
			oldest = h;
	}
	if (n > IDLE_MAX)
		hconn_close(oldest);
}

static int resolve(struct http_client *c, struct http_call *call)
{
	struct url proxy = { 0 };
	struct buf b;
	int rc = url_parse(call->url, &call->to, &call->err);

	if (rc == 0)
		rc = proxy_for(&call->a, &c->opts.proxy, &call->to, &proxy,
			       &call->err);
	if (rc >= 0 && call->to.https && !c->opts.tls)
		rc = err_set(&call->err, ERR_INVALID, "TLS is not set up");
	if (rc >= 0 && (!http_is_token(call->method) ||
			str_find(call->fields, S("\r\n\r\n")) >= 0))
		rc = err_set(&call->err, ERR_INVALID, "malformed request");
	if (rc < 0)
		return rc;
	buf_init(&b, &call->a);
	/* plain requests to any host may share a connection to their proxy */
	if (rc > 0)
		buf_addf(&b, "%.*s@%.*s:%u ", STRF(proxy.user),
			 STRF(proxy.host), proxy.port);
	if (rc == 0 || call->to.https)
		buf_addf(&b, "%d %.*s:%u", call->to.https, STRF(call->to.host),
			 call->to.port);
	call->key = buf_str(&b);
	return 0;
}

void call_again(struct http_call *call)
{
	call->fresh = true;
	call->conn = NULL;
	place(call->client, call);
}

void http_call_start(struct http_client *c, struct http_call *call)
{
	call->client = c;
	call->conn = NULL;
	call->next = NULL;
	call->a = ARENA_INIT;
	call->err = ERR_INIT(&call->a);
	call->to = (struct url){ 0 };
	call->result.status = 0;
	call->result.body = S("");
	call->result.head = NULL;
	call->fresh = false;
	call->timer =
		(struct source){ .fd = -1, .ready = on_timer, .ctx = call };
	call->failed = resolve(c, call);
	if (call->failed)
		call->timer.due = 1;
	else if (call->total_ms)
		call->timer.due = loop_clock() + call->total_ms;
	loop_add(c->loop, &call->timer);
	if (!call->failed)
		place(c, call);
}
