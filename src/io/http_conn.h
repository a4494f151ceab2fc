/* What the two halves of http_server share. */
#ifndef IO_HTTP_CONN_H
#define IO_HTTP_CONN_H

#include "io/http_server.h"
#include "io/stream.h"

enum conn_state {
	CONN_HANDSHAKE,
	CONN_READ, /* a head, a body */
	CONN_HANDLE, /* the handler has it */
	CONN_SEND, /* a whole answer */
	CONN_STREAM, /* an answer that goes on */
	CONN_LINGER, /* answered; reading over what still comes */
};

struct listener {
	struct http_server *server;
	struct source src;
	struct tls_server *tls;
	struct listener *next;
};

struct link {
	struct link *prev, *next;
};

struct conn {
	struct http_exchange x; /* first: an exchange is its connection */
	struct link all, waiting; /* waiting: for a request; oldest first */
	struct http_server *server;
	struct source src;
	struct stream stream;
	struct sock_addr peer;
	enum conn_state state;
	struct http_reader reader;
	struct arena arena;
	struct buf req_body;
	size_t body_max;
	char *rest; /* read, not yet fed: what was sent behind a request */
	size_t rest_at, rest_n;
	char *out; /* to be sent, before body */
	size_t out_at, out_n, out_cap;
	struct str body; /* to be sent, not ours */
	void (*release)(void *owner);
	void *owner;
	int64_t due;
	int status;
	uint64_t sent;
	bool close_after, chunked, ended, drained, in_handler, started;
};

struct http_server {
	struct loop *loop;
	struct http_server_opts opts;
	struct listener *listeners;
	struct link all, waiting; /* rings */
	size_t n;
	bool stopping;
	struct source stop_timer;
	void (*stopped)(void *ctx);
	void *stopped_ctx;
	int64_t date_sec; /* the second that date tells */
	char date[48];
	size_t date_n;
};

#define CONN_OF(l, member) \
	((struct conn *)(void *)((char *)(l)-offsetof(struct conn, member)))

void conn_start(struct http_server *s, struct listener *l, int fd,
		const struct sock_addr *peer);
/* Ends it whatever it does, telling the handler. */
void conn_close(struct conn *c);

/* One reads at a time: what came is fed or copied before another does. */
extern char conn_scratch[65536];

void conn_unlink(struct link *l);
/* As the newest of a ring. */
void conn_link(struct link *ring, struct link *l);
/* Adds to what is sent before the body. */
void conn_out(struct conn *c, struct str s);
size_t conn_unsent(const struct conn *c);
/* 0 when all is sent, -ERR_AGAIN, or what broke. */
int conn_flush(struct conn *c, struct err *err);
/* base milliseconds from now, and those that the bytes may take. */
void conn_set_due(struct conn *c, int base, uint64_t bytes);
/* Waiting for a request, from now on. */
void conn_await(struct conn *c, int ms);
/* Reads and feeds once: 0, -ERR_AGAIN, or what broke. */
int conn_read(struct conn *c, struct err *err);

/* Tells that a connection is gone. */
void server_conn_gone(struct http_server *s);

#endif
