/*
 * Cipher suites by their names, in the order of preference, with the code that implements them.
 */
#include "tls_own.h"

enum { CBC = 1, RSA_KEYX = 2 };

/* In the order of preference. */
static const struct {
	uint16_t id;
	unsigned char kind;
	char iana[46]; /* without TLS_ */
	char openssl[30];
} suites[] = {
	{ BR_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, 0, "ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
	  "ECDHE-ECDSA-AES128-GCM-SHA256" },
	{ BR_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 0, "ECDHE_RSA_WITH_AES_128_GCM_SHA256",
	  "ECDHE-RSA-AES128-GCM-SHA256" },
	{ BR_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, 0, "ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
	  "ECDHE-ECDSA-AES256-GCM-SHA384" },
	{ BR_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, 0, "ECDHE_RSA_WITH_AES_256_GCM_SHA384",
	  "ECDHE-RSA-AES256-GCM-SHA384" },
	{ BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, 0,
	  "ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305" },
	{ BR_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, 0,
	  "ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305" },
	{ BR_TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256, CBC, "ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
	  "ECDHE-ECDSA-AES128-SHA256" },
	{ BR_TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256, CBC, "ECDHE_RSA_WITH_AES_128_CBC_SHA256",
	  "ECDHE-RSA-AES128-SHA256" },
	{ BR_TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, CBC, "ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
	  "ECDHE-ECDSA-AES128-SHA" },
	{ BR_TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, CBC, "ECDHE_RSA_WITH_AES_128_CBC_SHA",
	  "ECDHE-RSA-AES128-SHA" },
	{ BR_TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, CBC, "ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
	  "ECDHE-ECDSA-AES256-SHA" },
	{ BR_TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA, CBC, "ECDHE_RSA_WITH_AES_256_CBC_SHA",
	  "ECDHE-RSA-AES256-SHA" },
	{ BR_TLS_RSA_WITH_AES_128_GCM_SHA256, RSA_KEYX, "RSA_WITH_AES_128_GCM_SHA256",
	  "AES128-GCM-SHA256" },
	{ BR_TLS_RSA_WITH_AES_256_GCM_SHA384, RSA_KEYX, "RSA_WITH_AES_256_GCM_SHA384",
	  "AES256-GCM-SHA384" },
	{ BR_TLS_RSA_WITH_AES_128_CBC_SHA256, RSA_KEYX | CBC, "RSA_WITH_AES_128_CBC_SHA256",
	  "AES128-SHA256" },
	{ BR_TLS_RSA_WITH_AES_128_CBC_SHA, RSA_KEYX | CBC, "RSA_WITH_AES_128_CBC_SHA",
	  "AES128-SHA" },
	{ BR_TLS_RSA_WITH_AES_256_CBC_SHA, RSA_KEYX | CBC, "RSA_WITH_AES_256_CBC_SHA",
	  "AES256-SHA" },
};
#define N_SUITES (ARRAY_LEN(suites))
_Static_assert(N_SUITES <= TLS_SUITES, "room for all");

/* Valid names of suites that are not supported. */
static const char others[][40] = {
	"AES_128_GCM_SHA256",
	"AES_256_GCM_SHA384",
	"CHACHA20_POLY1305_SHA256",
	"RSA_WITH_3DES_EDE_CBC_SHA",
	"ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
	"RSA_WITH_RC4_128_SHA",
	"ECDHE_RSA_WITH_RC4_128_SHA",
	"ECDHE_ECDSA_WITH_RC4_128_SHA",
	"ECDHE_RSA_WITH_CHACHA20_POLY1305",
	"ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
};

/* Go's older names of the ChaCha20 suites mean the same. */
static bool is_name(struct str name, size_t i)
{
	struct str bare;

	if (str_is(name, suites[i].openssl))
		return true;
	if (!str_starts(name, S("TLS_")))
		return false;
	bare = str_from(name, 4);
	if (str_is(bare, suites[i].iana))
		return true;
	return str_ends(bare, S("CHACHA20_POLY1305")) && str_starts(str_of(suites[i].iana), bare);
}

static bool known_other(struct str name)
{
	if (!str_starts(name, S("TLS_")))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (str_is(str_from(name, 4), others[i]))
			return true;
	return false;
}

const char *tls_suite_name(uint16_t suite)
{
	static char name[4 + sizeof(suites[0].iana)] = "TLS_";

	for (size_t i = 0; i < N_SUITES; i++)
		if (suites[i].id == suite) {
			memcpy(name + 4, suites[i].iana, sizeof(suites[i].iana));
			return name;
		}
	return NULL;
}

void tls_settings_default(struct tls_settings *out)
{
	*out = (struct tls_settings){ .min_version = BR_TLS12 };
	for (size_t i = 0; i < N_SUITES && suites[i].kind == 0; i++)
		out->suites[out->n++] = suites[i].id;
}

