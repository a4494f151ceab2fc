/*
 * The request and the answer of one call on a connection. Bytes are parsed from one buffer that
 * all connections share, so nothing of it may be kept after hconn_read_answer returns.
 */
#include "hconn.h"

#include "base/codec.h"
#include "io/clock.h"

#define SCRATCH ((size_t)65536)
#define BODY_MAX ((size_t)16 << 20)
#define INTERIM_MAX 10

static char scratch[SCRATCH];

/* ---- the request --------------------------------------------------------- */

void hconn_add_auth(struct buf *b, struct str user)
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
		hconn_add_auth(&b, h->proxy.user);
	buf_add(&b, call->fields);
	if (carries_body(call))
		buf_addf(&b, "Content-Length: %zu\r\n", call->body.n);
	buf_add(&b, S("\r\n"));
	h->out[0] = buf_str(&b);
	h->out[1] = call->body;
}

void hconn_begin_request(struct hconn *h)
{
	struct http_call *call = h->call;

	write_request(h);
	http_reader_init(&h->reader, HTTP_RESPONSE, h->client->opts.limits, &call->a);
	h->reader.no_body = str_is(call->method, "HEAD");
	buf_init(&call->collected, &call->a);
	h->interim = 0;
	h->heard = false;
	h->state = HCONN_SEND;
	h->due = clock_ms() + (call->head_ms ? call->head_ms : 30000);
}

int hconn_send(struct hconn *h, struct err *err)
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
			       ? err_set(err, ERR_LIMIT, "too many interim responses")
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
		return err_set(err, ERR_LIMIT, "response is larger than %zu bytes", max);
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
	int ms = h->call->idle_ms ? h->call->idle_ms : 60000;

	h->due = ms < 0 ? 0 : clock_ms() + ms;
}

int hconn_read_answer(struct hconn *h, struct err *err)
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
