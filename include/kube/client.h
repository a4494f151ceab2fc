/*
 * kube/client: parallel requests to an API server, in the loop.
 *
 * Credentials are renewed automatically: token files are read again, exec plugins run again,
 * rotated certificates are loaded. A request is retried when the server sends Retry-After. A
 * read is retried once when its connection breaks; a write is not, because the server may have
 * executed it.
 */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include "data/kubeconfig.h"
#include "io/http_client.h"

struct kube;

struct kube_opts {
	struct loop *loop;
	const struct kube_conf *conf; /* must outlive the client */
	const char *agent; /* component, for User-Agent */
	size_t in_flight; /* requests at once; 0: 32. Watches do not count */
	bool tool; /* the user chose the server: no warning about insecure TLS */
	int timeout_ms; /* of a request with all retries; 0: only the limits of its phases */
	/* Called for every request without a response, before its done; untrusted: the server's
	 * certificate was refused. May be NULL. */
	void (*failed)(void *ctx, struct str why, bool untrusted);
	void *ctx;
};

/* ERR_INVALID or ERR_SYS when credentials cannot be read. */
int kube_new(const struct kube_opts *o, struct kube **out, struct err *err);
/* No call may be running. */
void kube_free(struct kube *k);

/* The outcome of a request. */
struct kube_answer {
	/*
	 * 0, or -code: ERR_NOTFOUND 404, ERR_CONFLICT 409, ERR_GONE 410,
	 * ERR_AGAIN 429, 5xx and broken connections, ERR_INVALID the rest.
	 */
	int rc;
	int status; /* of HTTP; 0: no response */
	struct str body;
	struct str reason; /* of a Status: "AlreadyExists", for example */
	struct str message; /* why it failed, for people */
	int64_t retry_after_ms; /* from the server, or 0 */
};

/* The caller's storage, in use until done is called or it is cancelled. */
struct kube_call {
	/* ---- set by the caller; the rest is zero ---- */
	const char *method;
	struct str path; /* with the query */
	const char *type; /* of the body; NULL: application/json */
	struct str body;
	size_t body_max; /* of the response; 0: 16 MiB */
	bool watch; /* no time limit between parts, takes no slot */
	bool once; /* do not retry */
	/* Parts of the body of a successful response. NULL: the body is collected. */
	void (*on_part)(struct kube_call *c, struct str part);
	/* ans is valid within the call; the callback may start c again or free it. */
	void (*done)(struct kube_call *c, const struct kube_answer *ans);
	void *ctx;
	/* ---- private to the client ---- */
	struct kube *kube;
	struct http_call http;
	struct source wait;
	struct kube_call *next;
	struct arena a;
	int tries, failed;
	int64_t until; /* deadline; 0: none */
	bool running, renewed, good, alien;
	struct buf fault; /* body of an error response, which on_part must not see */
};

void kube_start(struct kube *k, struct kube_call *c);
/* Ends a call without calling done. Must not be called from within done. */
void kube_cancel(struct kube_call *c);

struct loop *kube_loop(const struct kube *k);
const struct kube_conf *kube_conf(const struct kube *k);

/* -code and message for a Status (the body of a response, or of an ERROR event). */
int kube_status(struct arena *a, int http, struct str body, struct kube_answer *out);

/* Appends s, percent-encoded for the query of a URL. */
void kube_escape(struct buf *b, struct str s);

/* Runs the loop until one request is answered: for tools. */
int kube_get(struct kube *k, struct arena *a, struct str path, struct str *out, struct err *err);

#endif
