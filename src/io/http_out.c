/*
 * The sending side. http_reply and the stream functions only change the state of the
 * connection: they send, free and call back nothing, so a handler may call them from
 * anywhere.
 */
#include "http_conn.h"
#include "io/clock.h"

#include <stdio.h>
#include <stdlib.h>

#define HEADS_KEPT 4096 /* buffer that an idle connection keeps */

static struct conn *conn_of(struct http_exchange *x)
{
	return (struct conn *)(void *)x;
}

void conn_out(struct conn *c, struct str s)
{
	if (c->out_at == c->out_n)
		c->out_at = c->out_n = 0;
	if (c->out_at > c->out_cap / 2) {
		memmove(c->out, c->out + c->out_at, c->out_n - c->out_at);
		c->out_n -= c->out_at;
		c->out_at = 0;
	}
	if (c->out_n + s.n > c->out_cap) {
		size_t cap = c->out_cap ? c->out_cap : 512;

		while (cap < c->out_n + s.n)
			cap *= 2;
		c->out = realloc(c->out, cap);
		if (!c->out)
			abort();
		c->out_cap = cap;
	}
	if (s.n)
		memcpy(c->out + c->out_n, s.p, s.n);
	c->out_n += s.n;
}

size_t conn_unsent(const struct conn *c)
{
	return c->out_n - c->out_at + c->body.n;
}

int conn_flush(struct conn *c, struct err *err)
{
	while (conn_unsent(c)) {
		struct iovec parts[2] = {
			{ c->out + c->out_at, c->out_n - c->out_at },
			{ (void *)(uintptr_t)c->body.p, c->body.n },
		};
		int skip = parts[0].iov_len == 0;
		ssize_t n =
			stream_write(&c->stream, parts + skip, 2 - skip - (c->body.n == 0), err);
		size_t head;

		if (n < 0)
			return (int)n;
		head = (size_t)n < parts[0].iov_len ? (size_t)n : parts[0].iov_len;
		c->out_at += head;
		c->body = str_from(c->body, (size_t)n - head);
		c->sent += (size_t)n - head;
		conn_moved(c, (size_t)n);
	}
	if (c->out_cap > HEADS_KEPT && c->state != CONN_STREAM) {
		free(c->out);
		c->out = NULL;
		c->out_cap = c->out_at = c->out_n = 0;
	}
	return stream_flush(&c->stream, err);
}

static struct str date_line(struct http_server *s)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	int64_t now = clock_wall_s();
	struct buf b;

	if (now != s->date_sec) {
		buf_init(&b, &a);
		http_add_date(&b, (struct instant){ now, 0 });
		s->date_n = b.n < sizeof(s->date) ? b.n : 0;
		memcpy(s->date, b.p, s->date_n);
		s->date_sec = now;
	}
	return (struct str){ s->date, s->date_n };
}

/* The status line and the fields of all answers. */
static void add_head(struct conn *c, int status, struct str fields, struct str framing)
{
	struct buf b;

	if (c->server->stopping)
		c->close_after = true;
	buf_init(&b, &c->arena);
	buf_reserve(&b, 256);
	http_add_status(&b, status);
	buf_add(&b, fields);
	buf_add(&b, date_line(c->server));
	buf_add(&b, framing);
	if (c->close_after)
		buf_add(&b, S("Connection: close\r\n"));
	else if (c->reader.head.minor == 0)
		buf_add(&b, S("Connection: keep-alive\r\n"));
	buf_add(&b, S("\r\n"));
	conn_out(c, buf_str(&b));
	c->status = status;
}

/* The state was changed by a handler: continue in the loop's next turn. */
static void kick(struct conn *c)
{
	if (c->in_handler)
		return;
	c->src.want = POLLOUT;
	c->src.due = c->due;
	loop_update(c->server->loop, &c->src);
}

/* A handler that has ended its answer may have freed its state before the answer is
 * sent or lost. */
static void answered(struct http_exchange *x)
{
	x->on_gone = x->on_drain = NULL;
}

void http_reply(struct http_exchange *x, int status, struct str fields, struct str body,
		void (*release)(void *owner), void *owner)
{
	struct conn *c = conn_of(x);
	bool bare = status == 204 || status == 304;
	bool head = str_is(c->reader.head.method, "HEAD");
	struct str length = S("");

	answered(x);
	if (!bare && (body.p || !head))
		length = str_fmt(&c->arena, "Content-Length: %zu\r\n", body.n);
	add_head(c, status, fields, length);
	c->release = release;
	c->owner = owner;
	if (!bare && !head)
		c->body = body;
	c->state = CONN_SEND;
	conn_owes(c, c->server->opts.send_ms);
	kick(c);
}

void http_stream_start(struct http_exchange *x, int status, struct str fields)
{
	struct conn *c = conn_of(x);

	/* HTTP/1.0 has no chunks: the end of the connection ends the answer */
	c->chunked = c->reader.head.minor > 0;
	if (!c->chunked)
		c->close_after = true;
	add_head(c, status, fields, c->chunked ? S("Transfer-Encoding: chunked\r\n") : S(""));
	c->state = CONN_STREAM;
	c->ended = false;
	c->drained = true;
	conn_owes(c, c->server->opts.send_ms);
	kick(c);
}

size_t http_stream_write(struct http_exchange *x, struct str part)
{
	struct conn *c = conn_of(x);
	char size[24];

	if (!part.n || str_is(c->reader.head.method, "HEAD"))
		return conn_unsent(c);
	if (!conn_unsent(c))
		conn_owes(c, c->server->opts.send_ms);
	if (c->chunked) {
		int n = snprintf(size, sizeof(size), "%zx\r\n", part.n);

		conn_out(c, (struct str){ size, (size_t)n });
	}
	conn_out(c, part);
	if (c->chunked)
		conn_out(c, S("\r\n"));
	c->sent += part.n;
	c->drained = false;
	kick(c);
	return conn_unsent(c);
}

void http_stream_end(struct http_exchange *x)
{
	struct conn *c = conn_of(x);

	if (c->chunked && !str_is(c->reader.head.method, "HEAD"))
		conn_out(c, HTTP_LAST_CHUNK);
	answered(x);
	c->ended = true;
	conn_owes(c, c->server->opts.send_ms);
	kick(c);
}
