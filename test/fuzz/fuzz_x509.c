/* Untrusted certificates: the views of an accepted one stay within its own bytes. */
#include "fuzz.h"

#include "data/pki/der.h"
#include "data/x509_chain.h"

static void within(struct str s, const uint8_t *data, size_t size)
{
	const uint8_t *p = (const uint8_t *)s.p;

	MUST(s.n == 0 || (p >= data && p + s.n <= data + size));
}

/* Signatures are not verified here: half of them count as good. */
static bool is_signed(const struct x509 *c, const struct x509_key *key)
{
	(void)key;
	return c->signature.n % 2;
}

/* A certificate as its own authority, as an intermediate, and as a root. */
static void check_chain(const struct x509 *c, struct err *err)
{
	struct x509 shown[] = { *c, *c, *c };
	struct x509_trust trust = { .roots = c,
				    .n_roots = 1,
				    .eku = X509_EKU_SERVER,
				    .now = c->not_before,
				    .is_signed = is_signed };
	enum x509_fault fault;
	size_t budget = 10000;

	(void)x509_check_limits(c, c, &budget, err);
	(void)x509_chain_check(&trust, shown, 3, &fault, err);
	shown[0].der = S(""); /* no longer the root itself */
	shown[0].san = S("");
	(void)x509_chain_check(&trust, shown, 3, &fault, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };
	struct x509 c;
	struct buf b;

	buf_init(&b, &a);
	x509_add_name(&b, in);
	(void)x509_attribute(in, 3);
	if (x509_parse(&a, in, &c, &err) < 0) {
		MUST(err.msg.n);
		arena_free(&a);
		return 0;
	}
	within(c.tbs, data, size);
	within(c.signature, data, size);
	within(c.key.n, data, size);
	within(c.key.point, data, size);
	MUST(c.key.type == KEY_EC || (c.key.n.n >= 128 && c.key.n.n <= 512));
	MUST(c.not_before >= -62167219200 && c.not_after <= 253402300799);
	for (size_t i = 0; i < c.names.n; i++) {
		within(c.names.v[i].value, data, size);
		MUST(c.names.v[i].kind != X509_IP || c.names.v[i].value.n == 4 ||
		     c.names.v[i].value.n == 16);
	}
	x509_add_name(&b, c.subject);
	(void)x509_check_host(&c, S("a.example"), NULL, 0, &err);
	(void)x509_check_host(&c, S("127.0.0.1"), (const unsigned char *)"\x7f\0\0\1", 4, &err);
	(void)x509_check_time(&c, 1800000000, &err);
	check_chain(&c, &err);
	arena_free(&a);
	return 0;
}
