/*
 * The state machine of a connection: on every event it runs until a step would block,
 * then waits for the events that its state needs.
 */
#include "http_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/repeat.h"
#include "io/tls.h"

#define TURNS 16 /* steps in a row, so that other connections get their turn */
#define LINGER_MS 2000
#define LINGER_MAX ((size_t)1 << 20)

static void drop_body(struct conn *c)
{
	if (c->release)
		c->release(c->owner);
	c->release = NULL;
	c->body = (struct str){ 0 };
}

/* Ends the exchange; calls on_gone when it was not answered. */
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
	ring_remove(&c->all);
	slot_give(c);
	arena_free(&c->arena);
	free(c->rest);
	free(c->out);
	free(c);
	server_conn_gone(s);
}

void conn_cut(struct conn *c)
{
	/* the kernel would keep unsent bytes for minutes: a reset frees them */
	const struct linger now = { .l_onoff = 1 };

	if (conn_unsent(c))
		(void)setsockopt(c->stream.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	conn_close(c);
}

/* The answer is sent: wait for the next request, or close. */
static void finish(struct conn *c)
{
	struct http_server *s = c->server;

	end_exchange(c, true);
	drop_body(c);
	if (c->close_after || s->stopping) {
		c->state = CONN_LINGER;
		conn_idles(c, LINGER_MS);
		c->sent = 0; /* counts the bytes that are discarded */
		c->close_after = true;
		stream_end(&c->stream);
		return;
	}
	arena_free(&c->arena);
	http_next(&c->reader);
	c->state = CONN_READ;
	conn_idles(c, s->opts.idle_ms);
}

/* Discards what the client still sends: a reset would destroy its answer. */
static int linger(struct conn *c, struct err *err)
{
	ssize_t n;

	(void)err;
	n = read(c->stream.fd, conn_scratch, sizeof(conn_scratch));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -ERR_AGAIN;
	c->sent += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->sent > LINGER_MAX)
		return -ERR_GONE;
	return 0;
}

static int stream_on(struct conn *c, struct err *err)
{
	int rc = conn_flush(c, err);

	if (rc < 0)
		return rc;
	if (c->ended) {
		finish(c);
		return 0;
	}
	conn_rests(c);
	if (c->drained || !c->x.on_drain)
		return -ERR_AGAIN;
	c->drained = true;
	c->in_handler = true;
	c->x.on_drain(&c->x);
	c->in_handler = false;
	return conn_unsent(c) || c->ended ? 0 : -ERR_AGAIN;
}

/* Go's answer to plain HTTP on a TLS port. */
static const char wrong_port[] = "HTTP/1.0 400 Bad Request\r\n\r\n"
				 "Client sent an HTTP request to an HTTPS server.\n";

static int handshake(struct conn *c, struct err *err)
{
	int rc = tls_handshake(c->stream.tls, c->stream.fd, err);

	if (rc == 0) {
		c->state = CONN_READ;
		conn_owes(c, c->server->opts.head_ms);
	}
	if (rc == 0 || rc == -ERR_AGAIN || !tls_saw_http(c->stream.tls))
		return rc;
	tls_free(c->stream.tls);
	c->stream.tls = NULL;
	c->close_after = true;
	conn_out(c, (struct str){ wrong_port, sizeof(wrong_port) - 1 });
	c->state = CONN_SEND;
	conn_owes(c, c->server->opts.send_ms);
	return 0;
}

/* One step: 0 to continue, -ERR_AGAIN to wait, or the error that ends the connection. */
static int step(struct conn *c, struct err *err)
{
	int rc;

	switch (c->state) {
	case CONN_HANDSHAKE:
		return handshake(c, err);
	case CONN_READ:
		return conn_read(c, err);
	case CONN_HANDLE:
		return -ERR_AGAIN;
	case CONN_SEND:
		rc = conn_flush(c, err);
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
		return stream_want(&c->stream, conn_unsent(c) ? POLLIN | POLLOUT : POLLIN);
	case CONN_HANDLE:
		return POLLRDHUP;
	case CONN_SEND:
		return stream_want(&c->stream, POLLOUT);
	case CONN_STREAM:
		if (c->ended)
			return stream_want(&c->stream, POLLOUT);
		return stream_want(&c->stream, conn_unsent(c) ? POLLOUT : 0) | POLLRDHUP;
	case CONN_LINGER:
		break;
	}
	return POLLIN;
}

/* The administrator needs to know why a client was not served. */
static void tell(const struct conn *c, const struct err *err)
{
	char peer[SOCK_TEXT];

	if (c->state != CONN_HANDSHAKE ||
	    (!log_due(LOG_INFO, S("TLS handshake"), err->msg) && !log_enabled(2)))
		return;
	sock_text(&c->peer, peer);
	log_info("http: TLS handshake error from %s: %.*s", peer, STRF(err->msg));
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
	/* more to do: continue in the next turn */
	c->src.want = rc == 0 ? POLLIN | POLLOUT : wants(c);
	c->src.due = c->due;
}

static void on_conn(struct source *src, short events)
{
	struct conn *c = src->ctx;
	bool waiting = c->state == CONN_HANDLE || (c->state == CONN_STREAM && !c->ended);

	if (!events && conn_renew(c))
		c->src.due = c->due;
	else if (!events)
		conn_cut(c);
	else if (waiting && events & (POLLRDHUP | POLLHUP | POLLERR))
		conn_close(c);
	else
		advance(c);
}

void conn_start(const struct slot *slot, int fd, const struct sock_addr *peer)
{
	struct listener *l = slot->listener;
	struct http_server *s = l->server;
	struct conn *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->server = s;
	c->slot = *slot;
	c->peer = *peer;
	c->stream.fd = fd;
	http_reader_init(&c->reader, HTTP_REQUEST, s->opts.limits, &c->arena);
	c->src = (struct source){ .fd = fd, .ready = on_conn, .ctx = c };
	s->n++;
	ring_add(&s->all, &c->all);
	if (slot->spare)
		ring_add(&l->spare, &c->turn);
	if (l->tls)
		c->stream.tls = tls_accept(l->tls);
	c->state = l->tls ? CONN_HANDSHAKE : CONN_READ;
	conn_owes(c, l->tls ? s->opts.handshake_ms : s->opts.head_ms);
	c->src.want = POLLIN;
	c->src.due = c->due;
	loop_add(s->loop, &c->src);
}
