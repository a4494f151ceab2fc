#include "../test.h"

#include "mc/tls_profile.h"

#define MODERN                                           \
	"TLS_AES_128_GCM_SHA256 TLS_AES_256_GCM_SHA384 " \
	"TLS_CHACHA20_POLY1305_SHA256"
#define INTERMEDIATE                                            \
	MODERN " TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 "      \
	       "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 "         \
	       "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 "       \
	       "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 "         \
	       "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 " \
	       "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
#define OLD                                                      \
	INTERMEDIATE " TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256 " \
		     "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256 "    \
		     "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA "     \
		     "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA "       \
		     "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA "     \
		     "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA "       \
		     "TLS_RSA_WITH_AES_128_GCM_SHA256 "          \
		     "TLS_RSA_WITH_AES_256_GCM_SHA384 "          \
		     "TLS_RSA_WITH_AES_128_CBC_SHA256 "          \
		     "TLS_RSA_WITH_AES_128_CBC_SHA "             \
		     "TLS_RSA_WITH_AES_256_CBC_SHA "             \
		     "TLS_RSA_WITH_3DES_EDE_CBC_SHA"

static const struct {
	const char *name, *json, *version, *suites;
} cases[] = {
	{ "none is Intermediate", "null", "VersionTLS12", INTERMEDIATE },
	{ "Modern", "{\"type\":\"Modern\"}", "VersionTLS13", MODERN },
	{ "Intermediate", "{\"type\":\"Intermediate\"}", "VersionTLS12", INTERMEDIATE },
	{ "Old", "{\"type\":\"Old\"}", "VersionTLS10", OLD },
	{ "an unknown type is Intermediate", "{\"type\":\"New\"}", "VersionTLS12", INTERMEDIATE },
	{ "Custom without a body is Intermediate", "{\"type\":\"Custom\"}", "VersionTLS12",
	  INTERMEDIATE },
	{ "Custom keeps its order and drops what has no name",
	  "{\"type\":\"Custom\",\"custom\":{\"minTLSVersion\":"
	  "\"VersionTLS11\",\"ciphers\":[\"DHE-RSA-AES128-GCM-SHA256\","
	  "\"ECDHE-RSA-DES-CBC3-SHA\",\"AES256-SHA256\",\"AES128-SHA\"]}}",
	  "VersionTLS11", "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA TLS_RSA_WITH_AES_128_CBC_SHA" },
	{ "Custom with nothing in it", "{\"type\":\"Custom\",\"custom\":{}}", "", "" },
};

TEST profiles(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct tls_profile p;
		struct json *j;
		struct buf b;

		ASSERT_INT_M(cases[i].name, 0,
			     json_parse(&a, str_of(cases[i].json), NULL, &j, &err));
		p = mc_tls_profile(&a, j);
		buf_init(&b, &a);
		for (size_t k = 0; k < p.suites.n; k++)
			buf_addf(&b, "%s%.*s", k ? " " : "", STRF(p.suites.v[k]));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].version), p.min_version);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].suites), buf_str(&b));
	}
	PASS();
}

SUITE(tls_profile)
{
	RUN_TEST(profiles);
}

TEST_MAIN(tls_profile)
