/*
 * auth: credentials for requests to the API server, and their renewal.
 *
 * Secrets are never sent where others can read them: over plain http they are omitted, except to
 * this machine without a proxy in between. Certificates and keys from files are loaded again when
 * the files change; a failed reload is retried at their next change. A token file is cached for
 * TOKEN_MS, and the last token stays in use while the file cannot be read.
 */
#include "kube/auth.h"

#include <stdlib.h>

#include "auth_exec.h"
#include "base/codec.h"
#include "data/http.h"
#include "data/url.h"
#include "io/file.h"
#include "io/follow.h"
#include "io/repeat.h"
#include "io/tls.h"
#include "kube/client.h"
#include "kube/config.h"

#define FILE_MAX ((size_t)1 << 20)
#define BUNDLE_MAX ((size_t)4 << 20)
/* As client-go: a token file is cached for one minute, less ten seconds. */
#define TOKEN_MS 50000

struct kube_auth {
	struct loop *loop;
	const struct kube_conf *conf;
	struct tls_client *tls;
	struct follow *follow;
	void (*renewed)(void *ctx);
	void (*ready)(void *ctx);
	void *ctx;
	struct arena token_arena;
	struct str token;
	int64_t token_read; /* time of the last read, by the loop's clock */
	bool open; /* the connection is not private: send no secrets */
	struct auth_exec exec;
};

/* ---- certificates -------------------------------------------------------- */

/* data, or the contents of file, or "". An error names the kubeconfig and the key in it. */
static int pem(struct arena *a, struct str data, struct str file, struct str conf, const char *key,
	       struct str *out, struct err *err)
{
	int rc;

	*out = data;
	if (data.n || !file.n)
		return 0;
	rc = file_read(a, str_z(a, file), FILE_MAX, out, err);
	if (rc < 0)
		return err_wrap(err, "%.*s%s%s", STRF(conf), conf.n ? ": " : "", key);
	return 0;
}

/* The origin of a certificate, for error messages. */
static struct str from(struct str data, struct str file)
{
	return data.n ? S("in the kubeconfig") : file.n ? file : S("of the system");
}

/* The CA bundles of the distributions, in the order of Go's crypto/x509. */
struct str kube_system_ca(struct arena *a)
{
	static const char files[][52] = {
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem",
		"/etc/pki/tls/cacert.pem",
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
		"/etc/ssl/cert.pem",
	};
	const char *own = getenv("SSL_CERT_FILE");
	struct err err = ERR_INIT(a);
	struct str out = S("");

	if (own && *own) {
		(void)file_read(a, own, BUNDLE_MAX, &out, &err);
		return out;
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (file_read(a, files[i], BUNDLE_MAX, &out, &err) == 0)
			break;
	return out;
}

static int load_certs(struct kube_auth *auth, struct err *err)
{
	const struct kube_conf *c = auth->conf;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err e = ERR_INIT(&a);
	struct str ca = S(""), cert = S(""), key = S("");
	int rc = pem(&a, c->ca_data, c->ca_file, c->cluster_from, "certificate-authority", &ca, &e);

	if (rc == 0)
		rc = pem(&a, c->cert_data, c->cert_file, c->user_from, "client-certificate", &cert,
			 &e);
	if (rc == 0)
		rc = pem(&a, c->key_data, c->key_file, c->user_from, "client-key", &key, &e);
	if (rc == 0 && !ca.n && !c->insecure && str_starts(c->server, S("https://")))
		ca = kube_system_ca(&a);
	if (rc == 0 && ca.n && !c->insecure) {
		rc = tls_client_set_ca(auth->tls, ca, &e);
		if (rc < 0)
			(void)err_wrap(&e, "certificate authority %.*s",
				       STRF(from(c->ca_data, c->ca_file)));
	}
	if (rc == 0 && cert.n) {
		rc = tls_client_set_pair(auth->tls, cert, key, &e);
		if (rc < 0)
			(void)err_wrap(&e, "client certificate %.*s",
				       STRF(from(c->cert_data, c->cert_file)));
	}
	if (rc < 0)
		return err_set(err, e.code, "%.*s", STRF(e.msg));
	return 0;
}

static void certs_changed(void *ctx)
{
	struct kube_auth *auth = ctx;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (load_certs(auth, &err) < 0) {
		/* The certificate may be written before its key: the next change retries. */
		log_again(LOG_WARNING, S("credentials"),
			  "credentials changed and cannot be used yet: %.*s", STRF(err.msg));
		return;
	}
	(void)log_over(S("credentials"));
	log_info("credentials for %.*s reloaded", STRF(url_public(&a, auth->conf->server)));
	auth->renewed(auth->ctx);
}

static void follow_certs(struct kube_auth *auth)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct str files[] = { auth->conf->ca_file, auth->conf->cert_file,
				     auth->conf->key_file };
	const char *paths[3];
	size_t n = 0;

	for (size_t i = 0; i < 3; i++)
		if (files[i].n)
			paths[n++] = str_z(&a, files[i]);
	if (n)
		auth->follow = follow_start(auth->loop, paths, n, 0, certs_changed, auth);
}

