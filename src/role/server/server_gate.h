/*
 * server_gate: decides which clients get a config, and how often.
 */
#ifndef ROLE_SERVER_SERVER_GATE_H
#define ROLE_SERVER_SERVER_GATE_H

#include "base/rate.h"
#include "base/vec.h"
#include "io/sock.h"

struct gate;

struct gate_opts {
	const struct strs *allow; /* "10.0.0.0/8"; none: every address */
	struct str token_file; /* bearer tokens, one per line; "": none needed */
	int64_t per_minute; /* per address; 0: no limit */
	struct rate_slot *slots; /* shared by all processes, for per_minute */
};

#define GATE_SLOTS 4096

/* NULL and err for an invalid network, or a token file without tokens. */
struct gate *gate_new(const struct gate_opts *o, struct err *err);
void gate_free(struct gate *g);

/* Reloads the tokens when their file has changed; keeps the old ones when it cannot be
 * read. */
void gate_refresh(struct gate *g);

/* Whether the address is in one of the networks. */
bool gate_admits(const struct gate *g, const struct sock_addr *peer);

/* Whether the value of an Authorization header has a valid token; in constant time. */
bool gate_knows(struct gate *g, struct str authorization);

/* Whether the address is below its rate; if not, *seconds until it is. */
bool gate_paces(struct gate *g, const struct sock_addr *peer, int64_t *seconds);

#endif
