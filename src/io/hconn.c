/*
 * One connection of a client, from dialling to its last answer. Every state has a deadline.
 * A request is retried on a new connection only when it is safe to repeat and the server had
 * closed a kept connection before it answered.
 */
#include "hconn.h"

#include <stdlib.h>

#include "base/codec.h"
#include "io/clock.h"
#include "io/tls.h"

#define SCRATCH ((size_t)65536)
#define TURNS 16
#define BODY_MAX ((size_t)16 << 20)
#define INTERIM_MAX 10

static char scratch[SCRATCH];

static int or_default(int v, int otherwise)
{
	return v ? v : otherwise;
}

void hconn_close(struct hconn *h)
{
	struct http_client *c = h->client;
	struct host *t = h->host;

	loop_remove(c->loop, &h->src);
	dial_cancel(h->dial);
	stream_close(&h->stream);
	host_drop(h);
	if (h->prev)
		h->prev->next = h->next;
	else
		c->conns = h->next;
	if (h->next)
		h->next->prev = h->prev;
	arena_free(&h->read_a);
	arena_free(&h->a);
	free(h);
	host_next(c, t);
}

/* A request that is safe to repeat may be sent again. */
static bool repeatable(const struct http_call *call)
{
	return str_is(call->method, "GET") || str_is(call->method, "HEAD") ||
	       str_is(call->method, "OPTIONS");
}

/* Ends the connection and its call. */
static void fail(struct hconn *h, int rc, struct err *err)
{
	struct http_call *call = h->call;
	/* the server may have closed a kept connection just before it was reused */
	bool again = call && h->used && !h->heard && !call->fresh && repeatable(call);

	h->call = NULL;
	if (call) {
		call->conn = NULL;
		call->result.untrusted =
			h->stream.tls && tls_fault(h->stream.tls) == TLS_FAULT_UNTRUSTED;
	}
	hconn_close(h);
	if (again)
		call_again(call);
	else if (call)
		call_fail(call, rc, err);
}

/* ---- the request --------------------------------------------------------- */

static void add_auth(struct buf *b, struct str user)
{
	struct err err = ERR_INIT(b->a);
	struct str plain;

	if (!user.n || percent_decode(b->a, user, &plain, &err) < 0)
		return;
	buf_addz(b, "Proxy-Authorization: Basic ");
	base64_add(b, plain);
	buf_add(b, S("\r\n"));
}

static bool carries_body(const struct http_call *call)
{
	return call->body.n || str_is(call->method, "POST") || str_is(call->method, "PUT") ||
	       str_is(call->method, "PATCH");
}

static void write_request(struct hconn *h)
{
	struct http_call *call = h->call;
	bool whole = h->proxy.host.n && !call->to.https;
	struct buf b;

	buf_init(&b, &call->a);
	buf_addf(&b, "%.*s ", STRF(call->method));
	if (whole) {
		buf_addz(&b, "http://");
		url_add_host(&b, &call->to, false);
	}
	if (!call->to.path.n || call->to.path.p[0] != '/')
		buf_addc(&b, '/');
	buf_add(&b, call->to.path);
	buf_addz(&b, " HTTP/1.1\r\nHost: ");
	url_add_host(&b, &call->to, false);
	buf_add(&b, S("\r\n"));
	if (whole)
		add_auth(&b, h->proxy.user);
	buf_add(&b, call->fields);
	if (carries_body(call))
		buf_addf(&b, "Content-Length: %zu\r\n", call->body.n);
	buf_add(&b, S("\r\n"));
	h->out[0] = buf_str(&b);
	h->out[1] = call->body;
}

static void begin_request(struct hconn *h)
{
	struct http_call *call = h->call;

	write_request(h);
	http_reader_init(&h->reader, HTTP_RESPONSE, h->client->opts.limits, &call->a);
	h->reader.no_body = str_is(call->method, "HEAD");
	buf_init(&call->collected, &call->a);
	h->interim = 0;
	h->heard = false;
	h->state = HCONN_SEND;
	h->due = clock_ms() + or_default(call->head_ms, 30000);
}

