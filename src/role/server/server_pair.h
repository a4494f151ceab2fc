/*
 * server_pair: the serving certificate and its key, reloaded when their files change.
 */
#ifndef ROLE_SERVER_SERVER_PAIR_H
#define ROLE_SERVER_SERVER_PAIR_H

#include "base/err.h"

struct pair;
struct tls_server;

/* Loads certificate and key into tls, which must outlive the pair. NULL and err when they do
 * not match. */
struct pair *pair_new(struct tls_server *tls, struct str cert, struct str key, struct err *err);
void pair_free(struct pair *p);

/* Reloads them when they have changed; keeps the old ones when they do not match. now is
 * loop_now. */
void pair_refresh(struct pair *p, int64_t now);

#endif
