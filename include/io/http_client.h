/*
 * http_client: HTTP/1.1 requests in the loop, many at once, over connections
 * that are kept and used again; plain, TLS, and through proxies. Redirects are
 * answers like others.
 *
 * A call is the caller's storage, in use from http_call_start until done is
 * called or it is cancelled. What it points at must last as long. Callbacks come
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
	size_t per_host; /* connections at once to one host; 0: 100. More wait */
	int keep_ms; /* how long a connection waits for its next use; 0: 60 s */
};

struct http_client *http_client_new(struct loop *l, const struct http_client_opts *opts);

/* No call may be under way. */
void http_client_free(struct http_client *c);

/* HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment, or in small. */
struct proxy_conf http_client_proxy_env(void);

/* Closes connections not in use, so that new credentials are used at once. */
void http_client_renew(struct http_client *c);

struct hconn;
struct host;

struct http_call {
	/* ---- set by the caller; the rest is zero ---- */
	struct str method, url;
	struct str fields; /* lines as http_add_field writes them */
	struct str body;
	/* In milliseconds; 0 takes the figure given here. */
	int connect_ms; /* 10 s to be connected and TLS agreed */
	int head_ms; /* 30 s from then to the head of the answer */
	int idle_ms; /* 60 s between parts of the body; -1: no bound (watches) */
	int total_ms; /* for all of it; none */
	size_t body_max; /* of a body that is collected; 0: 16 MiB */
	/* The head is there. May be NULL. */
	void (*on_head)(struct http_call *c, const struct http_head *head);
	/* A part of the body. NULL: it is collected in result.body. */
	void (*on_body)(struct http_call *c, struct str part);
	/*
	 * The end: rc is 0, or -code with err. result and head are valid within
	 * done; the call may be started again or freed there.
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
	int failed; /* before it began */
	bool waiting; /* for a connection */
	bool fresh; /* on a new connection: an old one had been closed */
};

void http_call_start(struct http_client *c, struct http_call *call);

/* Ends it; done is not called. Allowed in its own callbacks but done. */
void http_call_cancel(struct http_call *call);

#endif
