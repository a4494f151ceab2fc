/* Shared by the files of io/tls. */
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

/* The verifier that BearSSL calls with a peer's certificates. */
struct tls_verify {
	const br_x509_class *vtable;
	struct arena a;
	const struct tls_roots *roots;
	bool insecure;
	unsigned eku; /* the required extended key usage */
	struct str host; /* "": any */
	unsigned char ip[16];
	size_t n_ip;
	struct buf cert; /* the one that is being received */
	size_t total; /* bytes of all */
	VEC(struct x509) chain;
	bool failed, verified;
	struct str why;
	unsigned char alert; /* to send to the peer */
	br_x509_pkey pkey;
};

extern const br_x509_class tls_verify_class;
void tls_verify_init(struct tls_verify *v, const struct tls_roots *roots);

/* Whether the signature of c verifies with k: RSA or ECDSA with SHA-2. */
bool tls_is_signed(const struct x509 *c, const struct x509_key *k);

/* Sets versions, suites and their implementations. */
void tls_engine_setup(br_ssl_engine_context *e, const struct tls_settings *p);

#define SAVED 8 /* sessions a client keeps */
/* Records of any size are read; those that are sent may be shorter. */
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
	char name[256]; /* the name to verify instead of the host; or "" */
	struct tls_saved saved[SAVED];
	size_t next_saved;
	unsigned generation; /* of the settings; sessions of another one are not resumed */
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
	struct tls_client *owner; /* of a client: where its sessions are kept */
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

/* Adds the message for BearSSL's error number. */
void tls_explain(struct buf *b, int code, bool server);

/* The alert for BearSSL's error; 0: send none. */
unsigned char tls_alert_of(int code);

#endif