/* 0 when all is sent, -ERR_AGAIN, or an error. */
static int send_out(struct hconn *h, struct err *err)
{
	while (h->out[0].n || h->out[1].n) {
		struct iovec parts[2] = {
			{ (void *)(uintptr_t)h->out[0].p, h->out[0].n },
			{ (void *)(uintptr_t)h->out[1].p, h->out[1].n },
		};
		int skip = h->out[0].n == 0;
		ssize_t n =
			stream_write(&h->stream, parts + skip, 2 - skip - (h->out[1].n == 0), err);
		size_t first;

		if (n < 0)
			return (int)n;
		first = (size_t)n < h->out[0].n ? (size_t)n : h->out[0].n;
		h->out[0] = str_from(h->out[0], first);
		h->out[1] = str_from(h->out[1], (size_t)n - first);
	}
	return stream_flush(&h->stream, err);
}

/* ---- the answer ---------------------------------------------------------- */

static int on_head(struct hconn *h, struct err *err)
{
	struct http_call *call = h->call;
	const struct http_head *head = &h->reader.head;

	if (head->status == 101)
		return err_set(err, ERR_INVALID, "server switches to a protocol not asked for");
	if (head->status < 200)
		return ++h->interim > INTERIM_MAX
			       ? err_set(err, ERR_LIMIT, "too many interim answers")
			       : 0;
	call->head = *head;
	call->result.head = &call->head;
	call->result.status = head->status;
	if (call->on_head)
		call->on_head(call, &call->head);
	return 0;
}

static int on_part(struct hconn *h, struct str part, struct err *err)
{
	struct http_call *call = h->call;
	size_t max = call->body_max ? call->body_max : BODY_MAX;

	if (call->on_body) {
		call->on_body(call, part);
		return 0;
	}
	if (call->collected.n + part.n > max)
		return err_set(err, ERR_LIMIT, "answer is larger than %zu bytes", max);
	buf_add(&call->collected, part);
	return 0;
}

/* The answer is complete: keeps or closes the connection, then calls done. */
static void complete(struct hconn *h, bool clean)
{
	struct http_client *c = h->client;
	struct http_call *call = h->call;

	h->call = NULL;
	call->result.body = buf_str(&call->collected);
	if (!clean || h->last || !call->head.keep_alive || h->state != HCONN_ANSWER ||
	    !host_keep(h)) {
		hconn_close(h);
	} else {
		h->state = HCONN_IDLE;
		h->used = true;
		h->src.want = POLLIN;
		h->src.due = clock_ms() + c->opts.keep_ms;
		loop_update(c->loop, &h->src);
		host_next(c, h->host);
	}
	call_over(call, 0, &call->err);
}

/* Feeds received bytes; 1 when the answer is complete. */
static int feed(struct hconn *h, struct str *in, struct err *err)
{
	int rc = 0;

	while (rc == 0 && h->call) {
		struct str part;

		switch (http_feed(&h->reader, in, &part, err)) {
		case HTTP_NEED:
			return 0;
		case HTTP_HEAD:
			rc = on_head(h, err);
			break;
		case HTTP_BODY:
			rc = on_part(h, part, err);
			break;
		case HTTP_END:
			if (h->reader.head.status >= 200)
				return 1;
			http_next(&h->reader);
			h->reader.no_body = str_is(h->call->method, "HEAD");
			break;
		case HTTP_FAULT:
			return err_wrap(err, "malformed HTTP response");
		}
	}
	return rc;
}

static int at_end(struct hconn *h, struct err *err)
{
	if (http_eof(&h->reader, err) == HTTP_END)
		return 1;
	return err_set(err, ERR_AGAIN, "connection closed by the server");
}

/* The head has arrived: from now on the deadline is between parts. */
static void wait_for_more(struct hconn *h)
{
	int ms = or_default(h->call->idle_ms, 60000);

	h->due = ms < 0 ? 0 : clock_ms() + ms;
}

