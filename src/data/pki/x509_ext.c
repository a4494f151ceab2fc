/*
 * Extensions of a certificate, as Go parses them: a malformed or duplicate extension makes the
 * whole certificate malformed.
 */
#include "x509_ext.h"

#include "data/pki/der.h"

#define OID(bytes) ((struct str){ bytes, sizeof(bytes) - 1 })

/* A boolean has one byte, all zeros or all ones. */
static bool take_bool(struct str *in, bool *out)
{
	struct str v;

	if (!in->n || (unsigned char)in->p[0] != DER_BOOL)
		return true;
	if (!der_take(in, DER_BOOL, &v) || v.n != 1 ||
	    (v.p[0] != 0 && (unsigned char)v.p[0] != 0xFF))
		return false;
	*out = v.p[0] != 0;
	return true;
}

static bool ext_constraints(struct str v, struct x509 *c)
{
	struct str seq;
	uint32_t len;

	if (!der_take(&v, DER_SEQ, &seq) || v.n || !take_bool(&seq, &c->ca))
		return false;
	c->has_constraints = true;
	if (seq.n) {
		if (!der_take_small(&seq, &len) || len > 1000)
			return false;
		c->path_len = (int)len;
	}
	return !seq.n;
}

static bool ext_usage(struct str v, struct x509 *c)
{
	struct str bits;

	if (!der_take(&v, DER_BITS, &bits) || v.n || bits.n < 2)
		return false;
	c->may_sign = ((unsigned char)bits.p[1] & 0x04) != 0;
	return true;
}

static bool ext_eku(struct str v, struct x509 *c)
{
	struct str seq, oid;

	if (!der_take(&v, DER_SEQ, &seq) || v.n)
		return false;
	c->has_eku = true;
	while (seq.n) {
		if (!der_take(&seq, DER_OID, &oid))
			return false;
		if (str_is(oid, "\x2b\x06\x01\x05\x05\x07\x03\x01"))
			c->eku |= X509_EKU_SERVER;
		else if (str_is(oid, "\x2b\x06\x01\x05\x05\x07\x03\x02"))
			c->eku |= X509_EKU_CLIENT;
		else if (str_eq(oid, OID("\x55\x1d\x25\x00")))
			c->eku |= X509_EKU_ANY;
	}
	return true;
}

bool x509_is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7F)
			return false;
	return true;
}

static bool good_name(unsigned tag, struct str name)
{
	if (tag == X509_IP)
		return name.n == 4 || name.n == 16;
	return name.n && x509_is_ascii(name);
}

static bool ext_names(struct arena *a, struct str v, struct x509 *c, bool *handled)
{
	struct str seq, name;
	unsigned tag;

	c->san = v;
	if (!der_take(&v, DER_SEQ, &seq) || v.n)
		return false;
	while (seq.n) {
		struct x509_general g;

		if (!der_next(&seq, &tag, &name))
			return false;
		if (tag != X509_EMAIL && tag != X509_DNS && tag != X509_URI && tag != X509_IP)
			continue;
		if (!good_name(tag, name))
			return false;
		g = (struct x509_general){ (enum x509_kind)tag, name };
		VEC_PUSH(a, &c->names, g);
	}
	*handled = c->names.n > 0;
	return true;
}

/* Policies matter only if a certificate requires one; this records that. */
static bool ext_policy_constraints(struct str v, struct x509 *c)
{
	struct str seq, value;
	unsigned tag;

	if (!der_take(&v, DER_SEQ, &seq) || v.n)
		return false;
	while (seq.n) {
		if (!der_next(&seq, &tag, &value))
			return false;
		c->wants_policy |= tag == 0x80;
	}
	return true;
}

enum {
	KEY_USAGE = 15,
	ALT_NAMES = 17,
	BASIC_CONSTRAINTS = 19,
	NAME_CONSTRAINTS = 30,
	CRL_POINTS = 31,
	POLICIES = 32,
	POLICY_CONSTRAINTS = 36,
	EXTENDED_KEY_USAGE = 37,
	INHIBIT_ANY_POLICY = 54,
};

/* An extension 2.5.29.n. */
static bool standard_extension(struct arena *a, unsigned n, struct str v, struct x509 *c,
			       bool *handled)
{
	switch (n) {
	case KEY_USAGE:
		return ext_usage(v, c);
	case ALT_NAMES:
		return ext_names(a, v, c, handled);
	case BASIC_CONSTRAINTS:
		return ext_constraints(v, c);
	case NAME_CONSTRAINTS:
		return x509_parse_limits(a, v, c, handled);
	case EXTENDED_KEY_USAGE:
		return ext_eku(v, c);
	case POLICY_CONSTRAINTS:
		return ext_policy_constraints(v, c);
	case CRL_POINTS:
	case POLICIES:
	case INHIBIT_ANY_POLICY:
		return true; /* nothing here depends on them */
	default:
		*handled = false;
		return true;
	}
}

static bool one_extension(struct arena *a, struct str ext, struct x509 *c)
{
	bool critical = false, handled = true, good = true;
	struct str oid, v;

	if (!der_take(&ext, DER_OID, &oid) || !take_bool(&ext, &critical) ||
	    !der_take(&ext, DER_OCTETS, &v) || ext.n)
		return false;
	if (oid.n == 3 && memcmp(oid.p, "\x55\x1d", 2) == 0)
		good = standard_extension(a, (unsigned char)oid.p[2], v, c, &handled);
	else
		handled = false;
	c->odd_critical |= critical && !handled;
	return good;
}

#define EXTENSIONS_MAX 64 /* more than any real certificate has */

/* Whether the object identifier has occurred before. */
static bool has_oid(const struct str *oids, size_t n, struct str oid)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(oids[i], oid))
			return true;
	return false;
}

bool x509_extensions(struct arena *a, struct str tbs, struct x509 *c)
{
	struct str wrap, seq, ext, oids[EXTENSIONS_MAX];
	size_t n = 0;

	/* unique identifiers of issuer and subject, which are ignored */
	(void)der_take(&tbs, 0x81, &wrap);
	(void)der_take(&tbs, 0x82, &wrap);
	if (!tbs.n)
		return true;
	if (c->version != 3 || !der_take(&tbs, 0xA3, &wrap) || tbs.n ||
	    !der_take(&wrap, DER_SEQ, &seq) || wrap.n)
		return false;
	while (seq.n) {
		struct str look;

		if (n == EXTENSIONS_MAX || !der_take(&seq, DER_SEQ, &ext))
			return false;
		look = ext;
		if (!der_take(&look, DER_OID, &oids[n]) || has_oid(oids, n, oids[n]) ||
		    !one_extension(a, ext, c))
			return false;
		n++;
	}
	return true;
}
