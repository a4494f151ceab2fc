/*
 * A connection goes as far as it can each time something happens, then waits
 * for what its state needs. Answers given by a handler only change the state:
 * nothing is sent, freed or called back from within them, so a handler may
 * answer from anywhere.
 */
#include "http_conn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "io/log.h"
#include "io/tls.h"

#define SCRATCH ((size_t)65536) /* read at once */
#define TURNS 16 /* before others have theirs */
#define LINGER_MS 2000
#define LINGER_MAX ((size_t)1 << 20)
#define RATE 16 /* bytes a millisecond, the least a client may be served at */
#define HEADS_KEPT 4096 /* room an idle connection may keep */

static char scratch[SCRATCH];

static void unlink_it(struct link *l)
{
	if (!l->next)
		return;
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = l->prev = NULL;
}

static void link_last(struct link *ring, struct link *l)
{
	unlink_it(l);
	l->prev = ring->prev;
	l->next = ring;
	ring->prev->next = l;
	ring->prev = l;
}

static struct conn *conn_of(struct http_exchange *x)
{
	return (struct conn *)(void *)x;
}

static void drop_body(struct conn *c)
{
	if (c->release)
		c->release(c->owner);
	c->release = NULL;
	c->body = (struct str){ 0 };
}

/* The exchange is over, well or not; the handler hears of it if not. */
static void end_exchange(struct conn *c, bool well)
{
	const struct http_server_opts *o = &c->server->opts;

	if (!c->started)
		return;
	c->started = false;
	if (!well && c->x.on_gone)
		c->x.on_gone(&c->x);
	if (o->over)
		o->over(&c->x, c->status, c->sent, o->ctx);
}

void conn_close(struct conn *c)
{
	struct http_server *s = c->server;

	end_exchange(c, c->state == CONN_LINGER);
	drop_body(c);
	loop_remove(s->loop, &c->src);
	stream_close(&c->stream);
	unlink_it(&c->all);
	unlink_it(&c->waiting);
	arena_free(&c->arena);
	free(c->rest);
	free(c->out);
	free(c);
	server_conn_gone(s);
}

/* ---- what goes out ----------------------------------------------------------- */

static void out_add(struct conn *c, struct str s)
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

static size_t unsent(const struct conn *c)
{
	return c->out_n - c->out_at + c->body.n;
}

/* 0 when all is sent, -ERR_AGAIN, or what broke. */
static int flush(struct conn *c, struct err *err)
{
	while (unsent(c)) {
		struct iovec parts[2] = {
			{ c->out + c->out_at, c->out_n - c->out_at },
			{ (void *)(uintptr_t)c->body.p, c->body.n },
		};
		int skip = parts[0].iov_len == 0;
		ssize_t n = stream_write(&c->stream, parts + skip,
					 2 - skip - (c->body.n == 0), err);
		size_t head;

		if (n < 0)
			return (int)n;
		head = (size_t)n < parts[0].iov_len ? (size_t)n
						    : parts[0].iov_len;
		c->out_at += head;
		c->body = str_from(c->body, (size_t)n - head);
		c->sent += (size_t)n - head;
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
	struct timespec now;
	struct buf b;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (now.tv_sec != s->date_sec) {
		buf_init(&b, &a);
		http_add_date(&b, (struct instant){ now.tv_sec, 0 });
		s->date_n = b.n < sizeof(s->date) ? b.n : 0;
		memcpy(s->date, b.p, s->date_n);
		s->date_sec = now.tv_sec;
	}
	return (struct str){ s->date, s->date_n };
}

/* Status line and what is common to all answers. */
static void add_head(struct conn *c, int status, struct str fields,
		     struct str framing)
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
	out_add(c, buf_str(&b));
	c->status = status;
}

/* The state has changed from outside: go on in the loop's next turn. */
static void kick(struct conn *c)
{
	if (c->in_handler)
		return;
	c->src.want = POLLOUT;
	c->src.due = c->due;
	loop_update(c->server->loop, &c->src);
}

static void set_due(struct conn *c, int base, uint64_t bytes)
{
	c->due = loop_clock() + base + (int64_t)(bytes / RATE);
}

void http_reply(struct http_exchange *x, int status, struct str fields,
		struct str body, void (*release)(void *owner), void *owner)
{
	struct conn *c = conn_of(x);
	bool bare = status == 204 || status == 304;
	struct str length = S("");

	if (!bare)
		length = str_fmt(&c->arena, "Content-Length: %zu\r\n", body.n);
	add_head(c, status, fields, length);
	c->release = release;
	c->owner = owner;
	if (!bare && !str_is(c->reader.head.method, "HEAD"))
		c->body = body;
	c->state = CONN_SEND;
	set_due(c, c->server->opts.send_ms, unsent(c));
	kick(c);
}

void http_stream_start(struct http_exchange *x, int status, struct str fields)
{
	struct conn *c = conn_of(x);

	/* HTTP/1.0 knows no chunks: the end of the connection is the end */
	c->chunked = c->reader.head.minor > 0;
	if (!c->chunked)
		c->close_after = true;
	add_head(c, status, fields,
		 c->chunked ? S("Transfer-Encoding: chunked\r\n") : S(""));
	c->state = CONN_STREAM;
	c->ended = false;
	c->drained = true;
	set_due(c, c->server->opts.send_ms, 0);
	kick(c);
}

