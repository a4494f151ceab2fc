/*
 * server_gate: who may ask for a config, and how often.
 */
#ifndef ROLE_SERVER_SERVER_GATE_H
#define ROLE_SERVER_SERVER_GATE_H

#include "base/rate.h"
#include "base/vec.h"
#include "io/sock.h"

struct gate;

struct gate_opts {
	const struct strs *allow; /* "10.0.0.0/8"; none: everyone */
	struct str token_file; /* tokens, one a line; "": none needed */
	int64_t per_minute; /* from one address; 0: any number */
	struct rate_slot *slots; /* of all processes, for per_minute */
};

#define GATE_SLOTS 4096

/* NULL and err for what is no network, or a token file that has none. */
struct gate *gate_new(const struct gate_opts *o, struct err *err);
void gate_free(struct gate *g);

/* Reads the tokens again when their file has changed; what cannot be read leaves
 * them as they were. */
void gate_refresh(struct gate *g);

/* Whether the address is in one of the networks. */
bool gate_admits(const struct gate *g, const struct sock_addr *peer);

/* Whether the value of an Authorization header has a token. Takes as long for
 * a wrong one as for a right one. */
bool gate_knows(struct gate *g, struct str authorization);

/* Whether the address may ask now; if not, *seconds until it may. */
bool gate_paces(struct gate *g, const struct sock_addr *peer, int64_t *seconds);

#endif
