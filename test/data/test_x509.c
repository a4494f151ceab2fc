/* DER, PEM, certificates and keys: refusals, and names matched as in Go. */
#include "../test.h"

#include "base/codec.h"
#include "data/pki/der.h"
#include "data/pem.h"
#include "data/pkey.h"

#define B(bytes) ((struct str){ bytes, sizeof(bytes) - 1 })

TEST lengths(void)
{
	static const struct {
		const char *name;
		struct str in;
		bool ok;
	} cases[] = {
		{ "short", { "\x04\x02xy", 4 }, true },
		{ "empty", { "\x05\x00", 2 }, true },
		{ "cut", { "\x04\x03xy", 4 }, false },
		{ "tag alone", { "\x04", 1 }, false },
		{ "indefinite", { "\x30\x80\x00\x00", 4 }, false },
		{ "long form of a short length", { "\x04\x81\x02xy", 5 }, false },
		{ "leading zero", { "\x04\x82\x00\x81", 4 }, false },
		{ "length of 5 bytes", { "\x04\x85\0\0\0\0\1x", 8 }, false },
		{ "long tag", { "\x1f\x81\x01\x00", 4 }, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str in = cases[i].in, value;
		unsigned tag;

		ASSERT_INT_M(cases[i].name, cases[i].ok, der_next(&in, &tag, &value));
	}
	PASS();
}

TEST numbers_and_times(void)
{
	static const struct {
		struct str in;
		int64_t want; /* -1: refused */
	} times[] = {
		{ { "\x17\x0d"
		    "261116100000Z",
		    15 },
		  1794823200 },
		{ { "\x17\x0d"
		    "500101000000Z",
		    15 },
		  -631152000 },
		{ { "\x18\x0f"
		    "20500101000000Z",
		    17 },
		  2524608000 },
		{ { "\x17\x0d"
		    "261316100000Z",
		    15 },
		  -1 }, /* month 13 */
		{ { "\x17\x0d"
		    "260016100000Z",
		    15 },
		  -1 },
		{ { "\x17\x0d"
		    "260230100000Z",
		    15 },
		  -1 },
		{ { "\x17\x0d"
		    "261116240000Z",
		    15 },
		  -1 },
		{ { "\x17\x0b"
		    "2611161000Z",
		    13 },
		  -1 },
		{ { "\x17\x11"
		    "261116100000+0000",
		    19 },
		  -1 },
	};
	struct str in = B("\x02\x01\x80"), v;
	uint32_t small;

	ASSERT(!der_take_uint(&in, &v)); /* negative */
	in = B("\x02\x02\x00\x01");
	ASSERT(!der_take_uint(&in, &v)); /* not the shortest form */
	in = B("\x02\x02\x00\x80\x05");
	ASSERT(der_take_small(&in, &small));
	ASSERT_INT(128, small);
	ASSERT_INT(1, (long long)in.n);
	in = B("\x03\x02\x01\x80");
	ASSERT(!der_take_bits(&in, &v)); /* half a byte */
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		int64_t t = -1;

		in = times[i].in;
		ASSERT_INT_M(times[i].in.p + 2, times[i].want != -1, der_take_time(&in, &t));
		ASSERT_INT_M(times[i].in.p + 2, times[i].want, t);
	}
	PASS();
}

