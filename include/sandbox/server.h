/*
 * server: the sandbox on a socket.
 */
#ifndef SANDBOX_SERVER_H
#define SANDBOX_SERVER_H

#include "io/http_server.h"
#include "sandbox/persist.h"

/* Faults to inject, for tests; all zero: none. Rates are per 1,000 requests. */
struct sb_faults {
	int64_t latency_ms; /* before each answer */
	int64_t too_many; /* requests answered 429 with Retry-After: 1 */
	int64_t errors; /* requests answered 500 */
	int64_t drop_watch_ms; /* watches are cut after about this long */
	int64_t compact_every; /* changes between compactions */
	struct strs forbid; /* resources answered 403: "routes" */
};

struct sb_server_opts {
	struct loop *loop;
	struct sandbox *sandbox;
	struct strs tokens; /* accepted bearer tokens; none: no authentication */
	struct persist *persist; /* changes are durable before the reply; or NULL */
	int64_t bookmark_ms; /* between bookmarks; 0: a minute */
	struct sb_faults faults;
};

struct sb_server;

struct sb_server *sb_server_new(const struct sb_server_opts *o);
/* Serves fd, a listening socket; tls NULL: plain. */
void sb_server_listen(struct sb_server *s, int fd, struct tls_server *tls);
/* Ends all watches and requests, then calls done from the loop. */
void sb_server_stop(struct sb_server *s, void (*done)(void *ctx), void *ctx);
void sb_server_free(struct sb_server *s);

#endif
