/* Converts chains, keys and authorities from PEM to BearSSL's structures. */
#include "tls_own.h"

#include <stdlib.h>

#include "data/pem.h"

static void *zeroed(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		abort();
	return p;
}

static unsigned char *bytes(struct str s)
{
	return (unsigned char *)(uintptr_t)s.p;
}

/* No key stays in freed memory. */
static void wipe(struct str s)
{
	volatile char *p = (volatile char *)(uintptr_t)s.p;

	for (size_t i = 0; i < s.n; i++)
		p[i] = 0;
}

void tls_pair_drop(struct tls_pair *p)
{
	if (!p || --p->refs > 0)
		return;
	wipe((struct str){ (char *)p->rsa.p, p->rsa.plen });
	wipe((struct str){ (char *)p->rsa.q, p->rsa.qlen });
	wipe((struct str){ (char *)p->rsa.dp, p->rsa.dplen });
	wipe((struct str){ (char *)p->rsa.dq, p->rsa.dqlen });
	wipe((struct str){ (char *)p->rsa.iq, p->rsa.iqlen });
	wipe((struct str){ (char *)p->ec.x, p->ec.xlen });
	arena_free(&p->a);
	free(p);
}

static int load_chain(struct tls_pair *p, struct str text, struct x509 *leaf, struct err *err)
{
	struct pem block;
	int rc;

	while ((rc = pem_next(&p->a, &text, &block, err)) > 0) {
		struct x509 c = { 0 };

		if (!str_is(block.label, "CERTIFICATE"))
			continue;
		if (p->n == CHAIN_MAX)
			return err_set(err, ERR_LIMIT, "more than %d certificates", CHAIN_MAX);
		rc = x509_parse(&p->a, block.der, &c, err);
		if (rc < 0)
			return rc;
		if (p->n == 0)
			*leaf = c;
		p->chain[p->n++] =
			(br_x509_certificate){ .data = bytes(block.der), .data_len = block.der.n };
	}
	if (rc == 0 && p->n == 0)
		return err_set(err, ERR_INVALID, "no certificate found in PEM");
	return rc;
}

static uint32_t bit_length(struct str n)
{
	unsigned char top = (unsigned char)n.p[0];
	uint32_t bits = (uint32_t)n.n * 8;

	while (!(top & 0x80)) {
		top = (unsigned char)(top << 1);
		bits--;
	}
	return bits;
}

static const int curve_ids[] = { [CURVE_P256] = BR_EC_secp256r1,
				 [CURVE_P384] = BR_EC_secp384r1,
				 [CURVE_P521] = BR_EC_secp521r1 };

static int set_rsa(struct tls_pair *p, const struct pkey *k, const struct x509 *leaf,
		   struct err *err)
{
	if (!str_eq(k->n, leaf->key.n))
		return err_set(err, ERR_INVALID, "private key does not match public key");
	p->rsa = (br_rsa_private_key){
		.n_bitlen = bit_length(k->n),
		.p = bytes(k->p),
		.plen = k->p.n,
		.q = bytes(k->q),
		.qlen = k->q.n,
		.dp = bytes(k->dp),
		.dplen = k->dp.n,
		.dq = bytes(k->dq),
		.dqlen = k->dq.n,
		.iq = bytes(k->iq),
		.iqlen = k->iq.n,
	};
	return 0;
}

static int set_ec(struct tls_pair *p, const struct pkey *k, const struct x509 *leaf,
		  struct err *err)
{
	unsigned char pub[BR_EC_KBUF_PUB_MAX_SIZE];
	struct str point;

	p->ec = (br_ec_private_key){ .curve = curve_ids[k->curve],
				     .x = bytes(k->x),
				     .xlen = k->x.n };
	point = (struct str){ (char *)pub, br_ec_compute_pub(&br_ec_all_m31, NULL, pub, &p->ec) };
	if (k->curve != leaf->key.curve || !str_eq(point, leaf->key.point))
		return err_set(err, ERR_INVALID, "private key does not match public key");
	return 0;
}

static int load(struct tls_pair *p, struct str cert, struct str key, struct err *err)
{
	struct x509 leaf = { 0 };
	struct pkey k = { 0 };
	int rc = load_chain(p, cert, &leaf, err);

	if (rc < 0)
		return err_wrap(err, "certificate");
	rc = pkey_parse(&p->a, key, &k, err);
	if (rc < 0)
		return rc;
	if (k.type != leaf.key.type)
		return err_set(err, ERR_INVALID, "private key type does not match public key type");
	p->type = k.type;
	p->issuer_type = leaf.sign_type == KEY_EC ? BR_KEYTYPE_EC : BR_KEYTYPE_RSA;
	return k.type == KEY_RSA ? set_rsa(p, &k, &leaf, err) : set_ec(p, &k, &leaf, err);
}

int tls_pair_load(struct str cert, struct str key, struct tls_pair **out, struct err *err)
{
	struct tls_pair *p = zeroed(sizeof(*p));
	int rc;

	p->refs = 1;
	rc = load(p, cert, key, err);
	if (rc < 0)
		tls_pair_drop(p);
	else
		*out = p;
	return rc;
}

void tls_roots_drop(struct tls_roots *r)
{
	if (!r || --r->refs > 0)
		return;
	arena_free(&r->a);
	free(r);
}

static void name_roots(struct tls_roots *r)
{
	r->names = arena_array(&r->a, r->v.n, sizeof(*r->names));
	for (size_t i = 0; i < r->v.n; i++)
		r->names[i] = (br_x500_name){ bytes(r->v.v[i].subject), r->v.v[i].subject.n };
}

int tls_roots_load(struct str text, struct tls_roots **out, struct err *err)
{
	struct tls_roots *r = zeroed(sizeof(*r));
	struct err first = ERR_INIT(err->a), now = ERR_INIT(err->a);
	struct pem block;
	int rc;

	r->refs = 1;
	while ((rc = pem_next(&r->a, &text, &block, &now)) != 0) {
		struct x509 c = { 0 };

		if (rc > 0 && !str_is(block.label, "CERTIFICATE"))
			continue;
		if (rc > 0)
			rc = x509_parse(&r->a, block.der, &c, &now);
		if (rc < 0 && !first.code)
			first = now;
		if (rc >= 0)
			VEC_PUSH(&r->a, &r->v, c);
	}
	if (!r->v.n) {
		tls_roots_drop(r);
		return err_set(err, ERR_INVALID, "no usable CA certificate: %.*s",
			       STRF(first.code ? first.msg : S("no PEM block found")));
	}
	name_roots(r);
	*out = r;
	return 0;
}
