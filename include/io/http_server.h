/*
 * http_server: HTTP/1.1 over any number of listeners in one loop.
 *
 * A handler gets a whole request and answers now or later, with bytes it only
 * points at, or with a stream written as things happen. Every phase of a
 * connection has a deadline, so that nobody holds a slot by being slow; when
 * all slots are taken the connection that has waited longest without a request
 * makes room, and only when none does a new one is refused.
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

struct http_server_opts {
	/* Answers x, now or later. */
	void (*handle)(struct http_exchange *x, void *ctx);
	/*
	 * How many bytes of body this request may have, asked when its head is
	 * there; more gives 413. NULL: none.
	 */
	size_t (*body_max)(const struct http_head *head, void *ctx);
	/* False closes a connection as soon as it is accepted. NULL: all in. */
	bool (*admit)(const struct sock_addr *peer, void *ctx);
	/*
	 * After each exchange: status (0: none sent) and bytes of body sent.
	 * Of a malformed request the head has what could be read, or nothing.
	 */
	void (*over)(const struct http_exchange *x, int status, uint64_t sent,
		     void *ctx);
	void *ctx;
	const struct http_limits *limits; /* NULL: http_limits */
	size_t max_conns; /* 0: 1000 */
	/* In milliseconds; 0 takes the figure given here. */
	int handshake_ms; /* 10 s for TLS to be agreed */
	int head_ms; /* 10 s from a head's first byte to its last */
	int body_ms; /* 30 s, and a second more for each 16 KiB */
	int idle_ms; /* 75 s between requests */
	int send_ms; /* 30 s, and a second more for each 16 KiB; in a stream,
		      * 30 s without a byte taken while some wait */
};

struct http_server *http_server_new(struct loop *l,
				    const struct http_server_opts *opts);

/*
 * Serves connections to fd, a listening socket that is the server's from here
 * on. tls is NULL for plain HTTP, and must outlive the server.
 */
void http_server_listen(struct http_server *s, int fd, struct tls_server *tls);

/*
 * Takes no more connections, lets requests under way end, cuts what is left
 * after grace_ms, then calls done, from the loop.
 */
void http_server_stop(struct http_server *s, int grace_ms,
		      void (*done)(void *ctx), void *ctx);

/* Cuts everything. Not from within a callback of the server. */
void http_server_free(struct http_server *s);

/* Connections open now. */
size_t http_server_conns(const struct http_server *s);

/* ---- Answers ------------------------------------------------------------------ */

/*
 * The whole answer. fields are lines as http_add_field writes them; the server
 * adds Date, Content-Length and, where it closes, Connection. body must stay
 * until release(owner) is called (NULL: it lives in x->a or forever). To HEAD
 * only the length of it goes out; with 204 and 304 neither.
 */
void http_reply(struct http_exchange *x, int status, struct str fields,
		struct str body, void (*release)(void *owner), void *owner);

/* An answer that is written bit by bit, in chunks. */
void http_stream_start(struct http_exchange *x, int status, struct str fields);

/* Adds a part, copied. Returns how many bytes now wait to be sent. */
size_t http_stream_write(struct http_exchange *x, struct str part);

/* The stream is complete; x must not be used any more. */
void http_stream_end(struct http_exchange *x);

#endif
