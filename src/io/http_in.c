/*
 * The receiving side: parses bytes into requests and calls the handler. A request is handled
 * only when its head and body are complete and within their limits.
 */
#include "http_conn.h"

#include <stdlib.h>

char conn_scratch[65536];

/* A malformed message: answers with an error and closes the connection. */
static void reply_fault(struct conn *c, int status, struct str why)
{
	struct str text = str_fmt(&c->arena, "%d %s%s%.*s", status, http_status_text(status),
				  why.n ? ": " : "", STRF(why));

	conn_out(c, str_fmt(&c->arena,
			    "HTTP/1.1 %.*s\r\nContent-Type: text/plain; "
			    "charset=utf-8\r\nConnection: close\r\n\r\n%.*s",
			    STRF(text), STRF(text)));
	c->close_after = true;
	c->started = true;
	c->status = status;
	c->state = CONN_SEND;
	conn_owes(c, c->server->opts.send_ms);
}

static void begin_exchange(struct conn *c)
{
	c->x = (struct http_exchange){ .head = &c->reader.head,
				       .a = &c->arena,
				       .peer = &c->peer,
				       .tls = c->stream.tls,
				       .server = c->server };
	c->status = 0;
	c->sent = 0;
}

/* In a spare slot only one vital request is handled. */
static bool may_be_handled(struct conn *c)
{
	const struct http_server_opts *o = &c->server->opts;

	if (!c->slot.spare || slot_promote(c))
		return true;
	c->close_after = true;
	if (o->vital && o->vital(&c->reader.head, o->ctx))
		return true;
	if (o->lost)
		o->lost(&c->peer, HTTP_LOST_REFUSED, o->ctx);
	return false;
}

static void handle(struct conn *c)
{
	const struct http_server_opts *o = &c->server->opts;

	c->close_after = c->close_after || !c->reader.head.keep_alive;
	c->x.body = buf_str(&c->req_body);
	c->state = CONN_HANDLE;
	conn_rests(c);
	c->started = true;
	c->in_handler = true;
	if (may_be_handled(c))
		o->handle(&c->x, o->ctx);
	else
		http_reply(&c->x, 503, S("Retry-After: 1\r\n"), S(""), NULL, NULL);
	c->in_handler = false;
}

/* The head has arrived: checks the size of the body. */
static void on_head(struct conn *c)
{
	const struct http_server_opts *o = &c->server->opts;
	const struct http_head *h = &c->reader.head;

	begin_exchange(c);
	buf_init(&c->req_body, &c->arena);
	c->body_max = o->body_max ? o->body_max(h, o->ctx) : 0;
	if (h->length > c->body_max) {
		reply_fault(c, 413, S(""));
		return;
	}
	if (http_get(h, S("Expect")).p && !h->expect_continue && h->minor) {
		reply_fault(c, 417, S(""));
		return;
	}
	conn_owes(c, o->body_ms);
	if (h->expect_continue && (h->length || h->chunked))
		conn_out(c, S("HTTP/1.1 100 Continue\r\n\r\n"));
}

static void on_part(struct conn *c, struct str part)
{
	if (c->req_body.n + part.n > c->body_max)
		reply_fault(c, 413, S(""));
	else
		buf_add(&c->req_body, part);
	conn_moved(c, part.n);
}

/* Parses until a request is complete or the bytes are used up. */
static void feed(struct conn *c, struct str *in)
{
	struct err err = ERR_INIT(&c->arena);

	while (c->state == CONN_READ) {
		struct str part;

		if (c->idle && in->n)
			conn_owes(c, c->server->opts.head_ms);
		switch (http_feed(&c->reader, in, &part, &err)) {
		case HTTP_NEED:
			return;
		case HTTP_HEAD:
			on_head(c);
			break;
		case HTTP_BODY:
			on_part(c, part);
			break;
		case HTTP_END:
			handle(c);
			break;
		case HTTP_FAULT:
			begin_exchange(c);
			reply_fault(c, c->reader.answer, err.msg);
			break;
		}
	}
}

static void keep_rest(struct conn *c, struct str in)
{
	char *copy = NULL;

	if (in.n) {
		copy = malloc(in.n);
		if (!copy)
			abort();
		memcpy(copy, in.p, in.n);
	}
	free(c->rest);
	c->rest = copy;
	c->rest_at = 0;
	c->rest_n = in.n;
}

int conn_read(struct conn *c, struct err *err)
{
	struct str in;
	ssize_t n;
	int rc = conn_flush(c, err); /* 100 Continue */

	if (rc < 0 && rc != -ERR_AGAIN)
		return rc;
	if (c->rest_at < c->rest_n) {
		in = (struct str){ c->rest + c->rest_at, c->rest_n - c->rest_at };
		feed(c, &in);
		c->rest_at = c->rest_n - in.n;
		if (!in.n)
			keep_rest(c, in);
		return 0;
	}
	n = stream_read(&c->stream, conn_scratch, sizeof(conn_scratch), err);
	if (n == 0)
		return err_set(err, ERR_GONE, "closed by the client");
	if (n < 0)
		return (int)n;
	in = (struct str){ conn_scratch, (size_t)n };
	feed(c, &in);
	keep_rest(c, in);
	return 0;
}