size_t http_stream_write(struct http_exchange *x, struct str part)
{
	struct conn *c = conn_of(x);
	char size[24];

	if (!part.n || str_is(c->reader.head.method, "HEAD"))
		return unsent(c);
	if (!unsent(c))
		set_due(c, c->server->opts.send_ms, 0);
	if (c->chunked) {
		int n = snprintf(size, sizeof(size), "%zx\r\n", part.n);

		out_add(c, (struct str){ size, (size_t)n });
	}
	out_add(c, part);
	if (c->chunked)
		out_add(c, S("\r\n"));
	c->sent += part.n;
	c->drained = false;
	kick(c);
	return unsent(c);
}

void http_stream_end(struct http_exchange *x)
{
	struct conn *c = conn_of(x);

	if (c->chunked && !str_is(c->reader.head.method, "HEAD"))
		out_add(c, HTTP_LAST_CHUNK);
	c->ended = true;
	set_due(c, c->server->opts.send_ms, unsent(c));
	kick(c);
}

/* ---- what comes in ----------------------------------------------------------- */

/* Waiting for a request, from now on. */
static void await(struct conn *c, int ms)
{
	c->state = CONN_READ;
	c->due = loop_clock() + ms;
	link_last(&c->server->waiting, &c->waiting);
}

/* A message that cannot be read: said once, then the connection ends. */
static void reply_fault(struct conn *c, int status, struct str why)
{
	struct str text =
		str_fmt(&c->arena, "%d %s%s%.*s", status,
			http_status_text(status), why.n ? ": " : "", STRF(why));

	unlink_it(&c->waiting);
	out_add(c, str_fmt(&c->arena,
			   "HTTP/1.1 %.*s\r\nContent-Type: text/plain; "
			   "charset=utf-8\r\nConnection: close\r\n\r\n%.*s",
			   STRF(text), STRF(text)));
	c->close_after = true;
	c->started = true;
	c->status = status;
	c->state = CONN_SEND;
	set_due(c, c->server->opts.send_ms, unsent(c));
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

static void handle(struct conn *c)
{
	const struct http_server_opts *o = &c->server->opts;

	unlink_it(&c->waiting);
	c->close_after = c->close_after || !c->reader.head.keep_alive;
	c->x.body = buf_str(&c->req_body);
	c->state = CONN_HANDLE;
	c->due = 0;
	c->started = true;
	c->in_handler = true;
	o->handle(&c->x, o->ctx);
	c->in_handler = false;
}

/* The head is there: may its body come? */
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
	set_due(c, o->body_ms, h->has_length ? h->length : c->body_max);
	if (h->expect_continue && (h->length || h->chunked))
		out_add(c, S("HTTP/1.1 100 Continue\r\n\r\n"));
}

static void on_part(struct conn *c, struct str part)
{
	if (c->req_body.n + part.n > c->body_max)
		reply_fault(c, 413, S(""));
	else
		buf_add(&c->req_body, part);
}

