/*
 * tls: TLS 1.2 over a non-blocking socket, as server and as client.
 *
 * A tls_server or tls_client holds what connections share, and takes new
 * certificates at any time: open connections keep those they started with. Peers
 * are verified by Go's rules, and every refusal has an error message. Sessions are
 * resumed by id; a server's are kept in memory that worker processes forked after
 * tls_server_new share. A full handshake requires that a
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

/* The IANA name of a supported suite; NULL for others. */
const char *tls_suite_name(uint16_t suite);

/* ---- Server -------------------------------------------------------------- */

/* profile NULL: the default. */
struct tls_server *tls_server_new(const struct tls_settings *profile);
void tls_server_free(struct tls_server *s);

/* The chain and key, as PEM, of new connections. */
int tls_server_set_pair(struct tls_server *s, struct str cert, struct str key, struct err *err);

/* The same from files. */
int tls_server_load(struct tls_server *s, const char *cert, const char *key, struct err *err);

/*
 * Requests client certificates of these authorities; clients without one are served
 * unless required is set. "" stops requesting.
 */
int tls_server_set_client_ca(struct tls_server *s, struct str ca, bool required, struct err *err);

/* Starts a connection; a pair must have been set. */
struct tls *tls_accept(struct tls_server *s);

/* ---- Client -------------------------------------------------------------- */

struct tls_client *tls_client_new(const struct tls_settings *profile);
void tls_client_free(struct tls_client *c);

/* The authorities to trust, as PEM. Unreadable certificates in it are skipped. */
int tls_client_set_ca(struct tls_client *c, struct str ca, struct err *err);

/* Sent to servers that request one; "" for none. */
int tls_client_set_pair(struct tls_client *c, struct str cert, struct str key, struct err *err);

/* Accepts any certificate. */
void tls_client_set_insecure(struct tls_client *c, bool insecure);

/* The name to verify servers by; "": the host. */
void tls_client_set_name(struct tls_client *c, struct str name);

/* Starts a connection to a server that must be host: a name or an address. */
struct tls *tls_connect(struct tls_client *c, struct str host);

/* ---- Connections --------------------------------------------------------- */

/* t may be NULL. The caller owns the descriptor. */
void tls_free(struct tls *t);

/* 0 when complete, -ERR_AGAIN (err untouched; see tls_want), or -code. */
int tls_handshake(struct tls *t, int fd, struct err *err);

/* As stream_read and stream_write, which call these. */
ssize_t tls_read(struct tls *t, int fd, void *to, size_t n, struct err *err);
ssize_t tls_write(struct tls *t, int fd, const struct iovec *parts, int n_parts, struct err *err);

/* 0 when all bytes accepted by tls_write are sent. */
int tls_flush(struct tls *t, int fd, struct err *err);

/* The poll events that the next step needs, in addition to want. */
short tls_want(const struct tls *t, short want);

/* Sends close_notify, as far as the socket accepts it now. */
void tls_close(struct tls *t, int fd);

/* The verified certificate of the client, or NULL. */
const struct x509 *tls_peer(const struct tls *t);

/* Why a handshake failed, for callers that act on it. */
enum tls_fault {
	TLS_FAULT_NONE,
	TLS_FAULT_UNTRUSTED, /* we refused the peer's certificate */
	TLS_FAULT_OTHER,
};
enum tls_fault tls_fault(const struct tls *t);

/* The first bytes were an HTTP request instead of TLS. */
bool tls_saw_http(const struct tls *t);

/* The handshake resumed an earlier session. */
bool tls_resumed(const struct tls *t);

/* IANA name of the negotiated suite. */
const char *tls_suite(const struct tls *t);

#endif
