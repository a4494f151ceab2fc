/*
 * Parses certificates and public keys. Strings of struct x509 view the DER, which the caller owns.
 */
#include "data/x509.h"

#include "data/pki/der.h"
#include "x509_ext.h"

#define O(bytes)                         \
	{                                \
		bytes, sizeof(bytes) - 1 \
	}

const struct str x509_oid_rsa = O("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01");
const struct str x509_oid_ec = O("\x2a\x86\x48\xce\x3d\x02\x01");

static const struct {
	struct str oid;
	unsigned char hash, type;
} signs[] = {
	{ O("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x05"), SIGN_SHA1, KEY_RSA },
	{ O("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b"), SIGN_SHA256, KEY_RSA },
	{ O("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0c"), SIGN_SHA384, KEY_RSA },
	{ O("\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0d"), SIGN_SHA512, KEY_RSA },
	{ O("\x2a\x86\x48\xce\x3d\x04\x01"), SIGN_SHA1, KEY_EC },
	{ O("\x2a\x86\x48\xce\x3d\x04\x03\x02"), SIGN_SHA256, KEY_EC },
	{ O("\x2a\x86\x48\xce\x3d\x04\x03\x03"), SIGN_SHA384, KEY_EC },
	{ O("\x2a\x86\x48\xce\x3d\x04\x03\x04"), SIGN_SHA512, KEY_EC },
};

static const struct {
	struct str oid;
	unsigned char bytes;
} curves[] = {
	[CURVE_P256] = { O("\x2a\x86\x48\xce\x3d\x03\x01\x07"), 32 },
	[CURVE_P384] = { O("\x2b\x81\x04\x00\x22"), 48 },
	[CURVE_P521] = { O("\x2b\x81\x04\x00\x23"), 66 },
};

bool x509_curve(struct str oid, enum key_curve *out)
{
	for (size_t i = 0; i < ARRAY_LEN(curves); i++)
		if (str_eq(oid, curves[i].oid)) {
			*out = (enum key_curve)i;
			return true;
		}
	return false;
}

size_t x509_curve_bytes(enum key_curve c)
{
	return curves[c].bytes;
}

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_INVALID, "malformed certificate: %s", what);
}

static int parse_rsa(struct str bits, struct x509_key *k, struct err *err)
{
	struct str seq;

	if (!der_take(&bits, DER_SEQ, &seq) || bits.n || !der_take_uint(&seq, &k->n) ||
	    !der_take_uint(&seq, &k->e) || seq.n)
		return bad(err, "RSA key");
	if (k->n.n > 512 || k->e.n > 4)
		return err_set(err, ERR_LIMIT, "RSA key of %zu bits: at most 4096 are supported",
			       k->n.n * 8);
	if (k->n.n < 128)
		return err_set(err, ERR_INVALID, "RSA key of %zu bits is too weak: 1024 at least",
			       k->n.n * 8);
	k->type = KEY_RSA;
	return 0;
}

int x509_parse_key(struct str spki, struct x509_key *out, struct err *err)
{
	struct str alg, oid, curve, bits;
	struct x509_key k = { 0 };
	int rc;

	if (!der_take(&spki, DER_SEQ, &alg) || !der_take(&alg, DER_OID, &oid) ||
	    !der_take_bits(&spki, &bits) || spki.n)
		return bad(err, "public key");
	if (str_eq(oid, x509_oid_rsa)) {
		rc = parse_rsa(bits, &k, err);
		if (rc == 0)
			*out = k;
		return rc;
	}
	if (!str_eq(oid, x509_oid_ec))
		return err_set(err, ERR_INVALID, "key is neither RSA nor EC: not supported");
	if (!der_take(&alg, DER_OID, &curve) || !x509_curve(curve, &k.curve))
		return err_set(err, ERR_INVALID,
			       "EC key on a curve other than P-256, P-384, P-521");
	k.type = KEY_EC;
	k.point = bits;
	if (bits.n != 2 * x509_curve_bytes(k.curve) + 1 || bits.p[0] != 4)
		return bad(err, "EC point");
	*out = k;
	return 0;
}

bool x509_same_key(const struct x509_key *x, const struct x509_key *y)
{
	if (x->type != y->type)
		return false;
	return x->type == KEY_RSA ? str_eq(x->n, y->n) && str_eq(x->e, y->e)
				  : x->curve == y->curve && str_eq(x->point, y->point);
}

static void sign_of(struct str alg, struct x509 *c)
{
	struct str oid;

	if (!der_take(&alg, DER_OID, &oid))
		return;
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (str_eq(oid, signs[i].oid)) {
			c->hash = (enum x509_sign)signs[i].hash;
			c->sign_type = (enum key_type)signs[i].type;
		}
}

static int parse_tbs(struct arena *a, struct str tbs, struct str outer_alg, struct x509 *c,
		     struct err *err)
{
	struct str v, alg, time, spki;
	uint32_t version = 0;
	int rc;

	if (der_take(&tbs, 0xA0, &v) && (!der_take_small(&v, &version) || v.n || version > 2))
		return bad(err, "version");
	c->version = version + 1;
	if (!der_take_uint(&tbs, &v))
		return bad(err, "serial number");
	if (!der_take(&tbs, DER_SEQ, &alg) || !str_eq(alg, outer_alg))
		return bad(err, "signature algorithm");
	sign_of(alg, c);
	if (!der_take_raw(&tbs, DER_SEQ, &c->issuer, &v))
		return bad(err, "issuer");
	if (!der_take(&tbs, DER_SEQ, &time) || !der_take_time(&time, &c->not_before) ||
	    !der_take_time(&time, &c->not_after) || time.n)
		return bad(err, "validity");
	if (!der_take_raw(&tbs, DER_SEQ, &c->subject, &v))
		return bad(err, "subject");
	if (!der_take(&tbs, DER_SEQ, &spki))
		return bad(err, "public key");
	rc = x509_parse_key(spki, &c->key, err);
	if (rc < 0)
		return rc;
	return x509_extensions(a, tbs, c) ? 0 : bad(err, "extension");
}

int x509_parse(struct arena *a, struct str der, struct x509 *out, struct err *err)
{
	struct x509 c = { .der = der, .path_len = -1, .may_sign = true };
	struct str rest = der, cert, tbs, alg;
	int rc;

	if (der.n > X509_MAX)
		return err_set(err, ERR_LIMIT, "certificate of %zu bytes", der.n);
	if (!der_take(&rest, DER_SEQ, &cert) || rest.n ||
	    !der_take_raw(&cert, DER_SEQ, &c.tbs, &tbs) || !der_take(&cert, DER_SEQ, &alg) ||
	    !der_take_bits(&cert, &c.signature) || cert.n)
		return bad(err, "structure");
	rc = parse_tbs(a, tbs, alg, &c, err);
	if (rc == 0)
		*out = c;
	return rc;
}
