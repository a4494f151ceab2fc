/*
 * Private keys. The sizes of all numbers are checked here: the arithmetic of the TLS library relies
 * on them.
 */
#include "data/pkey.h"

#include "data/pki/der.h"
#include "data/pem.h"

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_INVALID, "malformed private key: %s", what);
}

static int parse_rsa(struct str der, struct pkey *k, struct err *err)
{
	struct str seq, d;
	uint32_t version;

	if (!der_take(&der, DER_SEQ, &seq) || der.n || !der_take_small(&seq, &version))
		return bad(err, "RSA structure");
	if (version != 0)
		return err_set(err, ERR_INVALID,
			       "RSA key with more than two primes: not supported");
	if (!der_take_uint(&seq, &k->n) || !der_take_uint(&seq, &k->e) ||
	    !der_take_uint(&seq, &d) || !der_take_uint(&seq, &k->p) ||
	    !der_take_uint(&seq, &k->q) || !der_take_uint(&seq, &k->dp) ||
	    !der_take_uint(&seq, &k->dq) || !der_take_uint(&seq, &k->iq) || seq.n)
		return bad(err, "RSA numbers");
	if (k->n.n > 512 || k->e.n > 4)
		return err_set(err, ERR_LIMIT, "RSA key of %zu bits: at most 4096 are supported",
			       k->n.n * 8);
	/* each prime has half the size of the modulus: the arithmetic relies on it */
	if (k->n.n < 128 || k->p.n > (k->n.n + 1) / 2 + 1 || k->q.n > (k->n.n + 1) / 2 + 1 ||
	    k->p.n < k->n.n / 2 - 1 || k->q.n < k->n.n / 2 - 1 || k->dp.n > k->p.n ||
	    k->dq.n > k->q.n || k->iq.n > k->p.n || !((unsigned char)k->p.p[k->p.n - 1] & 1) ||
	    !((unsigned char)k->q.p[k->q.n - 1] & 1))
		return bad(err, "RSA numbers");
	k->type = KEY_RSA;
	return 0;
}

/* The curve is in the key itself (SEC 1) or outside of it (PKCS#8: given). */
static int parse_ec(struct str der, const enum key_curve *given, struct pkey *k, struct err *err)
{
	struct str seq, params, oid;
	uint32_t version;

	if (!der_take(&der, DER_SEQ, &seq) || der.n || !der_take_small(&seq, &version) ||
	    version != 1 || !der_take(&seq, DER_OCTETS, &k->x))
		return bad(err, "EC structure");
	if (given)
		k->curve = *given;
	else if (!der_take(&seq, 0xA0, &params) || !der_take(&params, DER_OID, &oid) ||
		 !x509_curve(oid, &k->curve))
		return err_set(err, ERR_INVALID,
			       "EC key on a curve other than P-256, P-384, P-521");
	if (!k->x.n || k->x.n > x509_curve_bytes(k->curve))
		return bad(err, "EC number");
	k->type = KEY_EC;
	return 0;
}

static int parse_pkcs8(struct str der, struct pkey *k, struct err *err)
{
	struct str seq, alg, oid, curve_oid, inner;
	enum key_curve curve;
	uint32_t version;

	if (!der_take(&der, DER_SEQ, &seq) || der.n || !der_take_small(&seq, &version) ||
	    version > 1 || !der_take(&seq, DER_SEQ, &alg) || !der_take(&alg, DER_OID, &oid) ||
	    !der_take(&seq, DER_OCTETS, &inner))
		return bad(err, "PKCS#8 structure");
	if (str_eq(oid, x509_oid_rsa))
		return parse_rsa(inner, k, err);
	if (!str_eq(oid, x509_oid_ec))
		return err_set(err, ERR_INVALID,
			       "private key is neither RSA nor EC: not supported");
	if (!der_take(&alg, DER_OID, &curve_oid) || !x509_curve(curve_oid, &curve))
		return err_set(err, ERR_INVALID,
			       "EC key on a curve other than P-256, P-384, P-521");
	return parse_ec(inner, &curve, k, err);
}

int pkey_parse(struct arena *a, struct str pem, struct pkey *out, struct err *err)
{
	struct pkey k = { 0 };
	struct pem block;
	int rc;

	do {
		rc = pem_next(a, &pem, &block, err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return err_set(err, ERR_INVALID, "no private key found in PEM");
	} while (!str_ends(block.label, S("PRIVATE KEY")));
	if (str_starts(block.label, S("ENCRYPTED")) || str_find(block.headers, S("ENCRYPTED")) >= 0)
		return err_set(err, ERR_INVALID, "private key is encrypted: not supported");
	if (str_is(block.label, "RSA PRIVATE KEY"))
		rc = parse_rsa(block.der, &k, err);
	else if (str_is(block.label, "EC PRIVATE KEY"))
		rc = parse_ec(block.der, NULL, &k, err);
	else
		rc = parse_pkcs8(block.der, &k, err);
	if (rc == 0)
		*out = k;
	return rc;
}
