/*
 * Calls and their connections. The key of a host identifies destination, proxy and
 * TLS; a call takes an idle connection of its host, opens a new one, or waits when
 * the host has the maximum.
 */
#include "hconn.h"
#include "io/clock.h"

#include <stdlib.h>

#define PER_HOST 100
#define KEEP_MS 60000
#define IDLE_MAX 64 /* kept for all hosts together */

static struct str own(struct arena *a, struct str s)
{
	return str_dup(a, s);
}

struct http_client *http_client_new(struct loop *l, const struct http_client_opts *opts)
{
	struct http_client *c = calloc(1, sizeof(*c));
	struct proxy_conf *p;

	if (!c)
		abort();
	c->loop = l;
	c->opts = *opts;
	p = &c->opts.proxy;
	*p = (struct proxy_conf){ own(&c->a, p->http), own(&c->a, p->https), own(&c->a, p->no),
				  p->always };
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
	/* connections in use end with their call */
	for (struct hconn *h = c->conns; h; h = h->next)
		h->last = true;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	while (c->conns)
		hconn_close(c->conns);
	/* without connections and waiting calls there are no hosts */
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
				    env_of("NO_PROXY", "no_proxy"), false };
}

/* ---- ends ---------------------------------------------------------------- */

/* The call has ended: do not touch it after done. */
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

	/* without user, password and query: error messages are logged */
	buf_init(&b, &call->a);
	buf_addf(&b, "%.*s", STRF(call->method));
	if (call->to.host.n) {
		ptrdiff_t q = str_chr(call->to.path, '?');
		struct str path = q < 0 ? call->to.path : str_sub(call->to.path, 0, (size_t)q);

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
	call->err.code = err_code(rc);
	call->err.msg = str_dup(&call->a, err->msg);
	fail_now(call, rc);
}

/* ---- hosts --------------------------------------------------------------- */

static struct host *host_of(struct http_client *c, struct str key)
{
	struct host *t = c->hosts;

	while (t && !str_eq(t->key, key))
		t = t->next;
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		abort();
	t->key = str_dup(&t->a, key);
	t->next = c->hosts;
	c->hosts = t;
	return t;
}

static void forget_unused(struct http_client *c, struct host *t)
{
	struct host **at = &c->hosts;

	if (t->n || t->first)
		return;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	arena_free(&t->a);
	free(t);
}

static void enqueue(struct host *t, struct http_call *call)
{
	call->waiting = true;
	call->next = NULL;
	call->prev = t->last;
	if (t->last)
		t->last->next = call;
	else
		t->first = call;
	t->last = call;
}

static void unqueue(struct http_call *call)
{
	struct host *t = call->host;

	if (!call->waiting)
		return;
	call->waiting = false;
	if (call->prev)
		call->prev->next = call->next;
	else
		t->first = call->next;
	if (call->next)
		call->next->prev = call->prev;
	else
		t->last = call->prev;
}

bool host_keep(struct hconn *h)
{
	if (h->client->n_idle >= IDLE_MAX)
		return false;
	h->client->n_idle++;
	h->next_idle = h->host->idle;
	h->host->idle = h;
	return true;
}

static void take_idle(struct hconn *h)
{
	struct hconn **at = &h->host->idle;

	while (*at && *at != h)
		at = &(*at)->next_idle;
	if (!*at)
		return;
	*at = h->next_idle;
	h->client->n_idle--;
}

void host_drop(struct hconn *h)
{
	take_idle(h);
	h->host->n--;
}

static void place(struct http_client *c, struct http_call *call)
{
	struct host *t = host_of(c, call->key);
	struct hconn *h = call->fresh ? NULL : t->idle;

	call->host = t;
	if (h) {
		take_idle(h);
		hconn_use(h, call);
	} else if (t->n < c->opts.per_host) {
		hconn_open(c, call);
	} else {
		enqueue(t, call);
	}
}

void host_next(struct http_client *c, struct host *t)
{
	struct http_call *call = t->first;

	if (call && (t->idle || t->n < c->opts.per_host)) {
		unqueue(call);
		place(c, call);
	}
	forget_unused(c, t);
}

/* ---- more ends ----------------------------------------------------------- */

static void on_timer(struct source *s, short events)
{
	struct http_call *call = s->ctx;
	struct hconn *h = call->conn;

	(void)events;
	if (!call->failed) {
		call->err = ERR_INIT(&call->a);
		call->failed =
			err_set(&call->err, ERR_AGAIN, "took longer than %d ms", call->total_ms);
	}
	unqueue(call);
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
	unqueue(call);
	loop_remove(c->loop, &call->timer);
	call->conn = NULL;
	arena_free(&call->a);
	if (!h)
		return;
	h->call = NULL;
	if (h->feeding)
		h->last = true; /* close it when the callback returns */
	else
		hconn_close(h);
}

/* ---- beginnings ---------------------------------------------------------- */

static int resolve(struct http_client *c, struct http_call *call)
{
	struct url proxy = { 0 };
	struct buf b;
	int rc = url_parse(call->url, &call->to, &call->err);

	if (rc == 0)
		rc = proxy_for(&call->a, &c->opts.proxy, &call->to, &proxy, &call->err);
	if (rc >= 0 && call->to.https && !c->opts.tls)
		rc = err_set(&call->err, ERR_INVALID, "TLS is not set up");
	if (rc >= 0 && (!http_is_token(call->method) || str_find(call->fields, S("\r\n\r\n")) >= 0))
		rc = err_set(&call->err, ERR_INVALID, "malformed request");
	if (rc < 0)
		return rc;
	buf_init(&b, &call->a);
	/* plain requests to all hosts share connections to their proxy */
	if (rc > 0)
		buf_addf(&b, "%.*s@%.*s:%u ", STRF(proxy.user), STRF(proxy.host), proxy.port);
	if (rc == 0 || call->to.https)
		buf_addf(&b, "%d %.*s:%u", call->to.https, STRF(call->to.host), call->to.port);
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
	call->host = NULL;
	call->waiting = false;
	call->a = ARENA_INIT;
	call->err = ERR_INIT(&call->a);
	call->to = (struct url){ 0 };
	call->result.status = 0;
	call->result.body = S("");
	call->result.head = NULL;
	call->fresh = false;
	call->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = call };
	call->failed = resolve(c, call);
	if (call->failed)
		call->timer.due = 1;
	else if (call->total_ms)
		call->timer.due = clock_ms() + call->total_ms;
	loop_add(c->loop, &call->timer);
	if (!call->failed)
		place(c, call);
}