/* 0 to continue, 1 when the connection must not be used any more. */
static int read_answer(struct hconn *h, struct err *err)
{
	struct str in = S("");
	ssize_t n = stream_read(&h->stream, scratch, sizeof(scratch), err);
	int rc;

	if (n < 0)
		return (int)n == -ERR_SYS || (int)n == -ERR_GONE
			       ? err_set(err, ERR_AGAIN, "%.*s", STRF(err->msg))
			       : (int)n;
	if (n > 0) {
		h->heard = true;
		in = (struct str){ scratch, (size_t)n };
		h->feeding = true;
		rc = feed(h, &in, err);
		h->feeding = false;
	} else {
		rc = at_end(h, err);
		h->last = true;
	}
	if (!h->call) { /* cancelled meanwhile */
		hconn_close(h);
		return 1;
	}
	if (rc > 0) {
		complete(h, in.n == 0);
		return 1;
	}
	if (rc == 0 && h->call->result.status)
		wait_for_more(h);
	return rc;
}

/* ---- connecting ---------------------------------------------------------- */

static void begin_tls(struct hconn *h)
{
	h->stream.tls = tls_connect(h->client->opts.tls, h->to.host);
	h->state = HCONN_HANDSHAKE;
}

static void begin_connect(struct hconn *h)
{
	struct buf b;

	buf_init(&b, &h->a);
	buf_addz(&b, "CONNECT ");
	url_add_host(&b, &h->to, true);
	buf_addz(&b, " HTTP/1.1\r\nHost: ");
	url_add_host(&b, &h->to, true);
	buf_add(&b, S("\r\n"));
	add_auth(&b, h->proxy.user);
	buf_add(&b, S("\r\n"));
	h->out[0] = buf_str(&b);
	h->out[1] = S("");
	http_reader_init(&h->reader, HTTP_RESPONSE, h->client->opts.limits, &h->read_a);
	h->reader.no_body = true;
	h->state = HCONN_PROXY;
}

static int talk_to_proxy(struct hconn *h, struct err *err)
{
	struct str in, part;
	ssize_t n;
	int rc = send_out(h, err), status;
	enum http_event e;

	if (rc < 0)
		return rc;
	/* byte by byte: what follows the answer belongs to TLS */
	n = stream_read(&h->stream, scratch, 1, err);
	if (n == 0)
		return err_set(err, ERR_AGAIN, "closed by the proxy");
	if (n < 0)
		return (int)n;
	in = (struct str){ scratch, 1 };
	e = http_feed(&h->reader, &in, &part, err);
	if (e == HTTP_FAULT)
		return err_wrap(err, "malformed answer of the proxy");
	if (e != HTTP_HEAD)
		return 0;
	status = h->reader.head.status;
	if (status / 100 != 2)
		return err_set(err, ERR_AGAIN, "proxy refused: %d %.*s", status,
			       STRF(h->reader.head.reason));
	begin_tls(h);
	return 0;
}

static int step(struct hconn *h, struct err *err)
{
	int rc;

	switch (h->state) {
	case HCONN_DIAL:
		return -ERR_AGAIN;
	case HCONN_PROXY:
		return talk_to_proxy(h, err);
	case HCONN_HANDSHAKE:
		rc = tls_handshake(h->stream.tls, h->stream.fd, err);
		if (rc == 0)
			begin_request(h);
		return rc;
	case HCONN_SEND:
		rc = send_out(h, err);
		if (rc == 0)
			h->state = HCONN_ANSWER;
		/* a server may answer before it has read the whole request */
		return rc == -ERR_AGAIN ? read_answer(h, err) : rc;
	case HCONN_ANSWER:
		return read_answer(h, err);
	case HCONN_IDLE:
		break;
	}
	return err_set(err, ERR_GONE, "closed while idle");
}

