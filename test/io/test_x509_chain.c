/*
 * Certificate chains, and whether Go's crypto/x509 accepts them. test/peer/x509
 * writes the cases and Go's answers; X509_CASES names another file of cases.
 */
#include "../test.h"

#include "../../src/io/tls_own.h"
#include "base/codec.h"
#include "data/x509_chain.h"
#include "io/sock.h"

#define NOW 1767225600 /* 2026-01-01 */

static struct arena kept = ARENA_INIT;

struct certs {
	struct {
		struct str name, der;
	} * v;
	size_t n, cap;
};

struct one_case {
	struct str name, roots, shown, host, use;
};

static struct str find(const struct certs *certs, struct str name)
{
	for (size_t i = certs->n; i-- > 0;)
		if (str_eq(certs->v[i].name, name))
			return certs->v[i].der;
	abort();
}

struct parsed {
	struct x509 *v;
	size_t n, cap;
};

/* The certificates of a list of names; returns how many cannot be parsed. */
static size_t parse(struct arena *a, const struct certs *certs, struct str names,
		    struct parsed *out)
{
	size_t bad = 0;
	struct str name;

	while (names.n) {
		struct err err = ERR_INIT(a);
		struct x509 c;

		if (!str_cut(names, ' ', &name, &names)) {
			name = names;
			names = S("");
		}
		if (x509_parse(a, find(certs, name), &c, &err) < 0)
			bad++;
		else
			VEC_PUSH(a, out, c);
	}
	return bad;
}

static int judge(struct arena *a, const struct certs *certs, const struct one_case *c,
		 struct err *err)
{
	struct parsed roots = { 0 }, shown = { 0 };
	enum x509_fault fault;
	struct x509_trust trust = { .eku = str_is(c->use, "client") ? X509_EKU_CLIENT
								    : X509_EKU_SERVER,
				    .now = NOW,
				    .is_signed = tls_is_signed };
	unsigned char ip[16];
	struct sock_addr addr;
	size_t n_ip;
	int rc;

	(void)parse(a, certs, c->roots, &roots);
	if (parse(a, certs, c->shown, &shown))
		return err_set(err, ERR_INVALID, "malformed certificate");
	trust.roots = roots.v;
	trust.n_roots = roots.n;
	rc = x509_chain_check(&trust, shown.v, shown.n, &fault, err);
	if (rc < 0 || !c->host.n)
		return rc;
	n_ip = sock_parse(c->host, 0, &addr) ? sock_ip(&addr, ip) : 0;
	return x509_check_host(&shown.v[0], c->host, ip, n_ip, err);
}

static bool as_go(const struct certs *certs, const struct one_case *c, struct str want)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str got = judge(&a, certs, c, &err) == 0 ? S("accepted") : S("refused");

	if (str_eq(got, want))
		return true;
	(void)printf("%.*s: expected %.*s, got %.*s %.*s\n", STRF(c->name), STRF(want), STRF(got),
		     STRF(err.msg));
	return false;
}

TEST chains(void)
{
	const char *file = getenv("X509_CASES");
	struct str text = test_file(&kept, file ? file : "test/io/x509_chain.txt");
	struct certs certs = { 0 };
	struct one_case c = { 0 };
	struct str line, word, rest;
	size_t cases = 0, bad = 0;

	while (str_line(&text, &line)) {
		struct err err = ERR_INIT(&kept);

		if (!str_cut(line, ' ', &word, &rest))
			FAIL();
		if (str_is(word, "cert")) {
			__typeof__(*certs.v) cert = { rest, rest };

			ASSERT(str_cut(rest, ' ', &cert.name, &rest));
			ASSERT_INT(0, base64_decode(&kept, rest, &cert.der, &err));
			VEC_PUSH(&kept, &certs, cert);
		} else if (str_is(word, "case")) {
			c = (struct one_case){ .name = rest };
		} else if (str_is(word, "roots")) {
			c.roots = rest;
		} else if (str_is(word, "shown")) {
			c.shown = rest;
		} else if (str_is(word, "host")) {
			c.host = rest;
		} else if (str_is(word, "use")) {
			c.use = rest;
		} else if (str_is(word, "want")) {
			cases++;
			bad += !as_go(&certs, &c, rest);
		}
	}
	(void)printf("%zu cases\n", cases);
	ASSERT(cases > 0);
	ASSERT_INT(0, (long long)bad);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(chains);
	arena_free(&kept);
}

TEST_MAIN(suite)
