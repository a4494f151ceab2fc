/*
 * http_server: HTTP/1.1 over any number of listeners in one loop.
 *
 * A handler gets a complete request and answers at once or later, with a body that
 * it owns, or with a stream that it writes over time.
 *
 * Slow or numerous clients cannot keep others out:
 * - Each listener has its own slots, and one address (of IPv6: one /64) has at
 *   most a part of them.
 * - Every phase has a deadline, which single bytes do not renew. A handshake and
 *   a head must be complete in time; a body must come, and an answer be taken, at
 *   16 KiB/s or faster, measured over each period of body_ms and send_ms.
 * - When no slot is free, a connection without a request is evicted first, then the
 *   one that has gone longest without progress. A new connection never evicts one of
 *   an address that holds fewer than its own.
 * - When no connection may be evicted, the new one gets one of the spare slots (one
 *   for 16). There only vital requests are handled (see below); others are answered
 *   503, unless a slot became free by then.
 */
#ifndef IO_HTTP_SERVER_H
#define IO_HTTP_SERVER_H

#include "data/http.h"
#include "io/sock.h"

struct http_server;
struct tls_server;

/* One request and its answer. */
struct http_exchange {
	const struct http_head *head;
	struct str body; /* of the request */
	struct arena *a; /* lives as long as the exchange */
	const struct sock_addr *peer;
	struct tls *tls; /* NULL when plain */
	struct http_server *server;
	void *state; /* the handler's, as are the next two */
	/*
	 * The exchange ends unanswered or its stream breaks: the client left, or
	 * was too slow. x must not be used after this returns. Not called after
	 * http_reply or http_stream_end, whether all of it can be sent or not. A
	 * handler that answers later must set it.
	 */
	void (*on_gone)(struct http_exchange *x);
	/* All that was written to the stream has been sent. */
	void (*on_drain)(struct http_exchange *x);
};

enum http_lost { HTTP_LOST_EVICTED, HTTP_LOST_REFUSED };

struct http_server_opts {
	/* Answers x, now or later. */
	void (*handle)(struct http_exchange *x, void *ctx);
	/*
	 * The maximum size of the body, called when the head has arrived; a longer
	 * body is answered 413. NULL: no body.
	 */
	size_t (*body_max)(const struct http_head *head, void *ctx);
	/* Whether to handle a request in a spare slot. NULL: none. */
	bool (*vital)(const struct http_head *head, void *ctx);
	/* False: close the connection right after accept. NULL: admit all. */
	bool (*admit)(const struct sock_addr *peer, void *ctx);
	/*
	 * Called after each exchange, with the status (0: none sent) and the bytes of
	 * body sent. The head of a malformed request has the fields that were read.
	 */
	void (*over)(const struct http_exchange *x, int status, uint64_t sent, void *ctx);
	/* No slot was free: a connection was evicted, or a new one refused. */
	void (*lost)(const struct sock_addr *peer, enum http_lost why, void *ctx);
	void *ctx;
	const struct http_limits *limits; /* NULL: http_limits */
	size_t max_conns; /* of each listener; 0: 1000 */
	size_t per_address; /* of those for one address; 0: half of them */
	/* In milliseconds; 0: the default given here. */
	int handshake_ms; /* 10 s for the TLS handshake */
	int head_ms; /* 10 s from a head's first byte to its last */
	int body_ms; /* 10 s for a body, or for the next 160 KB of it */
	int idle_ms; /* 75 s between requests */
	int send_ms; /* 10 s for a client to read an answer, or the next 160 KB of it; for a
		      * stream, while some of it waits */
};

struct http_server *http_server_new(struct loop *l, const struct http_server_opts *opts);

/*
 * Serves connections to fd, a listening socket, which the server owns from here on.
 * tls is NULL for plain HTTP, and must outlive the server.
 */
void http_server_listen(struct http_server *s, int fd, struct tls_server *tls);

/*
 * Accepts no more connections, lets running requests finish, closes the rest after
 * grace_ms, then calls done from the loop.
 */
void http_server_stop(struct http_server *s, int grace_ms, void (*done)(void *ctx), void *ctx);

/* Closes all connections. Do not call it from a callback of the server. */
void http_server_free(struct http_server *s);

/* Connections open now. */
size_t http_server_conns(const struct http_server *s);

/* ---- Answers ------------------------------------------------------------- */

/*
 * Sends the whole answer. fields are lines as http_add_field writes them; the server
 * adds Date, Content-Length and, where it closes, Connection. body must stay valid
 * until release(owner) is called (NULL: it lives in x->a or forever). HEAD gets only
 * the length, unless body.p is NULL; 204 and 304 have neither.
 */
void http_reply(struct http_exchange *x, int status, struct str fields, struct str body,
		void (*release)(void *owner), void *owner);

/* Starts an answer that is written in parts (chunked). */
void http_stream_start(struct http_exchange *x, int status, struct str fields);

/* Adds a part, which is copied. Returns how many bytes wait to be sent. */
size_t http_stream_write(struct http_exchange *x, struct str part);

/* Ends the stream; x must not be used after it. */
void http_stream_end(struct http_exchange *x);

#endif