/* Whether others on the network can read the requests. */
static bool overheard(const struct kube_conf *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct url u;

	if (url_parse(c->server, &u, &err) < 0 || u.https)
		return false; /* no request is sent to an invalid address */
	return c->proxy_url.n || !url_loopback(&u);
}

static void warn_open(const struct kube_conf *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	log_warn("credentials are not sent to %.*s: anybody could read them "
		 "there; give an https:// address",
		 STRF(url_public(&a, c->server)));
}

static void exec_answered(void *ctx, bool pair)
{
	struct kube_auth *auth = ctx;

	if (pair)
		auth->renewed(auth->ctx);
	if (auth->ready)
		auth->ready(auth->ctx);
}

int kube_auth_new(struct loop *l, const struct kube_conf *conf, struct tls_client *tls,
		  void (*renewed)(void *ctx), void *ctx, struct kube_auth **out, struct err *err)
{
	struct kube_auth *auth = calloc(1, sizeof(*auth));
	int rc;

	if (!auth)
		abort();
	*auth = (struct kube_auth){ .loop = l,
				    .conf = conf,
				    .tls = tls,
				    .renewed = renewed,
				    .ctx = ctx,
				    .exec = { .loop = l,
					      .conf = conf,
					      .tls = tls,
					      .answered = exec_answered,
					      .ctx = auth } };
	rc = load_certs(auth, err);
	if (rc < 0) {
		free(auth);
		return rc;
	}
	follow_certs(auth);
	auth->open = overheard(conf);
	if (auth->open && (conf->token.n || conf->token_file.n || conf->exec || conf->username.n))
		warn_open(conf);
	*out = auth;
	return 0;
}

void kube_auth_free(struct kube_auth *auth)
{
	auth_exec_free(&auth->exec);
	follow_free(auth->follow);
	arena_free(&auth->token_arena);
	free(auth);
}

/* ---- token files --------------------------------------------------------- */

static int file_token(struct kube_auth *auth, struct err *err)
{
	struct arena fresh = ARENA_INIT;
	struct err e = ERR_INIT(&fresh);
	struct str text;
	const char *path = str_z(&fresh, auth->conf->token_file);
	int64_t now = loop_now(auth->loop);
	int rc;

	if (auth->token.n && now - auth->token_read < TOKEN_MS) {
		arena_free(&fresh);
		return 0;
	}
	rc = file_read(&fresh, path, FILE_MAX, &text, &e);
	if (rc == 0 && !str_trim(text).n)
		rc = err_set(&e, ERR_INVALID, "%s is empty", path);
	/* The old token may still be valid. */
	if (rc < 0 && !auth->token.n)
		rc = err_set(err, ERR_INVALID, "token file: %.*s", STRF(e.msg));
	if (rc < 0) {
		arena_free(&fresh);
		return auth->token.n ? 0 : rc;
	}
	arena_free(&auth->token_arena);
	auth->token_arena = fresh;
	auth->token = str_trim(text);
	auth->token_read = now;
	return 0;
}

/* ---- headers ------------------------------------------------------------- */

static void add_bearer(struct buf *fields, struct str token)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	http_add_field(fields, S("Authorization"), str_fmt(&a, "Bearer %.*s", STRF(token)));
}

static void add_basic(struct buf *fields, const struct kube_conf *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	buf_addz(&b, "Basic ");
	base64_add(&b, str_fmt(&a, "%.*s:%.*s", STRF(c->username), STRF(c->password)));
	http_add_field(fields, S("Authorization"), buf_str(&b));
}

static int add_secret(struct kube_auth *auth, struct buf *fields, struct err *err)
{
	const struct kube_conf *c = auth->conf;
	struct str token = c->token;
	int rc = 0;

	/* as client-go: a static token takes precedence over the exec plugin */
	if (c->exec && !token.n)
		rc = auth_exec_token(&auth->exec, &token, err);
	else if (c->token_file.n) {
		rc = file_token(auth, err);
		token = auth->token;
	}
	if (rc < 0)
		return rc;
	if (token.n)
		add_bearer(fields, token);
	else if (c->username.n)
		add_basic(fields, c);
	return 0;
}

int kube_auth_add(struct kube_auth *auth, struct buf *fields, struct err *err)
{
	const struct kube_conf *c = auth->conf;
	int rc = auth->open ? 0 : add_secret(auth, fields, err);

	if (rc < 0)
		return rc;
	if (c->as.n)
		http_add_field(fields, S("Impersonate-User"), c->as);
	for (size_t i = 0; i < c->as_groups.n; i++)
		http_add_field(fields, S("Impersonate-Group"), c->as_groups.v[i]);
	if (c->as_uid.n)
		http_add_field(fields, S("Impersonate-Uid"), c->as_uid);
	for (size_t i = 0; i + 1 < c->as_extra.n; i += 2) {
		buf_addz(fields, "Impersonate-Extra-");
		kube_escape(fields, c->as_extra.v[i]);
		http_add_field(fields, S(""), c->as_extra.v[i + 1]);
	}
	return 0;
}

void kube_auth_stale(struct kube_auth *auth)
{
	auth->token_read = -TOKEN_MS;
	auth_exec_stale(&auth->exec);
}

void kube_auth_on_ready(struct kube_auth *auth, void (*ready)(void *ctx))
{
	auth->ready = ready;
}
