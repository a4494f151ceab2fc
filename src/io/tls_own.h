/* What the files of io/tls share. */
#ifndef IO_TLS_OWN_H
#define IO_TLS_OWN_H

#include <bearssl.h>

#include "data/pkey.h"
#include "io/tls.h"

#define CHAIN_MAX 10 /* certificates in a chain */
#define HOST_MAX 255

/* A certificate chain and its key; shared by connections. */
struct tls_pair {
	int refs;
	struct arena a;
	br_x509_certificate chain[CHAIN_MAX];
	size_t n;
	enum key_type type;
	br_rsa_private_key rsa;
	br_ec_private_key ec;
	unsigned issuer_type; /* BR_KEYTYPE_RSA, BR_KEYTYPE_EC */
};

/* Authorities; shared by connections. */
struct tls_roots {
	int refs;
	struct arena a;
	VEC(struct x509) v;
	br_x500_name *names;
};

int tls_pair_load(struct str cert, struct str key, struct tls_pair **out, struct err *err);
void tls_pair_drop(struct tls_pair *p);
int tls_roots_load(struct str pem, struct tls_roots **out, struct err *err);
void tls_roots_drop(struct tls_roots *r);

/* What BearSSL calls to have a peer's certificates checked. */
struct tls_verify {
	const br_x509_class *vtable;
	struct arena a;
	const struct tls_roots *roots;
	bool insecure;
	unsigned eku; /* what the certificate must be for */
	struct str host; /* "": any */
	unsigned char ip[16];
	size_t n_ip;
	struct buf cert; /* the one being received */
	size_t total; /* bytes of all */
	VEC(struct x509) chain;
	bool failed, verified;
	struct str why;
	unsigned char alert; /* that tells the peer */
	br_x509_pkey pkey;
};

extern const br_x509_class tls_verify_class;
void tls_verify_init(struct tls_verify *v, const struct tls_roots *roots);

/* Whether k has made the signature of c: RSA or ECDSA with SHA-2. */
bool tls_is_signed(const struct x509 *c, const struct x509_key *k);

/* Sets versions, suites and the code for them. */
void tls_engine_setup(br_ssl_engine_context *e, const struct tls_settings *p);

#define SAVED 8 /* sessions a client keeps */
/* Records are read whole, whatever their size; ours may be shorter. */
#define IN_BUF (16384 + 325)
#define OUT_BUF (16384 + 85)

struct tls_saved {
	char host[HOST_MAX + 1];
	br_ssl_session_parameters params;
};

struct tls_server {
	struct tls_settings profile;
	struct tls_pair *pair;
	struct tls_roots *client_ca;
	bool client_required;
	struct tls_cache *cache;
};

struct tls_client {
	struct tls_settings profile;
	struct tls_pair *pair;
	struct tls_roots *roots;
	bool insecure;
	char name[256]; /* whom to expect instead of the host; or "" */
	struct tls_saved saved[SAVED];
	size_t next_saved;
	unsigned generation; /* of what sessions were agreed under */
};

struct tls {
	union {
		br_ssl_server_context server;
		br_ssl_client_context client;
	} ctx;
	br_ssl_engine_context *eng;
	bool is_server, agreed, started, saw_http, resumed, checks;
	struct tls_pair *pair;
	struct tls_roots *roots;
	struct tls_client *owner; /* whose sessions to keep; a client's only */
	unsigned generation;
	struct tls_verify verify;
	struct x509 peer;
	char host[HOST_MAX + 1];
	unsigned char old_id[32];
	size_t old_id_n;
	unsigned char in[IN_BUF], out[OUT_BUF];
};

/* The session kept for a host, or NULL. */
struct tls_saved *tls_find_saved(struct tls_client *c, const char *host);

struct tls_cache;
struct tls_cache *tls_cache_new(void);
void tls_cache_free(struct tls_cache *c);
const br_ssl_session_cache_class **tls_cache_class(struct tls_cache *c);

/* BearSSL's number in words. */
void tls_explain(struct buf *b, int code, bool server);

/* The alert that tells a peer of BearSSL's error; 0: none is to be sent. */
unsigned char tls_alert_of(int code);

#endif
