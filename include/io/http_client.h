/*
 * http_client: concurrent HTTP/1.1 requests in the loop, over connections that are
 * reused; plain, TLS, and through proxies. It does not follow redirects.
 *
 * The caller owns a call and what it points at; both stay valid from
 * http_call_start until done is called or the call is cancelled. Callbacks run
 * from the loop only, never from within http_call_start.
 */
#ifndef IO_HTTP_CLIENT_H
#define IO_HTTP_CLIENT_H

#include "data/http.h"
#include "data/url.h"
#include "io/loop.h"

struct http_client;
struct tls_client;

struct http_client_opts {
	struct tls_client *tls; /* for https; must outlive the client */
	struct proxy_conf proxy; /* copied */
	const struct http_limits *limits; /* NULL: http_limits */
	size_t per_host; /* connections to one host; 0: 100. Further calls wait */
	int keep_ms; /* idle connections are closed after this; 0: 60 s */
};

struct http_client *http_client_new(struct loop *l, const struct http_client_opts *opts);

/* No call may be in flight. */
void http_client_free(struct http_client *c);

/* HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment, or in lower case. */
struct proxy_conf http_client_proxy_env(void);

/* Closes idle connections, so that new credentials take effect at once. */
void http_client_renew(struct http_client *c);

struct hconn;
struct host;

struct http_call {
	/* ---- set by the caller; the rest is zero ---- */
	struct str method, url;
	struct str fields; /* lines as http_add_field writes them */
	struct str body;
	/* In milliseconds; 0: the default given here. */
	int connect_ms; /* to connect, with the TLS handshake; 10 s */
	int head_ms; /* from then to the head of the answer; 30 s */
	int idle_ms; /* between parts of the body; 60 s. -1: no timeout (watches) */
	int total_ms; /* for the whole call; none */
	size_t body_max; /* of a body that is collected; 0: 16 MiB */
	/* The head has arrived. May be NULL. */
	void (*on_head)(struct http_call *c, const struct http_head *head);
	/* A part of the body. NULL: it is collected in result.body. */
	void (*on_body)(struct http_call *c, struct str part);
	/*
	 * The call has ended: rc is 0, or -code with err. result and head are valid
	 * within done, which may start the call again or free it.
	 */
	void (*done)(struct http_call *c, int rc, struct err *err);
	void *ctx;
	/* ---- the answer ---- */
	struct {
		int status;
		const struct http_head *head;
		struct str body;
		bool untrusted; /* it failed because the server's certificate was refused */
	} result;
	/* ---- the client's ---- */
	struct http_client *client;
	struct hconn *conn;
	struct host *host;
	struct http_call *next, *prev;
	struct source timer;
	struct arena a;
	struct url to;
	struct str key;
	struct http_head head;
	struct buf collected;
	struct err err;
	int failed; /* the error found before it was sent */
	bool waiting; /* for a connection */
	bool fresh; /* retried on a new connection: the server had closed the old one */
};

void http_call_start(struct http_client *c, struct http_call *call);

/* Cancels it; done is not called. Its own callbacks may cancel it, except done. */
void http_call_cancel(struct http_call *call);

#endif
