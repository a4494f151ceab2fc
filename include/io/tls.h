/*
 * tls: TLS 1.2 over a non-blocking socket, as server and as client.
 *
 * A tls_server or tls_client holds what is common to connections and may be
 * given new certificates at any time: connections under way keep what they
 * began with. Peers are checked by Go's rules, and every refusal is told in
 * words. Sessions are resumed by id; a server's are kept in memory that worker
 * processes forked after tls_server_new share. A full handshake requires that a
 * client with an ALPN list offers http/1.1; a resumed one ignores the list.
 */
#ifndef IO_TLS_H
#define IO_TLS_H

#include <sys/types.h>
#include <sys/uio.h>

#include "data/x509.h"

struct tls;
struct tls_server;
struct tls_client;

/* ---- Versions and suites ------------------------------------------------- */

#define TLS_SUITES 24

struct tls_settings {
	uint16_t min_version; /* 0x0303 */
	uint16_t suites[TLS_SUITES];
	size_t n;
};

/* TLS 1.2, ECDHE with AES-GCM and ChaCha20. */
void tls_settings_default(struct tls_settings *out);

/*
 * From the flags --tls-min-version (VersionTLS12; "": default) and
 * --tls-cipher-suites (IANA or OpenSSL names; none: default). Names of TLS 1.3
 * suites and of others that are not supported are ignored. Unknown names are
 * ERR_INVALID. ERR_LIMIT: TLS 1.3 is the minimum, or no suite is left; the
 * caller must not serve less than was asked for.
 */
int tls_settings_parse(struct str min_version, const struct strs *suites, struct tls_settings *out,
		       struct err *err);

/* The IANA name of a suite spoken here; NULL for others. */
const char *tls_suite_name(uint16_t suite);

/* ---- Server -------------------------------------------------------------- */

/* profile NULL: the default. */
struct tls_server *tls_server_new(const struct tls_settings *profile);
void tls_server_free(struct tls_server *s);

/* The chain and key, as PEM, that new connections show. */
int tls_server_set_pair(struct tls_server *s, struct str cert, struct str key, struct err *err);

/* The same from files. */
int tls_server_load(struct tls_server *s, const char *cert, const char *key, struct err *err);

/*
 * Asks clients for a certificate of these authorities; without one they are
 * served too unless required. "" stops asking.
 */
int tls_server_set_client_ca(struct tls_server *s, struct str ca, bool required, struct err *err);

/* A connection to be; a pair must have been set. */
struct tls *tls_accept(struct tls_server *s);

/* ---- Client -------------------------------------------------------------- */

struct tls_client *tls_client_new(const struct tls_settings *profile);
void tls_client_free(struct tls_client *c);

/* The authorities to trust, as PEM. What cannot be read in it is left out. */
int tls_client_set_ca(struct tls_client *c, struct str ca, struct err *err);

/* Shown to servers that ask; "" for none. */
int tls_client_set_pair(struct tls_client *c, struct str cert, struct str key, struct err *err);

/* Believes whoever answers. */
void tls_client_set_insecure(struct tls_client *c, bool insecure);

/* Servers must be this name, whatever host they are reached by; "": the host. */
void tls_client_set_name(struct tls_client *c, struct str name);

/* A connection to be, to a server that must be host: a name or an address. */
struct tls *tls_connect(struct tls_client *c, struct str host);

/* ---- Connections --------------------------------------------------------- */

/* Does nothing with NULL. The descriptor is the caller's. */
void tls_free(struct tls *t);

/* 0 when agreed, -ERR_AGAIN (err untouched; tls_want tells), or -code. */
int tls_handshake(struct tls *t, int fd, struct err *err);

/* As stream_read and stream_write, which call these. */
ssize_t tls_read(struct tls *t, int fd, void *to, size_t n, struct err *err);
ssize_t tls_write(struct tls *t, int fd, const struct iovec *parts, int n_parts, struct err *err);

/* 0 when nothing taken by tls_write is left to be sent. */
int tls_flush(struct tls *t, int fd, struct err *err);

/* What the next step waits for, beside what the caller wants. */
short tls_want(const struct tls *t, short want);

/* Says goodbye, as far as the socket takes it now. */
void tls_close(struct tls *t, int fd);

/* The certificate a client showed and that was verified, or NULL. */
const struct x509 *tls_peer(const struct tls *t);

/* Why a handshake failed, for callers that act on it. */
enum tls_fault {
	TLS_FAULT_NONE,
	TLS_FAULT_UNTRUSTED, /* we refused the peer's certificate */
	TLS_FAULT_OTHER,
};
enum tls_fault tls_fault(const struct tls *t);

/* The first bytes were no TLS but an HTTP request. */
bool tls_saw_http(const struct tls *t);

/* Agreed without certificates, from an earlier session. */
bool tls_resumed(const struct tls *t);

/* IANA name of the suite agreed on. */
const char *tls_suite(const struct tls *t);

#endif
