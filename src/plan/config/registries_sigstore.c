/*
 * Image policies: their signature requirements in the terms of policy.json, and where
 * signatures are looked up (registries.d).
 */
#include "base/codec.h"
#include "base/imageref.h"
#include "data/yml.h"
#include "mc/scope.h"
#include "registries_parts.h"

struct making {
	struct arena *a;
	struct err *err;
	int rc;
};

/* Copies bytes that are stored as base64. True when there are any. */
static bool add_bytes(struct making *m, struct json *to, struct str key, const struct json *from,
		      const char *path)
{
	const struct json *j = json_at(from, path);
	struct str bytes;
	struct buf b;

	if (json_kind(j) != JSON_STRING || m->rc < 0)
		return false;
	m->rc = base64_decode(m->a, json_text(j), &bytes, m->err);
	if (m->rc < 0)
		return false;
	buf_init(&b, m->a);
	base64_add(&b, bytes);
	if (bytes.n)
		json_add(to, key, json_new_str(m->a, buf_str(&b)));
	return true;
}

static bool add_text(struct making *m, struct json *to, struct str key, const struct json *from,
		     const char *path)
{
	struct str s = json_str(from, path);

	if (s.n)
		json_add(to, key, json_new_str(m->a, s));
	return s.n > 0;
}

static void need(struct making *m, bool given, const char *problem)
{
	if (m->rc == 0 && !given)
		m->rc = err_set(m->err, ERR_INVALID, "%s", problem);
}

static void add_fulcio(struct making *m, struct json *out, const struct json *root)
{
	struct json *f = json_new(m->a, JSON_OBJECT);

	need(m, add_bytes(m, f, S("caData"), root, "fulcioCAData"),
	     "At least one of caPath and caData must be specified");
	need(m, add_text(m, f, S("oidcIssuer"), root, "fulcioSubject.oidcIssuer"),
	     "oidcIssuer not specified");
	need(m, add_text(m, f, S("subjectEmail"), root, "fulcioSubject.signedEmail"),
	     "subjectEmail not specified");
	json_add(out, S("fulcio"), f);
	need(m, add_bytes(m, out, S("rekorPublicKeyData"), root, "rekorKeyData"),
	     "At least one of rekorPublickeyPath, rekorPublicKeyPaths, "
	     "rekorPublickeyData and rekorPublicKeyDatas must be specified if "
	     "fulcio is used");
}

static void add_pki(struct making *m, struct json *out, const struct json *root)
{
	struct json *p = json_new(m->a, JSON_OBJECT);
	bool mail, host;

	need(m, add_bytes(m, p, S("caRootsData"), root, "caRootsData"),
	     "At least one of caRootsPath and caRootsData must be specified");
	(void)add_bytes(m, p, S("caIntermediatesData"), root, "caIntermediatesData");
	mail = add_text(m, p, S("subjectEmail"), root, "pkiCertificateSubject.email");
	host = add_text(m, p, S("subjectHostname"), root, "pkiCertificateSubject.hostname");
	need(m, mail || host, "At least one of subjectEmail, subjectHostname must be specified");
	json_add(out, S("pki"), p);
}

static void add_root(struct making *m, struct json *out, const struct json *trust)
{
	static const char none[] = "exactly one of keyPath, keyPaths, keyData, keyDatas, fulcio, "
				   "and pki must be specified";
	struct str type = json_str(trust, "policyType");

	if (str_is(type, "PublicKey")) {
		need(m, add_bytes(m, out, S("keyData"), trust, "publicKey.keyData"), none);
		(void)add_bytes(m, out, S("rekorPublicKeyData"), trust, "publicKey.rekorKeyData");
	} else if (str_is(type, "FulcioCAWithRekor")) {
		add_fulcio(m, out, json_at(trust, "fulcioCAWithRekor"));
	} else if (str_is(type, "PKI")) {
		add_pki(m, out, json_at(trust, "pki"));
	} else {
		need(m, false, none);
	}
}

static void set_type(struct making *m, struct json *j, const char *type)
{
	json_add(j, S("type"), json_new_str(m->a, str_of(type)));
}

static void add_remap(struct making *m, struct json *j, const struct json *identity)
{
	static const char *const keys[] = { "prefix", "signedPrefix" };

	set_type(m, j, "remapIdentity");
	for (size_t i = 0; i < 2; i++) {
		struct str s = json_str(json_at(identity, "remapIdentity"), keys[i]);

		if (m->rc == 0 && !imageref_is_place(s))
			m->rc = err_set(m->err, ERR_INVALID,
					"error getting signedIdentity for "
					"RemapIdentity: prefix \"%.*s\" is not "
					"valid",
					STRF(s));
		json_add(j, str_of(keys[i]), json_new_str(m->a, s));
	}
}

static void add_exact(struct making *m, struct json *j, const struct json *identity)
{
	struct str s = json_str(identity, "exactRepository.repository");
	struct imageref r;

	set_type(m, j, "exactRepository");
	json_add(j, S("dockerRepository"), json_new_str(m->a, s));
	if (m->rc < 0)
		return;
	m->rc = imageref_normalized(m->a, s, &r, m->err);
	if (m->rc < 0)
		m->rc = err_wrap(m->err,
				 "error getting signedIdentity for "
				 "ExactRepository: Invalid format of "
				 "dockerRepository \"%.*s\"",
				 STRF(s));
}

