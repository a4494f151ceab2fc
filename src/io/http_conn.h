/* Shared by the files of http_server. */
#ifndef IO_HTTP_CONN_H
#define IO_HTTP_CONN_H

#include "io/http_server.h"
#include "io/stream.h"

enum conn_state {
	CONN_HANDSHAKE,
	CONN_READ, /* reading a head or a body */
	CONN_HANDLE, /* waiting for the handler */
	CONN_SEND, /* sending a whole answer */
	CONN_STREAM, /* sending a stream */
	CONN_LINGER, /* answered; discarding input */
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
	size_t n, n_spare; /* slots in use */
	struct holder *holders[1 << HOLDER_BITS];
	uint64_t seed;
};

/* The slot of a connection. */
struct slot {
	struct listener *listener;
	struct holder *holder;
	bool spare; /* one of the spare slots: for vital requests */
};

struct conn {
	struct http_exchange x; /* first: an exchange is its connection */
	struct link all, turn;
	struct slot slot;
	bool idle; /* between requests */
	int64_t since; /* start of its unit */
	int unit_ms;
	int64_t moved, base; /* bytes of bodies: in total, and before its unit */
	struct http_server *server;
	struct source src;
	struct stream stream;
	struct sock_addr peer;
	enum conn_state state;
	struct http_reader reader;
	struct arena arena;
	struct buf req_body;
	size_t body_max;
	char *rest; /* received after the request, not yet parsed */
	size_t rest_at, rest_n;
	char *out; /* to be sent, before body */
	size_t out_at, out_n, out_cap;
	struct str body; /* to be sent; the handler owns it */
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
	int64_t date_sec; /* the second that date is for */
	char date[48];
	size_t date_n;
};

#define CONN_OF(l, member) ((struct conn *)(void *)((char *)(l)-offsetof(struct conn, member)))

void conn_start(const struct slot *slot, int fd, const struct sock_addr *peer);
/* Closes it in any state, and calls on_gone. */
void conn_close(struct conn *c);
/* The same with a reset, for a slow client: unsent bytes are dropped. */
void conn_cut(struct conn *c);

/* ---- slots: http_slots.c ------------------------------------------------- */

void ring_init(struct link *ring);
void ring_remove(struct link *l);
/* Appends to a ring. */
void ring_add(struct link *ring, struct link *l);

void slots_init(struct listener *l);

/* Takes a slot for a new connection of peer; may evict another connection. False
 * when there is none, not even a spare one. */
bool slot_take(struct listener *l, const struct sock_addr *peer, struct slot *out);
/* Replaces a spare slot by a normal one, if there is one. */
bool slot_promote(struct conn *c);
void slot_give(struct conn *c);
/* Evicts a connection when the system has no more descriptors. False: none may be. */
bool slots_evict(struct http_server *s);

/* Starts a unit: the client has ms for it, or to move 16 bytes per millisecond. */
void conn_owes(struct conn *c, int ms);
/* Counts bytes that arrived or that the kernel accepted. */
void conn_moved(struct conn *c, size_t bytes);
/* Whether enough bytes were moved: the next unit has then started. */
bool conn_renew(struct conn *c);
/* Between requests: the first to be evicted. */
void conn_idles(struct conn *c, int ms);
/* It waits for the handler: no deadline. */
void conn_rests(struct conn *c);

/* Shared by all connections: bytes are parsed or copied before the next read. */
extern char conn_scratch[65536];

/* Appends to the bytes that are sent before the body. */
void conn_out(struct conn *c, struct str s);
size_t conn_unsent(const struct conn *c);
/* 0 when all is sent, -ERR_AGAIN, or an error. */
int conn_flush(struct conn *c, struct err *err);
/* Reads and parses once: 0, -ERR_AGAIN, or an error. */
int conn_read(struct conn *c, struct err *err);

/* A connection has been freed. */
void server_conn_gone(struct http_server *s);

#endif