TEST names(void)
{
	static const struct {
		const char *san, *host;
		bool ok;
	} cases[] = {
		{ "a.example", "a.example", true },
		{ "a.example", "A.Example.", true },
		{ "a.example", "b.a.example", false },
		{ "*.example", "a.example", true },
		{ "*.example", "a.b.example", false },
		{ "*.example", "example", false },
		{ "*.example", ".example", false },
		{ "*", "localhost", false },
		{ "*.", "a.", false },
		{ "a*.example", "ab.example", false },
		{ "*.*.example", "a.b.example", false },
		{ "b.*.example", "b.a.example", false },
		{ "a.example.", "a.example", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct x509_general san = { X509_DNS, str_of(cases[i].san) };
		struct x509 c = { .names = { &san, 1, 1 } };
		int rc = x509_check_host(&c, str_of(cases[i].host), NULL, 0, &err);

		ASSERT_INT_M(cases[i].san, cases[i].ok, rc == 0);
		if (rc < 0)
			ASSERT_STR_M(cases[i].san,
				     str_fmt(&a, "certificate is valid for %s, not %s",
					     cases[i].san, cases[i].host),
				     err.msg);
	}
	PASS();
}

/* An RSA key of `bits` with all bits set: only the size is checked. */
static struct str rsa_key(struct arena *a, size_t bits)
{
	size_t n = bits / 8;
	struct buf b, seq;

	buf_init(&seq, a);
	buf_add(&seq, B("\x02\x01\x00"));
	for (int i = 0; i < 8; i++) {
		size_t len = i == 1 ? 1 : i == 0 || i == 2 ? n : n / 2;

		if (len == 1)
			buf_add(&seq, B("\x02\x01\x03"));
		else
			buf_addf(&seq, "\x02\x82%c%c%c", (int)(len >> 8), (int)(len & 255), 0x7f);
		if (len > 1)
			buf_fill(&seq, '\x7f', len - 1);
	}
	buf_init(&b, a);
	buf_addf(&b, "\x30\x82%c%c", (int)(seq.n >> 8), (int)(seq.n & 255));
	buf_add(&b, buf_str(&seq));
	return buf_str(&b);
}

TEST large_keys_are_refused(void)
{
	static const struct {
		size_t bits;
		const char *want;
	} cases[] = {
		{ 4096, "" },
		{ 8192, "RSA key of 8192 bits: at most 4096 are supported" },
		{ 4104, "RSA key of 4104 bits: at most 4096 are supported" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct pkey k;
		struct buf b;

		buf_init(&b, &a);
		buf_addz(&b, "-----BEGIN RSA PRIVATE KEY-----\n");
		base64_add(&b, rsa_key(&a, cases[i].bits));
		buf_addz(&b, "\n-----END RSA PRIVATE KEY-----\n");
		(void)pkey_parse(&a, buf_str(&b), &k, &err);
		ASSERT_STR_M("size", str_of(cases[i].want), err.msg);
	}
	PASS();
}

TEST blocks(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "text\n-----BEGIN A-----\nYWI=\n-----END A-----\nmore\n"
		  "-----BEGIN B C-----\nYw==\n-----END B C-----",
		  "A=ab B C=c " },
		{ "-----BEGIN A-----\r\nYW\r\nI=\r\n-----END A-----\r\n", "A=ab " },
		{ "-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nX: y\n\nYWI=\n-----END A-----\n",
		  "A[Proc-Type: 4,ENCRYPTED\nX: y\n]=ab " },
		{ "-----BEGIN A-----\nYWI=\n", "PEM block A has no end" },
		{ "-----BEGIN A-----\nYWI=\n-----END B-----\n", "PEM block A ends as B" },
		{ "-----BEGIN A-----\n!\n-----END A-----\n",
		  "PEM block A: illegal base64 data at input byte 0" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct str rest = str_of(cases[i].in);
		struct pem p;
		struct buf b;
		int rc;

		buf_init(&b, &a);
		while ((rc = pem_next(&a, &rest, &p, &err)) > 0) {
			buf_add(&b, p.label);
			if (p.headers.n)
				buf_addf(&b, "[%.*s]", STRF(p.headers));
			buf_addf(&b, "=%.*s ", STRF(p.der));
		}
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), rc < 0 ? err.msg : buf_str(&b));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(lengths);
	RUN_TEST(numbers_and_times);
	RUN_TEST(names);
	RUN_TEST(large_keys_are_refused);
	RUN_TEST(blocks);
}

TEST_MAIN(suite)
