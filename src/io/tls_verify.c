/*
 * Whom to believe. Certificates are gathered as BearSSL hands them over and
 * read by our own strict parser; the chain is then built from the leaf upwards,
 * in whatever order they came, until an authority has signed.
 */
#include "tls_own.h"

#include <time.h>

#define CERTS_MAX ((size_t)131072) /* bytes of a chain */
#define TRIES_MAX 24 /* signatures checked for one chain */

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
	if (length > X509_MAX || v->total + length > CERTS_MAX ||
	    v->chain.n == CHAIN_MAX)
		refuse(v, S("certificate chain is too long"));
	v->total += length;
}

static void append(const br_x509_class **ctx, const unsigned char *buf,
		   size_t len)
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

/* ---- signatures ----------------------------------------------------------------- */

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
		p.key.rsa = (br_rsa_public_key){ bytes(k->n), k->n.n,
						 bytes(k->e), k->e.n };
		return p;
	}
	p.key_type = BR_KEYTYPE_EC;
	p.key.ec = (br_ec_public_key){ ids[k->curve], bytes(k->point),
				       k->point.n };
	return p;
}

static bool signed_by(const struct x509 *c, const struct x509_key *k)
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
		return br_ecdsa_i31_vrfy_asn1(&br_ec_all_m31, sum, n,
					      &key.key.ec, c->signature.p,
					      c->signature.n) == 1;
	return br_rsa_pkcs1_vrfy_get_default()(
		       bytes(c->signature), c->signature.n, hashes[c->hash].oid,
		       n, &key.key.rsa, found) == 1 &&
	       memcmp(sum, found, n) == 0;
}

/* ---- the chain ------------------------------------------------------------------ */

struct walk {
	struct tls_verify *v;
	int64_t now;
	size_t tries, depth;
	bool used[CHAIN_MAX];
};

static int check_one(struct walk *w, const struct x509 *c, struct err *err)
{
	int rc = x509_check_time(c, w->now, err);

	if (rc < 0)
		w->v->alert = EXPIRED;
	if (rc == 0 && c->odd_critical)
		rc = err_set(
			err, ERR_INVALID,
			"certificate has a critical extension that is not supported");
	if (rc == 0 && c->has_eku && !(c->eku & (w->v->eku | X509_EKU_ANY)))
		rc = err_set(err, ERR_INVALID,
			     "certificate specifies an incompatible key usage");
	return rc;
}

static bool may_sign_at(const struct x509 *c, size_t depth)
{
	return c->ca && c->may_sign &&
	       (c->path_len < 0 || (size_t)c->path_len >= depth);
}

/* An authority that signed c, or that c itself is. */
static const struct x509 *find_root(struct walk *w, const struct x509 *c)
{
	const struct tls_roots *r = w->v->roots;

	for (size_t i = 0; r && i < r->v.n; i++) {
		const struct x509 *root = &r->v.v[i];

		if (str_eq(root->der, c->der))
			return root;
		/* constraints we cannot read would go unheeded */
		if (!str_eq(root->subject, c->issuer) || root->odd_critical ||
		    (root->has_constraints && !may_sign_at(root, w->depth)))
			continue;
		if (w->tries++ < TRIES_MAX && signed_by(c, &root->key))
			return root;
	}
	return NULL;
}

static const struct x509 *find_next(struct walk *w, const struct x509 *c)
{
	for (size_t i = 1; i < w->v->chain.n; i++) {
		const struct x509 *up = &w->v->chain.v[i];

		if (w->used[i] || !str_eq(up->subject, c->issuer) ||
		    !may_sign_at(up, w->depth))
			continue;
		if (w->tries++ < TRIES_MAX && signed_by(c, &up->key)) {
			w->used[i] = true;
			return up;
		}
	}
	return NULL;
}

static int unknown(struct tls_verify *v, const struct x509 *c, struct err *err)
{
	struct buf b;

	if (c->hash == SIGN_SHA1 || c->hash == SIGN_OTHER)
		return err_set(
			err, ERR_INVALID,
			"certificate is signed with an algorithm that is not supported (%s)",
			c->hash == SIGN_SHA1 ? "SHA-1"
					     : "RSA and ECDSA with SHA-2 are");
	v->alert = UNKNOWN_CA;
	buf_init(&b, err->a);
	x509_add_name(&b, c->issuer);
	return err_set(err, ERR_INVALID,
		       "certificate signed by unknown authority (%.*s%s)",
		       STRF(buf_str(&b)),
		       str_eq(c->issuer, c->subject) ? ", self-signed" : "");
}

static int check_chain(struct tls_verify *v, struct err *err)
{
	struct walk w = { .v = v, .now = time(NULL) };
	const struct x509 *c = &v->chain.v[0];

	for (;; w.depth++) {
		const struct x509 *root;
		int rc = check_one(&w, c, err);

		if (rc < 0)
			return rc;
		root = find_root(&w, c);
		if (root)
			return x509_check_time(root, w.now, err);
		root = find_next(&w, c);
		if (!root)
			return unknown(v, c, err);
		c = root;
	}
}

static unsigned end_chain(const br_x509_class **ctx)
{
	struct tls_verify *v = self(ctx);
	struct err err = ERR_INIT(&v->a);

	if (!v->failed && !v->chain.n)
		refuse(v, S("no certificate was shown"));
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

static const br_x509_pkey *get_pkey(const br_x509_class *const *ctx,
				    unsigned *usages)
{
	const struct tls_verify *v = (const void *)ctx;

	if (usages)
		*usages = BR_KEYTYPE_KEYX | BR_KEYTYPE_SIGN;
	return &v->pkey;
}

const br_x509_class tls_verify_class = { sizeof(struct tls_verify),
					 start_chain,
					 start_cert,
					 append,
					 end_cert,
					 end_chain,
					 get_pkey };

void tls_verify_init(struct tls_verify *v, const struct tls_roots *roots)
{
	*v = (struct tls_verify){ .vtable = &tls_verify_class, .roots = roots };
}
