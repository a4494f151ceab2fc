/*
 * Listeners and the life of the server. Connections are in http_conn.c, http_in.c and http_out.c;
 * who gets a slot is decided in http_slots.c.
 */
#include "http_conn.h"
#include "io/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define ACCEPTS 64 /* per turn, so that connections get their turn */
#define RETRY_MS 100 /* when the system has no more descriptors */

static int or_default(int v, int otherwise)
{
	return v ? v : otherwise;
}

static void on_stop_timer(struct source *src, short events)
{
	struct http_server *s = src->ctx;

	(void)events;
	while (s->all.next != &s->all)
		conn_close(CONN_OF(s->all.next, all));
	loop_remove(s->loop, &s->stop_timer);
	s->stopped(s->stopped_ctx);
}

struct http_server *http_server_new(struct loop *l, const struct http_server_opts *opts)
{
	struct http_server *s = calloc(1, sizeof(*s));
	struct http_server_opts *o;

	if (!s)
		abort();
	s->loop = l;
	s->opts = *opts;
	o = &s->opts;
	o->max_conns = o->max_conns ? o->max_conns : 1000;
	if (!o->per_address)
		o->per_address = (o->max_conns + 1) / 2;
	o->handshake_ms = or_default(o->handshake_ms, 10000);
	o->head_ms = or_default(o->head_ms, 10000);
	o->body_ms = or_default(o->body_ms, 10000);
	o->idle_ms = or_default(o->idle_ms, 75000);
	o->send_ms = or_default(o->send_ms, 10000);
	ring_init(&s->all);
	s->stop_timer = (struct source){ .fd = -1, .ready = on_stop_timer, .ctx = s };
	return s;
}

size_t http_server_conns(const struct http_server *s)
{
	return s->n;
}

static void refuse(const struct listener *l, int fd, const struct sock_addr *peer)
{
	static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
				   "Content-Length: 0\r\nConnection: close\r\n\r\n";
	const struct http_server_opts *o = &l->server->opts;

	/* TLS would need a handshake first */
	if (!l->tls)
		(void)!write(fd, busy, sizeof(busy) - 1);
	(void)close(fd);
	if (o->lost)
		o->lost(peer, HTTP_LOST_REFUSED, o->ctx);
}

/* False when there is nothing more to accept now. */
static bool accept_one(struct listener *l)
{
	struct http_server *s = l->server;
	struct sock_addr peer;
	struct slot slot;
	int fd = sock_accept(l->src.fd, &peer);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
		if (slots_evict(s))
			return true;
		l->src.want = 0;
		l->src.due = loop_now(s->loop) + RETRY_MS;
		return false;
	}
	if (fd < 0)
		return errno == ECONNABORTED || errno == EINTR;
	if (s->opts.admit && !s->opts.admit(&peer, s->opts.ctx)) {
		(void)close(fd);
		return true;
	}
	if (slot_take(l, &peer, &slot))
		conn_start(&slot, fd, &peer);
	else
		refuse(l, fd, &peer);
	return true;
}

static void on_listen(struct source *src, short events)
{
	struct listener *l = src->ctx;

	(void)events;
	src->want = POLLIN;
	for (int i = 0; i < ACCEPTS && accept_one(l); i++)
		;
}

void http_server_listen(struct http_server *s, int fd, struct tls_server *tls)
{
	struct listener *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	l->server = s;
	l->tls = tls;
	slots_init(l);
	l->src = (struct source){ .fd = fd, .want = POLLIN, .ready = on_listen, .ctx = l };
	l->next = s->listeners;
	s->listeners = l;
	loop_add(s->loop, &l->src);
}

/* Stops accepting; open connections continue. */
static void close_listeners(struct http_server *s)
{
	for (struct listener *l = s->listeners; l; l = l->next) {
		loop_remove(s->loop, &l->src);
		if (l->src.fd >= 0)
			(void)close(l->src.fd);
		l->src.fd = -1;
	}
}

void server_conn_gone(struct http_server *s)
{
	s->n--;
	if (s->stopping && s->n == 0) {
		s->stop_timer.due = 1;
		loop_update(s->loop, &s->stop_timer);
	}
}

void http_server_stop(struct http_server *s, int grace_ms, void (*done)(void *ctx), void *ctx)
{
	s->stopping = true;
	s->stopped = done;
	s->stopped_ctx = ctx;
	close_listeners(s);
	s->stop_timer.due = s->n ? clock_ms() + grace_ms : 1;
	loop_add(s->loop, &s->stop_timer);
	/* idle connections are closed at once */
	for (struct link *l = s->all.next, *next; l != &s->all; l = next) {
		struct conn *c = CONN_OF(l, all);

		next = l->next;
		if (c->state == CONN_READ && http_between(&c->reader))
			conn_close(c);
	}
}

void http_server_free(struct http_server *s)
{
	if (!s)
		return;
	s->stopping = false;
	close_listeners(s);
	while (s->all.next != &s->all)
		conn_close(CONN_OF(s->all.next, all));
	loop_remove(s->loop, &s->stop_timer);
	while (s->listeners) {
		struct listener *l = s->listeners;

		s->listeners = l->next;
		free(l);
	}
	free(s);
}