/* Feeds until a request is whole or the bytes are used up. */
static void feed(struct conn *c, struct str *in)
{
	struct err err = ERR_INIT(&c->arena);

	while (c->state == CONN_READ) {
		struct str part;

		if (http_between(&c->reader) && in->n)
			c->due = loop_clock() + c->server->opts.head_ms;
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

static int read_on(struct conn *c, struct err *err)
{
	struct str in;
	ssize_t n;
	int rc = flush(c, err); /* an invitation to send the body */

	if (rc < 0 && rc != -ERR_AGAIN)
		return rc;
	if (c->rest_at < c->rest_n) {
		in = (struct str){ c->rest + c->rest_at,
				   c->rest_n - c->rest_at };
		feed(c, &in);
		c->rest_at = c->rest_n - in.n;
		if (!in.n)
			keep_rest(c, in);
		return 0;
	}
	n = stream_read(&c->stream, scratch, sizeof(scratch), err);
	if (n == 0)
		return err_set(err, ERR_GONE, "closed by the client");
	if (n < 0)
		return (int)n;
	in = (struct str){ scratch, (size_t)n };
	feed(c, &in);
	keep_rest(c, in);
	return 0;
}

/* ---- from state to state ------------------------------------------------------ */

/* The answer is out: the next request, or the end. */
static void finish(struct conn *c)
{
	struct http_server *s = c->server;

	end_exchange(c, true);
	drop_body(c);
	if (c->close_after || s->stopping) {
		c->state = CONN_LINGER;
		c->due = loop_clock() + LINGER_MS;
		c->sent = 0; /* counts what is read over */
		c->close_after = true;
		stream_end(&c->stream);
		return;
	}
	arena_free(&c->arena);
	http_next(&c->reader);
	await(c, s->opts.idle_ms);
}

/* Reads over what a client still sends, so that it can read its answer. */
static int linger(struct conn *c, struct err *err)
{
	ssize_t n;

	(void)err;
	n = read(c->stream.fd, scratch, sizeof(scratch));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -ERR_AGAIN;
	c->sent += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->sent > LINGER_MAX)
		return -ERR_GONE;
	return 0;
}

static int stream_on(struct conn *c, struct err *err)
{
	size_t before = unsent(c);
	int rc = flush(c, err);

	if (unsent(c) < before)
		set_due(c, c->server->opts.send_ms, 0);
	if (rc < 0)
		return rc;
	if (c->ended) {
		finish(c);
		return 0;
	}
	c->due = 0;
	if (c->drained || !c->x.on_drain)
		return -ERR_AGAIN;
	c->drained = true;
	c->in_handler = true;
	c->x.on_drain(&c->x);
	c->in_handler = false;
	return unsent(c) || c->ended ? 0 : -ERR_AGAIN;
}

/* As Go tells those who speak plain HTTP to a TLS port. */
static const char wrong_port[] =
	"HTTP/1.0 400 Bad Request\r\n\r\n"
	"Client sent an HTTP request to an HTTPS server.\n";

static int handshake(struct conn *c, struct err *err)
{
	int rc = tls_handshake(c->stream.tls, c->stream.fd, err);

	if (rc == 0)
		await(c, c->server->opts.head_ms);
	if (rc == 0 || rc == -ERR_AGAIN || !tls_saw_http(c->stream.tls))
		return rc;
	tls_free(c->stream.tls);
	c->stream.tls = NULL;
	unlink_it(&c->waiting);
	c->close_after = true;
	out_add(c, (struct str){ wrong_port, sizeof(wrong_port) - 1 });
	c->state = CONN_SEND;
	set_due(c, c->server->opts.send_ms, 0);
	return 0;
}

/* One step: 0 to go on, -ERR_AGAIN to wait, or what ends the connection. */
static int step(struct conn *c, struct err *err)
{
	int rc;

	switch (c->state) {
	case CONN_HANDSHAKE:
		return handshake(c, err);
	case CONN_READ:
		return read_on(c, err);
	case CONN_HANDLE:
		return -ERR_AGAIN;
	case CONN_SEND:
		rc = flush(c, err);
		if (rc == 0)
			finish(c);
		return rc;
	case CONN_STREAM:
		return stream_on(c, err);
	case CONN_LINGER:
		return linger(c, err);
	}
	return -ERR_GONE;
}

static short wants(const struct conn *c)
{
	switch (c->state) {
	case CONN_HANDSHAKE:
		return stream_want(&c->stream, 0);
	case CONN_READ:
		return stream_want(&c->stream,
				   unsent(c) ? POLLIN | POLLOUT : POLLIN);
	case CONN_HANDLE:
		return POLLRDHUP;
	case CONN_SEND:
		return stream_want(&c->stream, POLLOUT);
	case CONN_STREAM:
		if (c->ended)
			return stream_want(&c->stream, POLLOUT);
		return stream_want(&c->stream, unsent(c) ? POLLOUT : 0) |
		       POLLRDHUP;
	case CONN_LINGER:
		break;
	}
	return POLLIN;
}

/* Why a client could not be served is for whoever runs the server. */
static void tell(const struct conn *c, const struct err *err)
{
	char peer[SOCK_TEXT];

	if (c->state != CONN_HANDSHAKE || !log_enabled(2))
		return;
	sock_text(&c->peer, peer);
	log_info("http: TLS handshake error from %s: %.*s", peer,
		 STRF(err->msg));
}

static void advance(struct conn *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int rc = 0;

	for (int i = 0; i < TURNS && rc == 0; i++)
		rc = step(c, &err);
	if (rc < 0 && rc != -ERR_AGAIN) {
		tell(c, &err);
		conn_close(c);
		return;
	}
	/* more to do at once: come back when the socket is writable, now */
	c->src.want = rc == 0 ? POLLIN | POLLOUT : wants(c);
	c->src.due = c->due;
}

static void on_conn(struct source *src, short events)
{
	struct conn *c = src->ctx;
	bool waiting = c->state == CONN_HANDLE ||
		       (c->state == CONN_STREAM && !c->ended);

	if (!events || (waiting && events & (POLLRDHUP | POLLHUP | POLLERR)))
		conn_close(c);
	else
		advance(c);
}

void conn_start(struct http_server *s, struct listener *l, int fd,
		const struct sock_addr *peer)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->server = s;
	c->peer = *peer;
	c->stream.fd = fd;
	http_reader_init(&c->reader, HTTP_REQUEST, s->opts.limits, &c->arena);
	c->src = (struct source){ .fd = fd, .ready = on_conn, .ctx = c };
	s->n++;
	link_last(&s->all, &c->all);
	await(c, s->opts.head_ms);
	if (l->tls) {
		c->stream.tls = tls_accept(l->tls);
		c->state = CONN_HANDSHAKE;
		c->due = loop_clock() + s->opts.handshake_ms;
	}
	c->src.want = POLLIN;
	c->src.due = c->due;
	loop_add(s->loop, &c->src);
}
