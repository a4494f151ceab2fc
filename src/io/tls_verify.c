/*
 * Verifies a peer's certificates. BearSSL passes them on as they arrive, and the
 * strict parser of data/x509 reads them; data/x509_chain finds a chain to a trusted
 * authority, and this file checks its signatures with BearSSL.
 */
#include "tls_own.h"

#include "data/x509_chain.h"
#include "io/clock.h"

#define CERTS_MAX ((size_t)131072) /* bytes of a chain */

static struct tls_verify *self(const br_x509_class **ctx)
{
	return (struct tls_verify *)(void *)ctx;
}

static void start_chain(const br_x509_class **ctx, const char *server_name)
{
	struct tls_verify *v = self(ctx);

	(void)server_name;
	v->chain.n = 0;
	v->total = 0;
	v->failed = v->verified = false;
}

/* Alerts of TLS. */
enum { BAD_CERTIFICATE = 42, EXPIRED = 45, UNKNOWN_CA = 48 };

static void refuse(struct tls_verify *v, struct str why)
{
	if (!v->failed)
		v->why = str_dup(&v->a, why);
	if (!v->alert)
		v->alert = BAD_CERTIFICATE;
	v->failed = true;
}

static void start_cert(const br_x509_class **ctx, uint32_t length)
{
	struct tls_verify *v = self(ctx);

	buf_init(&v->cert, &v->a);
	if (length > X509_MAX || v->total + length > CERTS_MAX || v->chain.n == X509_CHAIN_MAX)
		refuse(v, S("certificate chain is too long"));
	v->total += length;
}

static void append(const br_x509_class **ctx, const unsigned char *buf, size_t len)
{
	struct tls_verify *v = self(ctx);

	if (!v->failed)
		buf_add(&v->cert, (struct str){ (const char *)buf, len });
}

static void end_cert(const br_x509_class **ctx)
{
	struct tls_verify *v = self(ctx);
	struct err err = ERR_INIT(&v->a);
	struct x509 c;

	if (v->failed)
		return;
	if (x509_parse(&v->a, buf_str(&v->cert), &c, &err) < 0)
		refuse(v, err.msg);
	else
		VEC_PUSH(&v->a, &v->chain, c);
}

/* ---- signatures ---------------------------------------------------------- */

static const struct {
	const br_hash_class *hash;
	const unsigned char *oid;
	size_t n;
} hashes[] = {
	[SIGN_SHA256] = { &br_sha256_vtable, BR_HASH_OID_SHA256, 32 },
	[SIGN_SHA384] = { &br_sha384_vtable, BR_HASH_OID_SHA384, 48 },
	[SIGN_SHA512] = { &br_sha512_vtable, BR_HASH_OID_SHA512, 64 },
};

static unsigned char *bytes(struct str s)
{
	return (unsigned char *)(uintptr_t)s.p;
}

static br_x509_pkey key_of(const struct x509_key *k)
{
	static const int ids[] = { [CURVE_P256] = BR_EC_secp256r1,
				   [CURVE_P384] = BR_EC_secp384r1,
				   [CURVE_P521] = BR_EC_secp521r1 };
	br_x509_pkey p = { .key_type = BR_KEYTYPE_RSA };

	if (k->type == KEY_RSA) {
		p.key.rsa = (br_rsa_public_key){ bytes(k->n), k->n.n, bytes(k->e), k->e.n };
		return p;
	}
	p.key_type = BR_KEYTYPE_EC;
	p.key.ec = (br_ec_public_key){ ids[k->curve], bytes(k->point), k->point.n };
	return p;
}

bool tls_is_signed(const struct x509 *c, const struct x509_key *k)
{
	unsigned char sum[64], found[64];
	br_hash_compat_context h;
	br_x509_pkey key = key_of(k);
	size_t n;

	if (c->hash < SIGN_SHA256 || c->sign_type != k->type)
		return false;
	n = hashes[c->hash].n;
	hashes[c->hash].hash->init(&h.vtable);
	h.vtable->update(&h.vtable, c->tbs.p, c->tbs.n);
	h.vtable->out(&h.vtable, sum);
	if (k->type == KEY_EC)
		return br_ecdsa_i31_vrfy_asn1(&br_ec_all_m31, sum, n, &key.key.ec, c->signature.p,
					      c->signature.n) == 1;
	return br_rsa_pkcs1_vrfy_get_default()(bytes(c->signature), c->signature.n,
					       hashes[c->hash].oid, n, &key.key.rsa, found) == 1 &&
	       memcmp(sum, found, n) == 0;
}

/* ---- the chain ----------------------------------------------------------- */

static int check_chain(struct tls_verify *v, struct err *err)
{
	static const unsigned char alerts[] = {
		[X509_BAD] = BAD_CERTIFICATE, [X509_EXPIRED] = EXPIRED, [X509_UNKNOWN] = UNKNOWN_CA
	};
	struct x509_trust trust = { .eku = v->eku,
				    .now = clock_wall_s(),
				    .is_signed = tls_is_signed };
	enum x509_fault fault = X509_BAD;
	int rc;

	if (v->roots) {
		trust.roots = v->roots->v.v;
		trust.n_roots = v->roots->v.n;
	}
	rc = x509_chain_check(&trust, v->chain.v, v->chain.n, &fault, err);
	if (rc < 0)
		v->alert = alerts[fault];
	return rc;
}

static unsigned end_chain(const br_x509_class **ctx)
{
	struct tls_verify *v = self(ctx);
	struct err err = ERR_INIT(&v->a);

	if (!v->failed && !v->chain.n)
		refuse(v, S("no certificate was presented"));
	if (!v->failed && !v->insecure && check_chain(v, &err) < 0)
		refuse(v, err.msg);
	if (!v->failed && !v->insecure && v->host.n &&
	    x509_check_host(&v->chain.v[0], v->host, v->ip, v->n_ip, &err) < 0)
		refuse(v, err.msg);
	if (v->failed)
		return BR_ERR_X509_NOT_TRUSTED;
	v->verified = true;
	v->pkey = key_of(&v->chain.v[0].key);
	return 0;
}

static const br_x509_pkey *get_pkey(const br_x509_class *const *ctx, unsigned *usages)
{
	const struct tls_verify *v = (const void *)ctx;

	if (usages)
		*usages = BR_KEYTYPE_KEYX | BR_KEYTYPE_SIGN;
	return &v->pkey;
}

const br_x509_class tls_verify_class = {
	sizeof(struct tls_verify), start_chain, start_cert, append, end_cert, end_chain, get_pkey
};

void tls_verify_init(struct tls_verify *v, const struct tls_roots *roots)
{
	*v = (struct tls_verify){ .vtable = &tls_verify_class, .roots = roots };
}
