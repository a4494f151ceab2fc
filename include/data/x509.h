/*
 * x509: the contents of certificates: keys, names, validity and usages. io/tls verifies signatures;
 * this module decides whether a certificate is valid for a host, by Go's rules: only subject
 * alternative names count, never the common name.
 */
#ifndef DATA_X509_H
#define DATA_X509_H

#include "base/err.h"
#include "base/vec.h"

enum key_type { KEY_RSA, KEY_EC };
enum key_curve { CURVE_P256, CURVE_P384, CURVE_P521 };

/* A public key: views of the certificate. */
struct x509_key {
	enum key_type type;
	struct str n, e; /* RSA, without leading zeros */
	enum key_curve curve; /* EC */
	struct str point; /* uncompressed */
};

enum x509_sign {
	SIGN_OTHER, /* not supported */
	SIGN_SHA1,
	SIGN_SHA256,
	SIGN_SHA384,
	SIGN_SHA512,
};

enum { X509_EKU_SERVER = 1, X509_EKU_CLIENT = 2, X509_EKU_ANY = 4 };

/* The supported kinds of a GeneralName, by DER tag. */
enum x509_kind {
	X509_EMAIL = 0x81,
	X509_DNS = 0x82,
	X509_URI = 0x86,
	X509_IP = 0x87, /* 4 or 16 bytes; with a mask in a name constraint */
};

/* Names of a subject, or subtrees of a name constraint. */
struct x509_names {
	struct x509_general {
		enum x509_kind kind;
		struct str value;
	} * v;
	size_t n, cap;
};

struct x509 {
	struct str der; /* the whole certificate */
	struct str tbs, signature; /* the signed part, and the signature */
	enum x509_sign hash;
	enum key_type sign_type; /* of the signer's key */
	unsigned version; /* 1 to 3 */
	struct str issuer, subject; /* encoded names */
	int64_t not_before, not_after; /* seconds since 1970 */
	struct x509_key key;
	bool has_constraints, ca; /* basic constraints */
	bool may_sign; /* key usage allows signing certificates */
	int path_len; /* -1: any */
	bool has_eku;
	unsigned eku;
	struct str san; /* the subject alternative names, encoded; or "" */
	struct x509_names names; /* the same, only supported kinds */
	struct x509_names permitted, excluded; /* name constraints */
	bool wants_policy; /* requireExplicitPolicy: not supported */
	bool odd_critical; /* an unknown critical extension */
};

/* The largest certificate that is parsed. */
#define X509_MAX ((size_t)65536)

/* der must outlive *out. RSA keys above 4096 bits are refused (ERR_LIMIT). */
int x509_parse(struct arena *a, struct str der, struct x509 *out, struct err *err);

/* Reads a SubjectPublicKeyInfo. */
int x509_parse_key(struct str spki, struct x509_key *out, struct err *err);

/* Whether two keys are equal. */
bool x509_same_key(const struct x509_key *x, const struct x509_key *y);

/*
 * Checks that c is valid for host: a name, or, with n_ip of 4 or 16, the address ip. The error
 * names the hosts that it is valid for.
 */
int x509_check_host(const struct x509 *c, struct str host, const unsigned char *ip, size_t n_ip,
		    struct err *err);

/*
 * Checks the names of c against the name constraints of an authority. *budget is the number of
 * comparisons left, shared by a whole chain.
 */
int x509_check_limits(const struct x509 *authority, const struct x509 *c, size_t *budget,
		      struct err *err);

/* Checks that c is valid at now (seconds since 1970). */
int x509_check_time(const struct x509 *c, int64_t now, struct err *err);

/* Appends "CN=kubelet,O=system:nodes"; attributes that are not common are left out. */
void x509_add_name(struct buf *b, struct str name);

/* One attribute of a name, such as the common name: "2.5.4.<n>"; or "". */
struct str x509_attribute(struct str name, unsigned n);

/* The size of a curve's order and field elements in bytes. */
size_t x509_curve_bytes(enum key_curve c);
bool x509_curve(struct str oid, enum key_curve *out);

extern const struct str x509_oid_rsa, x509_oid_ec;

#endif
