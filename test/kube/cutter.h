/*
 * A TCP proxy that cuts connections: each may carry a random number of bytes
 * and then ends at exactly that byte, with a FIN or a reset.
 */
#ifndef TEST_KUBE_CUTTER_H
#define TEST_KUBE_CUTTER_H

#include <errno.h>
#include <unistd.h>

#include "../test.h"
#include "io/clock.h"
#include "io/sock.h"

struct cutter;

/* One direction: bytes read from one side that must go to the other. */
struct cut_pipe {
	char bytes[16384];
	size_t at, n;
	bool ended;
};

struct cut_conn {
	struct cutter *cutter;
	struct cut_conn *next;
	struct source side[2]; /* the client's, the server's */
	struct cut_pipe from[2];
	size_t left; /* bytes until the cut */
	char head[1024]; /* of a CONNECT request */
	size_t head_n;
	struct dial *dial;
};

struct cutter {
	struct loop *loop;
	struct source src;
	uint16_t port, target;
	struct test_rng rng;
	bool calm; /* stop cutting */
	bool connect; /* CONNECT names the target, which is printed */
	size_t cuts, carried;
	struct cut_conn *conns;
};

static inline void cut_drop(struct cut_conn *c, bool reset)
{
	const struct linger now = { .l_onoff = 1 };
	struct cut_conn **at = &c->cutter->conns;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	dial_cancel(c->dial);
	for (int i = 0; i < 2; i++) {
		loop_remove(c->cutter->loop, &c->side[i]);
		if (c->side[i].fd < 0)
			continue;
		if (reset)
			(void)setsockopt(c->side[i].fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		(void)close(c->side[i].fd);
	}
	free(c);
}

/* From 1 byte to 256 KiB; the size of a handshake is as likely as that of many events. */
static inline size_t cut_draw(struct cutter *k)
{
	return 1 + test_rand(&k->rng, 512u << test_rand(&k->rng, 10));
}

/* Returns false when the connection was cut. */
static inline bool cut_move(struct cut_conn *c, int i)
{
	struct cut_pipe *p = &c->from[i];
	int to = c->side[!i].fd;

	while (p->at < p->n) {
		size_t n = p->n - p->at;
		ssize_t sent;

		if (!c->cutter->calm && n > c->left)
			n = c->left;
		sent = n ? send(to, p->bytes + p->at, n, MSG_NOSIGNAL) : 0;
		if (sent < 0)
			return true;
		p->at += (size_t)sent;
		c->left -= c->cutter->calm ? 0 : (size_t)sent;
		c->cutter->carried += (size_t)sent;
		if (c->left == 0 && !c->cutter->calm) {
			c->cutter->cuts++;
			cut_drop(c, test_rand(&c->cutter->rng, 2));
			return false;
		}
	}
	return true;
}

static inline void cut_ready(struct source *s, short events)
{
	struct cut_conn *c = s->ctx;
	int i = s == &c->side[1];
	struct cut_pipe *p = &c->from[i];

	(void)events;
	if (p->at == p->n && !p->ended) {
		ssize_t n = read(s->fd, p->bytes, sizeof(p->bytes));

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			p->ended = true;
		p->at = 0;
		p->n = n > 0 ? (size_t)n : 0;
	}
	for (i = 0; i < 2; i++)
		if (!cut_move(c, i))
			return;
	for (i = 0; i < 2; i++)
		if (c->from[i].ended && c->from[i].at == c->from[i].n) {
			cut_drop(c, false);
			return;
		}
	for (i = 0; i < 2; i++) {
		const struct cut_pipe *in = &c->from[i], *out = &c->from[!i];

		c->side[i].want = (in->at == in->n && !in->ended ? POLLIN : 0) |
				  (out->at < out->n ? POLLOUT : 0);
		loop_update(c->cutter->loop, &c->side[i]);
	}
}

static inline void cut_dialled(void *ctx, int fd, struct err *err)
{
	struct cut_conn *c = ctx;

	(void)err;
	c->dial = NULL;
	if (fd < 0) {
		cut_drop(c, true);
		return;
	}
	c->side[1].fd = fd;
	for (int i = 0; i < 2; i++)
		loop_add(c->cutter->loop, &c->side[i]);
}

static inline void cut_dial(struct cut_conn *c, struct str host, uint16_t port)
{
	c->dial = dial_start(c->cutter->loop, host, port, clock_ms() + 10000, cut_dialled, c);
}

/* Reads "CONNECT host:port …" and answers it. */
static inline void cut_head(struct source *s, short events)
{
	static const char yes[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	static const char no[] = "HTTP/1.1 407 Proxy Authentication Required\r\n"
				 "Content-Length: 0\r\n\r\n";
	struct cut_conn *c = s->ctx;
	struct str head, host, port;
	const char *want = getenv("PROXY_AUTH");

	(void)events;
	if (c->head_n == sizeof(c->head) || read(s->fd, c->head + c->head_n, 1) != 1) {
		cut_drop(c, true);
		return;
	}
	head = (struct str){ c->head, ++c->head_n };
	if (!str_ends(head, S("\r\n\r\n")))
		return;
	(void)printf("%.*s\n", (int)str_find(head, S("\r\n")), head.p);
	(void)fflush(stdout);
	if (!str_starts(head, S("CONNECT ")) || (want && str_find(head, str_of(want)) < 0)) {
		(void)!write(s->fd, no, sizeof(no) - 1);
		cut_drop(c, false);
		return;
	}
	(void)!write(s->fd, yes, sizeof(yes) - 1);
	loop_remove(c->cutter->loop, s);
	s->ready = cut_ready;
	(void)str_cut(str_from(head, 8), ':', &host, &port);
	cut_dial(c, S("127.0.0.1"), (uint16_t)strtoul(port.p, NULL, 10));
}

static inline void cut_accept(struct source *s, short events)
{
	struct cutter *k = s->ctx;
	struct sock_addr from;
	struct cut_conn *c;
	int fd = sock_accept(s->fd, &from);

	(void)events;
	if (fd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (!c)
		abort();
	c->cutter = k;
	c->next = k->conns;
	k->conns = c;
	c->left = cut_draw(k);
	for (int i = 0; i < 2; i++)
		c->side[i] = (struct source){
			.fd = i ? -1 : fd, .want = POLLIN, .ready = cut_ready, .ctx = c
		};
	if (k->connect) {
		c->side[0].ready = cut_head;
		loop_add(k->loop, &c->side[0]);
	} else {
		cut_dial(c, S("127.0.0.1"), k->target);
	}
}

/* Port 0: any free port; k->port has it afterwards. */
static inline void cut_start(struct cutter *k, struct loop *l, uint16_t port, uint16_t target,
			     uint64_t seed)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int fd = -1;

	*k = (struct cutter){ .loop = l, .target = target, .rng = { seed } };
	if (sock_listen(S("127.0.0.1"), port, &fd, &err) < 0)
		abort();
	k->port = sock_port(fd);
	k->src = (struct source){ .fd = fd, .want = POLLIN, .ready = cut_accept, .ctx = k };
	loop_add(l, &k->src);
	arena_free(&a);
}

static inline void cut_stop(struct cutter *k)
{
	while (k->conns)
		cut_drop(k->conns, true);
	loop_remove(k->loop, &k->src);
	(void)close(k->src.fd);
}

#endif