static void add_identity(struct making *m, struct json *out, const struct json *identity)
{
	struct json *j = json_new(m->a, JSON_OBJECT);
	struct str match = json_str(identity, "matchPolicy");

	if (!identity || str_is(match, "MatchRepoDigestOrExact"))
		set_type(m, j, "matchRepoDigestOrExact");
	else if (str_is(match, "RemapIdentity"))
		add_remap(m, j, identity);
	else if (str_is(match, "ExactRepository"))
		add_exact(m, j, identity);
	else if (str_is(match, "MatchRepository"))
		set_type(m, j, "matchRepository");
	else if (m->rc == 0)
		m->rc = err_set(m->err, ERR_INVALID, "unknown signedIdentity match policy: %.*s",
				STRF(match));
	json_add(out, S("signedIdentity"), j);
}

int sigstore_requirement(struct arena *a, const struct json *policy, struct json **out,
			 struct err *err)
{
	struct making m = { .a = a, .err = err };
	const struct json *identity = json_at(policy, "signedIdentity");
	struct json *j = json_new(a, JSON_OBJECT);

	set_type(&m, j, "sigstoreSigned");
	add_root(&m, j, json_at(policy, "rootOfTrust"));
	add_identity(&m, j, json_kind(identity) == JSON_OBJECT ? identity : NULL);
	if (m.rc == 0)
		*out = j;
	return m.rc;
}

/* ---- registries.d -------------------------------------------------------- */

/* A reference without a name: asks where images in the scope are pulled from. */
#define SAMPLE_DIGEST                                                        \
	"@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaaaa"
#define SAMPLE_TAG ":aaa"

struct registries_d {
	struct arena *a;
	const struct registries_conf *conf;
	struct map scopes;
};

static int add_places(struct registries_d *d, struct str scope, struct err *err)
{
	const struct registry *reg = conf_find(d->conf, scope);
	struct pull_sources sources = { 0 };
	struct str sample = scope;
	bool host_only;
	struct imageref r;
	int rc;

	if (!reg)
		return 0;
	if (str_starts(scope, S("*.")))
		sample = str_fmt(d->a, "matched%.*s", STRF(str_from(scope, 1)));
	host_only = str_chr(sample, '/') < 0;
	if (host_only)
		sample = str_fmt(d->a, "%.*s/a", STRF(sample));
	rc = imageref_parse(sample, &r, err);
	if (rc < 0)
		return err_wrap(err, "error parsing scope %.*s", STRF(sample));
	for (int digest = 1; rc == 0 && digest >= 0; digest--) {
		struct str ref =
			str_fmt(d->a, "%.*s%s", STRF(r.name), digest ? SAMPLE_DIGEST : SAMPLE_TAG);

		rc = conf_sources(d->a, reg, ref, digest, &sources, err);
		if (rc < 0)
			return err_wrap(err,
					"error getting %s sources for scope "
					"%.*s",
					digest ? "digest" : "tag", STRF(sample));
	}
	for (size_t i = 0; i < sources.n; i++) {
		struct str name = sources.v[i].name;

		if (host_only && str_ends(name, S("/a")))
			name.n -= 2;
		if (sources.v[i].location.n)
			(void)map_put(&d->scopes, name, d);
	}
	return 0;
}

static int add_scope(struct registries_d *d, struct str scope, struct err *err)
{
	int rc;

	(void)map_put(&d->scopes, scope, d);
	if (!d->conf)
		return 0;
	rc = add_places(d, scope, err);
	for (size_t i = 0; rc == 0 && i < d->conf->n; i++) {
		struct str below = registry_scope(d->conf->v[i]);

		if (!str_eq(below, scope) && scope_inside(below, scope))
			rc = add_places(d, below, err);
	}
	return rc < 0 ? err_wrap(err,
				 "error adding clusterimagepolicy scope %.*s "
				 "relevant mirrors",
				 STRF(scope))
		      : 0;
}

int sigstore_registries_d(struct arena *a, const struct registries *r,
			  const struct registries_conf *conf, struct str *out, struct err *err)
{
	const struct map *both[] = { &r->cluster, &r->scopes };
	struct registries_d d = { .a = a, .conf = conf };
	struct json *root = json_new(a, JSON_OBJECT);
	struct json *docker = json_new(a, JSON_OBJECT);
	struct buf b;
	int rc = conf ? conf_check(a, conf, err) : 0;

	map_init(&d.scopes, a);
	for (size_t k = 0; k < 2; k++) {
		struct map_entry **e = sorted_entries(a, both[k]);

		for (size_t i = 0; rc == 0 && i < both[k]->n; i++)
			rc = add_scope(&d, e[i]->key, err);
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < d.scopes.n; i++) {
		struct json *j = json_new(a, JSON_OBJECT);

		json_add(j, S("use-sigstore-attachments"), json_new_bool(a, true));
		json_add(docker, d.scopes.v[i].key, j);
	}
	json_add(root, S("docker"), docker);
	buf_init(&b, a);
	rc = yml_emit(&b, root, err);
	if (rc == 0)
		*out = buf_str(&b);
	return rc;
}
