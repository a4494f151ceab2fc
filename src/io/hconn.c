/*
 * One connection of a client, from dialling to its last answer. Every state has a deadline.
 * A request is retried on a new connection only when it is safe to repeat and the server had
 * closed a kept connection before it answered.
 */
#include "hconn.h"

#include <stdlib.h>

#include "io/clock.h"
#include "io/tls.h"

#define TURNS 16

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
	hconn_add_auth(&b, h->proxy.user);
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
	char byte;
	int rc = hconn_send(h, err), status;
	enum http_event e;

	if (rc < 0)
		return rc;
	/* byte by byte: what follows the answer belongs to TLS */
	n = stream_read(&h->stream, &byte, 1, err);
	if (n == 0)
		return err_set(err, ERR_AGAIN, "closed by the proxy");
	if (n < 0)
		return (int)n;
	in = (struct str){ &byte, 1 };
	e = http_feed(&h->reader, &in, &part, err);
	if (e == HTTP_FAULT)
		return err_wrap(err, "malformed response from the proxy");
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
			hconn_begin_request(h);
		return rc;
	case HCONN_SEND:
		rc = hconn_send(h, err);
		if (rc == 0)
			h->state = HCONN_ANSWER;
		/* a server may answer before it has read the whole request */
		return rc == -ERR_AGAIN ? hconn_read_answer(h, err) : rc;
	case HCONN_ANSWER:
		return hconn_read_answer(h, err);
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
			     h->call && h->call->result.status ? "more of the response"
							       : "the response");
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
		hconn_begin_request(h);
	loop_add(h->client->loop, &h->src);
	advance(h);
}

/* ---- for http_client.c --------------------------------------------------- */

void hconn_use(struct hconn *h, struct http_call *call)
{
	h->call = call;
	call->conn = h;
	hconn_begin_request(h);
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
	h->due = clock_ms() + (call->connect_ms ? call->connect_ms : 10000);
	at = h->proxy.host.n ? &h->proxy : &h->to;
	h->dial = dial_start(c->loop, at->host, at->port, h->due, on_dial, h);
}
