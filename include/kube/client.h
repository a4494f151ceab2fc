/*
 * kube/client: requests to an API server, many at once, in the loop.
 *
 * Credentials are renewed by themselves: token files are read again, exec
 * plugins are run again, rotated certificates are loaded. A server that says
 * Retry-After is asked again; a read whose connection broke, too; a write
 * never is, for it may have been done.
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
	bool tool; /* who runs it chose the server: no warning of insecurity */
	int timeout_ms; /* of a request, tries and all; 0: the phases' alone */
	/* Every request that got no answer, before its own done; untrusted: because the
	 * server's certificate was refused. May be NULL. */
	void (*failed)(void *ctx, struct str why, bool untrusted);
	void *ctx;
};

/* ERR_INVALID or ERR_SYS when credentials cannot be read. */
int kube_new(const struct kube_opts *o, struct kube **out, struct err *err);
/* No call may be under way. */
void kube_free(struct kube *k);

/* What came of a request. */
struct kube_answer {
	/*
	 * 0, or -code: ERR_NOTFOUND 404, ERR_CONFLICT 409, ERR_GONE 410,
	 * ERR_AGAIN 429, 5xx and broken connections, ERR_INVALID the rest.
	 */
	int rc;
	int status; /* HTTP's, or 0 when there was no answer */
	struct str body;
	struct str reason; /* of a Status: "AlreadyExists" … */
	struct str message; /* why it failed, for people */
	int64_t retry_after_ms; /* asked for by the server, or 0 */
};

/* The caller's storage, in use until done is called or it is cancelled. */
struct kube_call {
	/* ---- set by the caller; the rest is zero ---- */
	const char *method;
	struct str path; /* with the query */
	const char *type; /* of the body; NULL: application/json */
	struct str body;
	size_t body_max; /* of the answer; 0: 16 MiB */
	bool watch; /* no bounds between parts, no slot */
	bool once; /* do not ask again */
	/* Parts of a good answer's body. NULL: it is collected. */
	void (*on_part)(struct kube_call *c, struct str part);
	/* The answer is valid within; c may be started again or freed. */
	void (*done)(struct kube_call *c, const struct kube_answer *ans);
	void *ctx;
	/* ---- the client's ---- */
	struct kube *kube;
	struct http_call http;
	struct source wait;
	struct kube_call *next;
	struct arena a;
	int tries, failed;
	int64_t until; /* when its time is over; 0: never */
	bool running, renewed, good, alien;
	struct buf fault; /* body of a refusal that on_part must not see */
};

void kube_start(struct kube *k, struct kube_call *c);
/* done is not called. Not from within done. */
void kube_cancel(struct kube_call *c);

struct loop *kube_loop(const struct kube *k);
const struct kube_conf *kube_conf(const struct kube *k);

/* -code and message for a Status (an answer's body, or an ERROR event). */
int kube_status(struct arena *a, int http, struct str body, struct kube_answer *out);

/* Appends s with what a URL's query must escape escaped. */
void kube_escape(struct buf *b, struct str s);

/* Runs the loop until one request is answered: for tools. */
int kube_get(struct kube *k, struct arena *a, struct str path, struct str *out, struct err *err);

#endif
