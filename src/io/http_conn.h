/* What the parts of http_server share. */
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

struct link {
	struct link *prev, *next;
};

struct holder; /* an address that has connections */

#define HOLDER_BITS 10

struct listener {
	struct http_server *server;
	struct source src;
	struct tls_server *tls;
	struct listener *next;
	struct link owing, idle, spare; /* rings of conn.turn */
	size_t n, n_spare; /* slots that are taken */
	struct holder *holders[1 << HOLDER_BITS];
	uint64_t seed;
};

/* What a connection holds of its listener. */
struct slot {
	struct listener *listener;
	struct holder *holder;
	bool spare; /* beyond the budget: for vital requests */
};

struct conn {
	struct http_exchange x; /* first: an exchange is its connection */
	struct link all, turn;
	struct slot slot;
	bool idle; /* owes nothing before its next request */
	int64_t since; /* when its unit began */
	int unit_ms;
	int64_t moved, base; /* bytes of bodies: all, and before its unit */
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
	struct link all; /* a ring */
	size_t n;
	bool stopping;
	struct source stop_timer;
	void (*stopped)(void *ctx);
	void *stopped_ctx;
	int64_t date_sec; /* the second that date tells */
	char date[48];
	size_t date_n;
};

#define CONN_OF(l, member) ((struct conn *)(void *)((char *)(l)-offsetof(struct conn, member)))

void conn_start(const struct slot *slot, int fd, const struct sock_addr *peer);
/* Ends it whatever it does, telling the handler. */
void conn_close(struct conn *c);
/* The same for one that is too slow: what it has not taken is not kept for it. */
void conn_cut(struct conn *c);

/* ---- slots: http_slots.c ------------------------------------------------- */

void ring_init(struct link *ring);
void ring_remove(struct link *l);
/* As the newest of a ring. */
void ring_add(struct link *ring, struct link *l);

void slots_init(struct listener *l);

/* Takes a slot for a new connection of peer, for which another may have to go.
 * False when there is none, not even a spare one. */
bool slot_take(struct listener *l, const struct sock_addr *peer, struct slot *out);
/* Takes a slot that is not spare for one that has a spare one, if it can. */
bool slot_promote(struct conn *c);
void slot_give(struct conn *c);
/* Frees a descriptor, when the system has no more. False when none can go. */
bool slots_evict(struct http_server *s);

/* A unit begins: there are ms for it, or to move 16 bytes for each of them. */
void conn_owes(struct conn *c, int ms);
/* Bytes of a unit came, or were given to the kernel. */
void conn_moved(struct conn *c, size_t bytes);
/* Whether so many were moved: then the next unit has begun. */
bool conn_renew(struct conn *c);
/* It owes nothing, and is the first to go when room is needed. */
void conn_idles(struct conn *c, int ms);
/* It waits for us: there is no deadline. */
void conn_rests(struct conn *c);

/* One reads at a time: what came is fed or copied before another does. */
extern char conn_scratch[65536];

/* Adds to what is sent before the body. */
void conn_out(struct conn *c, struct str s);
size_t conn_unsent(const struct conn *c);
/* 0 when all is sent, -ERR_AGAIN, or what broke. */
int conn_flush(struct conn *c, struct err *err);
/* Reads and feeds once: 0, -ERR_AGAIN, or what broke. */
int conn_read(struct conn *c, struct err *err);

/* Tells that a connection is gone. */
void server_conn_gone(struct http_server *s);

#endif
