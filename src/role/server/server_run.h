/*
 * server_run: the state of a running server, and its handlers; their ctx is the server.
 */
#ifndef ROLE_SERVER_SERVER_RUN_H
#define ROLE_SERVER_SERVER_RUN_H

#include "io/http_server.h"
#include "role/server.h"
#include "server_answers.h"
#include "server_gate.h"
#include "server_pair.h"

#define SERVER_GRACE_MS 15000 /* for requests under way at SIGTERM */

/* Counters and rates, shared by all processes. */
struct shared {
	_Atomic uint64_t statuses[600], bytes, made, restarts;
	_Atomic uint64_t lost[2]; /* by enum http_lost */
	_Atomic uint64_t denied; /* by --allow-cidr */
	struct rate_slot slots[GATE_SLOTS];
};

struct server {
	const struct server_opts *o;
	struct origin *origin;
	struct tls_server *tls;
	struct pair *pair;
	int secure, insecure, metrics, audit; /* descriptors, or -1 */
	struct shared *shared;
	struct gate *gate;
	/* in a worker */
	struct loop *loop;
	struct answers *answers;
	struct http_server *http, *metrics_http;
	struct source timer;
	int64_t warned; /* when lost connections were logged last */
	bool launched;
	int launch_rc;
	struct err *err; /* of launch_rc */
};

/* Opens the ports, and logs them. */
int server_open_sockets(struct server *s, struct err *err);

/* Serves in this process until SIGTERM. */
int server_serve(struct server *s, struct err *err);

/* Answers a request, after the checks of the gate. */
void server_handle(struct http_exchange *x, void *ctx);
void server_handle_metrics(struct http_exchange *x, void *ctx);

/* Counts an exchange, and writes it to the audit log. */
void server_over(const struct http_exchange *x, int status, uint64_t sent, void *ctx);

/*
 * Serves until SIGTERM, with TLS of min_version ("VersionTLS12") and suites (IANA names).
 * Returns the exit status, or -code.
 */
int server_run(struct arena *a, const struct server_opts *o, struct origin *origin,
	       struct str min_version, const struct strs *suites, struct err *err);

#endif