static short wants(const struct hconn *h)
{
	bool sending = h->out[0].n || h->out[1].n;

	if (h->state == HCONN_HANDSHAKE)
		return stream_want(&h->stream, 0);
	return stream_want(&h->stream, sending ? POLLIN | POLLOUT : POLLIN);
}

static void advance(struct hconn *h)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int rc = 0;

	for (int i = 0; i < TURNS && rc == 0; i++)
		rc = step(h, &err);
	if (rc > 0)
		return;
	if (rc < 0 && rc != -ERR_AGAIN) {
		fail(h, rc, &err);
		return;
	}
	if (rc == -ERR_AGAIN && err.msg.n) {
		fail(h, rc, &err);
		return;
	}
	h->src.want = rc == 0 ? POLLIN | POLLOUT : wants(h);
	h->src.due = h->due;
	loop_update(h->client->loop, &h->src);
}

static void on_due(struct hconn *h)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int rc = -ERR_AGAIN;

	switch (h->state) {
	case HCONN_IDLE:
		hconn_close(h);
		return;
	case HCONN_DIAL:
	case HCONN_PROXY:
	case HCONN_HANDSHAKE:
		rc = err_set(&err, ERR_AGAIN, "timed out %s",
			     h->state == HCONN_PROXY ? "waiting for the proxy"
						     : "during the TLS handshake");
		break;
	case HCONN_SEND:
	case HCONN_ANSWER:
		rc = err_set(&err, ERR_AGAIN, "timed out waiting for %s",
			     h->call && h->call->result.status ? "more of the answer"
							       : "the answer");
		break;
	}
	h->heard = true; /* it timed out: do not retry at once */
	fail(h, rc, &err);
}

static void on_conn(struct source *s, short events)
{
	struct hconn *h = s->ctx;

	if (!events)
		on_due(h);
	else if (h->state == HCONN_IDLE)
		hconn_close(h); /* closed by the server, or unexpected bytes */
	else
		advance(h);
}

static void on_dial(void *ctx, int fd, struct err *err)
{
	struct hconn *h = ctx;

	h->dial = NULL;
	if (fd < 0) {
		fail(h, -(int)err->code, err);
		return;
	}
	h->stream.fd = fd;
	h->src.fd = fd;
	if (h->proxy.host.n && h->to.https)
		begin_connect(h);
	else if (h->to.https)
		begin_tls(h);
	else
		begin_request(h);
	loop_add(h->client->loop, &h->src);
	advance(h);
}

/* ---- for http_client.c --------------------------------------------------- */

void hconn_use(struct hconn *h, struct http_call *call)
{
	h->call = call;
	call->conn = h;
	begin_request(h);
	/* send in the loop's next turn: no callback may run now */
	h->src.want = POLLOUT;
	h->src.due = h->due;
	loop_update(h->client->loop, &h->src);
}

static struct str keep(struct hconn *h, struct str s)
{
	return str_dup(&h->a, s);
}

void hconn_open(struct http_client *c, struct http_call *call)
{
	struct hconn *h = calloc(1, sizeof(*h));
	struct err err = ERR_INIT(&call->a);
	const struct url *at;

	if (!h)
		abort();
	h->client = c;
	h->call = call;
	call->conn = h;
	h->host = call->host;
	h->host->n++;
	h->to = call->to;
	h->to.host = keep(h, call->to.host);
	h->to.user = h->to.path = S("");
	if (proxy_for(&h->a, &c->opts.proxy, &call->to, &h->proxy, &err) <= 0)
		h->proxy = (struct url){ 0 };
	h->stream.fd = -1;
	h->src = (struct source){ .fd = -1, .ready = on_conn, .ctx = h };
	h->next = c->conns;
	if (h->next)
		h->next->prev = h;
	c->conns = h;
	h->due = clock_ms() + or_default(call->connect_ms, 10000);
	at = h->proxy.host.n ? &h->proxy : &h->to;
	h->dial = dial_start(c->loop, at->host, at->port, h->due, on_dial, h);
}
