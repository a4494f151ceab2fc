/*
 * server_pair: the serving certificate and its key, read again when their files change.
 */
#ifndef ROLE_SERVER_SERVER_PAIR_H
#define ROLE_SERVER_SERVER_PAIR_H

#include "base/err.h"

struct pair;
struct tls_server;

/* Sets tls's certificate and key from files; tls must outlive the pair. NULL and
 * err when they are no pair. */
struct pair *pair_new(struct tls_server *tls, struct str cert, struct str key, struct err *err);
void pair_free(struct pair *p);

/* Reads them again when they have changed; what is no pair changes nothing. now
 * is the loop's. */
void pair_refresh(struct pair *p, int64_t now);

#endif
