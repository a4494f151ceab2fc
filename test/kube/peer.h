/*
 * A server that sends the bytes that a test gives it, in the test's own loop:
 * whole answers, half answers, or none.
 */
#ifndef TEST_KUBE_PEER_H
#define TEST_KUBE_PEER_H

#include <unistd.h>

#include "io/sock.h"

struct peer;

struct peer_conn {
	struct source src;
	struct peer *peer;
	struct peer_conn *next;
	struct arena a;
	struct buf in, out;
	size_t sent;
	bool hang_up; /* after everything is sent */
};

struct peer {
	/* A request has arrived, head and body. */
	void (*asked)(struct peer_conn *c, struct str request);
	void *ctx;
	struct loop *loop;
	struct source src;
	uint16_t port;
	size_t connections, requests;
	struct peer_conn *conns;
};

static inline void peer_drop(struct peer_conn *c)
{
	struct peer_conn **at = &c->peer->conns;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	loop_remove(c->peer->loop, &c->src);
	(void)close(c->src.fd);
	arena_free(&c->a);
	free(c);
}

static inline void peer_flush(struct peer_conn *c)
{
	while (c->sent < c->out.n) {
		ssize_t n = send(c->src.fd, c->out.p + c->sent, c->out.n - c->sent, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		c->sent += (size_t)n;
	}
	c->src.want = POLLIN | (c->sent < c->out.n ? POLLOUT : 0);
	loop_update(c->peer->loop, &c->src);
}

/* Queues raw bytes; the loop sends them. */
static inline void peer_say(struct peer_conn *c, struct str bytes)
{
	buf_add(&c->out, bytes);
	c->src.want = POLLIN | POLLOUT;
	loop_update(c->peer->loop, &c->src);
}

/* A complete answer; type "" omits Content-Type. */
static inline void peer_answer(struct peer_conn *c, const char *status, const char *fields,
			       struct str body)
{
	peer_say(c, str_fmt(&c->a, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status, fields,
			    body.n));
	peer_say(c, body);
}

/* One chunk of an answer that began with PEER_STREAM. */
#define PEER_STREAM                                               \
	S("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" \
	  "Transfer-Encoding: chunked\r\n\r\n")
static inline void peer_chunk(struct peer_conn *c, struct str part)
{
	peer_say(c, str_fmt(&c->a, "%zx\r\n%.*s\r\n", part.n, STRF(part)));
}

/* The length of the first request in the bytes; 0: it is incomplete. */
static inline size_t peer_whole(struct str in)
{
	ptrdiff_t end = str_find(in, S("\r\n\r\n"));
	ptrdiff_t at = str_find(in, S("Content-Length: "));
	size_t n;

	if (end < 0)
		return 0;
	n = (size_t)end + 4;
	if (at >= 0 && at < end)
		n += strtoul(in.p + at + 16, NULL, 10);
	return n <= in.n ? n : 0;
}

static inline void peer_ready(struct source *s, short events)
{
	struct peer_conn *c = s->ctx;
	char bytes[16384];
	ssize_t n;
	size_t whole;

	if (events & POLLIN) {
		n = read(s->fd, bytes, sizeof(bytes));
		if (n <= 0) {
			peer_drop(c);
			return;
		}
		buf_add(&c->in, (struct str){ bytes, (size_t)n });
		while ((whole = peer_whole(buf_str(&c->in)))) {
			struct str one = str_dup(&c->a, str_sub(buf_str(&c->in), 0, whole));

			memmove(c->in.p, c->in.p + whole, c->in.n - whole);
			c->in.n -= whole;
			c->peer->requests++;
			c->peer->asked(c, one);
		}
	}
	peer_flush(c);
	if (c->hang_up && c->sent == c->out.n)
		peer_drop(c);
}

static inline void peer_accept(struct source *s, short events)
{
	struct peer *p = s->ctx;
	struct peer_conn *c;
	struct sock_addr from;
	int fd = sock_accept(s->fd, &from);

	(void)events;
	if (fd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (!c)
		abort();
	p->connections++;
	c->peer = p;
	c->next = p->conns;
	p->conns = c;
	buf_init(&c->in, &c->a);
	buf_init(&c->out, &c->a);
	c->src = (struct source){ .fd = fd, .want = POLLIN, .ready = peer_ready, .ctx = c };
	loop_add(p->loop, &c->src);
}

static inline void peer_start(struct peer *p, struct loop *l)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int fd = -1;

	if (sock_listen(S("127.0.0.1"), 0, &fd, &err) < 0)
		abort();
	p->loop = l;
	p->port = sock_port(fd);
	p->src = (struct source){ .fd = fd, .want = POLLIN, .ready = peer_accept, .ctx = p };
	loop_add(l, &p->src);
	arena_free(&a);
}

static inline void peer_stop(struct peer *p)
{
	while (p->conns)
		peer_drop(p->conns);
	loop_remove(p->loop, &p->src);
	(void)close(p->src.fd);
}

#endif
