/*
 * TLS security profiles. One list serves all profiles: each is a prefix of the Old
 * profile.
 */
#include "mc/tls_profile.h"

/* The ciphers of the Old profile, in its order; the other profiles are prefixes. */
static const char suites[] = "TLS_AES_128_GCM_SHA256\n"
			     "TLS_AES_256_GCM_SHA384\n"
			     "TLS_CHACHA20_POLY1305_SHA256\n"
			     "ECDHE-ECDSA-AES128-GCM-SHA256\n"
			     "ECDHE-RSA-AES128-GCM-SHA256\n"
			     "ECDHE-ECDSA-AES256-GCM-SHA384\n"
			     "ECDHE-RSA-AES256-GCM-SHA384\n"
			     "ECDHE-ECDSA-CHACHA20-POLY1305\n"
			     "ECDHE-RSA-CHACHA20-POLY1305\n"
			     "ECDHE-ECDSA-AES128-SHA256\n"
			     "ECDHE-RSA-AES128-SHA256\n"
			     "ECDHE-ECDSA-AES128-SHA\n"
			     "ECDHE-RSA-AES128-SHA\n"
			     "ECDHE-ECDSA-AES256-SHA\n"
			     "ECDHE-RSA-AES256-SHA\n"
			     "AES128-GCM-SHA256\n"
			     "AES256-GCM-SHA384\n"
			     "AES128-SHA256\n"
			     "AES128-SHA\n"
			     "AES256-SHA\n"
			     "DES-CBC3-SHA\n"
			     /* known, but in no profile */
			     "ECDHE-RSA-DES-CBC3-SHA\n";

enum { MODERN = 3, INTERMEDIATE = 9, OLD = 21 };

static bool is_known(struct str name)
{
	struct str rest = str_of(suites), line;

	while (str_line(&rest, &line))
		if (str_eq(line, name))
			return true;
	return false;
}

/* The IANA name of a known OpenSSL cipher. */
static struct str iana(struct arena *a, struct str name)
{
	struct str exchange = S("RSA"), bits, rest;

	if (str_starts(name, S("TLS_")))
		return name;
	if (str_starts(name, S("ECDHE-ECDSA-")))
		exchange = S("ECDHE_ECDSA");
	else if (str_starts(name, S("ECDHE-RSA-")))
		exchange = S("ECDHE_RSA");
	if (str_starts(name, S("ECDHE-")))
		name = str_from(name, exchange.n + 1);
	if (str_starts(name, S("CHACHA20")))
		return str_fmt(a, "TLS_%.*s_WITH_CHACHA20_POLY1305_SHA256", STRF(exchange));
	if (str_starts(name, S("DES")))
		return str_fmt(a, "TLS_%.*s_WITH_3DES_EDE_CBC_SHA", STRF(exchange));
	/* AES128-GCM-SHA256, AES128-SHA256, AES128-SHA */
	bits = str_sub(name, 3, 6);
	rest = str_from(name, 7);
	if (str_starts(rest, S("GCM-")))
		return str_fmt(a, "TLS_%.*s_WITH_AES_%.*s_GCM_%.*s", STRF(exchange), STRF(bits),
			       STRF(str_from(rest, 4)));
	return str_fmt(a, "TLS_%.*s_WITH_AES_%.*s_CBC_%.*s", STRF(exchange), STRF(bits),
		       STRF(rest));
}

static struct tls_profile built_in(struct arena *a, const char *version, size_t n)
{
	struct tls_profile p = { .min_version = str_of(version) };
	struct str rest = str_of(suites), line;

	while (p.suites.n < n && str_line(&rest, &line))
		VEC_PUSH(a, &p.suites, iana(a, line));
	return p;
}

static struct tls_profile custom(struct arena *a, const struct json *j)
{
	struct tls_profile p = { .min_version = json_str(j, "minTLSVersion") };

	for (const struct json *c = json_first(json_at(j, "ciphers")); c; c = json_next(c))
		if (is_known(json_text(c)))
			VEC_PUSH(a, &p.suites, iana(a, json_text(c)));
	return p;
}

struct tls_profile mc_tls_profile(struct arena *a, const struct json *profile)
{
	struct str type = json_str(profile, "type");
	const struct json *own = json_at(profile, "custom");

	if (str_is(type, "Custom") && json_kind(own) == JSON_OBJECT)
		return custom(a, own);
	if (str_is(type, "Modern"))
		return built_in(a, "VersionTLS13", MODERN);
	if (str_is(type, "Old"))
		return built_in(a, "VersionTLS10", OLD);
	return built_in(a, "VersionTLS12", INTERMEDIATE);
}