static int parse_version(struct str v, struct tls_settings *out, struct err *err)
{
	static const uint16_t versions[] = { BR_TLS10, BR_TLS11, BR_TLS12 };

	if (!v.n)
		return 0;
	if (v.n != 12 || !str_starts(v, S("VersionTLS1")) || v.p[11] < '0' || v.p[11] > '3')
		return err_set(err, ERR_INVALID, "unknown tls version \"%.*s\"", STRF(v));
	if (v.p[11] == '3')
		return err_set(
			err, ERR_LIMIT,
			"TLS 1.3 is the minimum that --tls-min-version or the TLS profile asks for, and only TLS 1.2 is supported: use VersionTLS12, or the profile Intermediate");
	out->min_version = versions[v.p[11] - '0'];
	return 0;
}

int tls_settings_parse(struct str min_version, const struct strs *names, struct tls_settings *out,
		       struct err *err)
{
	bool wanted[N_SUITES] = { false };
	struct tls_settings p;
	int rc;

	tls_settings_default(&p);
	rc = parse_version(min_version, &p, err);
	if (rc < 0)
		return rc;
	for (size_t k = 0; k < names->n; k++) {
		bool found = known_other(names->v[k]);

		for (size_t i = 0; i < N_SUITES; i++)
			if (is_name(names->v[k], i))
				found = wanted[i] = true;
		if (!found)
			return err_set(err, ERR_INVALID,
				       "Cipher suite %.*s not supported or doesn't exist",
				       STRF(names->v[k]));
	}
	if (names->n)
		p.n = 0;
	for (size_t i = 0; i < N_SUITES; i++)
		if (wanted[i])
			p.suites[p.n++] = suites[i].id;
	if (!p.n)
		return err_set(
			err, ERR_LIMIT,
			"none of the cipher suites asked for is supported: name one of TLS 1.2, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
	*out = p;
	return 0;
}

static unsigned kinds(const struct tls_settings *p)
{
	unsigned all = 0;

	for (size_t i = 0; i < N_SUITES; i++)
		for (size_t k = 0; k < p->n; k++)
			if (p->suites[k] == suites[i].id)
				all |= suites[i].kind;
	return all;
}

/* The smaller Poly1305: fast machines have AES instructions. */
static void set_chapol(br_ssl_engine_context *e)
{
#ifdef __SSE2__
	br_chacha20_run run = &br_chacha20_sse2_run;
#else
	br_chacha20_run run = &br_chacha20_ct_run;
#endif

	br_ssl_engine_set_chapol(e, &br_sslrec_in_chapol_vtable, &br_sslrec_out_chapol_vtable);
	br_ssl_engine_set_chacha20(e, run);
	br_ssl_engine_set_poly1305(e, &br_poly1305_ctmul_run);
}

void tls_engine_setup(br_ssl_engine_context *e, const struct tls_settings *p)
{
	static const char *alpn[] = { "http/1.1" };
	unsigned all = kinds(p);

	br_ssl_engine_set_versions(e, p->min_version, BR_TLS12);
	br_ssl_engine_set_suites(e, p->suites, p->n);
	br_ssl_engine_set_ec(e, &br_ec_all_m31);
	br_ssl_engine_set_rsavrfy(e, br_rsa_pkcs1_vrfy_get_default());
	br_ssl_engine_set_ecdsa(e, br_ecdsa_i31_vrfy_asn1);
	br_ssl_engine_set_hash(e, br_sha256_ID, &br_sha256_vtable);
	br_ssl_engine_set_hash(e, br_sha384_ID, &br_sha384_vtable);
	br_ssl_engine_set_hash(e, br_sha512_ID, &br_sha512_vtable);
	br_ssl_engine_set_prf_sha256(e, &br_tls12_sha256_prf);
	br_ssl_engine_set_prf_sha384(e, &br_tls12_sha384_prf);
	br_ssl_engine_set_default_aes_gcm(e);
	set_chapol(e);
	if (all & CBC) {
		br_ssl_engine_set_hash(e, br_sha1_ID, &br_sha1_vtable);
		br_ssl_engine_set_default_aes_cbc(e);
	}
	if (p->min_version < BR_TLS12) {
		br_ssl_engine_set_hash(e, br_md5_ID, &br_md5_vtable);
		br_ssl_engine_set_hash(e, br_sha1_ID, &br_sha1_vtable);
		br_ssl_engine_set_prf10(e, &br_tls10_prf);
	}
	br_ssl_engine_set_protocol_names(e, alpn, 1);
	br_ssl_engine_add_flags(e, BR_OPT_NO_RENEGOTIATION | BR_OPT_ENFORCE_SERVER_PREFERENCES |
					   BR_OPT_FAIL_ON_ALPN_MISMATCH);
}
