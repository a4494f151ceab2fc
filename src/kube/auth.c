#include "kube/auth.h"

#include <stdlib.h>
#include <time.h>

#include "base/codec.h"
#include "base/rfc3339.h"
#include "data/http.h"
#include "io/file.h"
#include "io/follow.h"
#include "io/log.h"
#include "io/proc.h"
#include "io/tls.h"

#define FILE_MAX ((size_t)1 << 20)
/* As the reference: a token file is believed for a minute, less a margin. */
#define TOKEN_MS 50000
#define EXEC_MS 60000

enum exec_state { EXEC_NONE, EXEC_RUNNING, EXEC_HAVE, EXEC_FAILED };

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
	int64_t token_read; /* when, by the loop's clock */
	enum exec_state exec;
	struct arena exec_arena;
	struct str exec_token;
	struct err exec_err;
	int64_t exec_expires; /* since 1970; 0: never */
	struct proc *proc;
};

/* ---- certificates ------------------------------------------------------------------ */

/* data, or what the file holds, or "". */
static int pem(struct arena *a, struct str data, struct str file,
	       struct str *out, struct err *err)
{
	*out = data;
	if (data.n || !file.n)
		return 0;
	return file_read(a, str_z(a, file), FILE_MAX, out, err);
}

static int load_certs(struct kube_auth *auth, struct err *err)
{
	const struct kube_conf *c = auth->conf;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err e = ERR_INIT(&a);
	struct str ca = S(""), cert = S(""), key = S("");
	int rc = pem(&a, c->ca_data, c->ca_file, &ca, &e);

	if (rc == 0)
		rc = pem(&a, c->cert_data, c->cert_file, &cert, &e);
	if (rc == 0)
		rc = pem(&a, c->key_data, c->key_file, &key, &e);
	if (rc == 0 && ca.n && !c->insecure) {
		rc = tls_client_set_ca(auth->tls, ca, &e);
		if (rc < 0)
			(void)err_wrap(&e, "certificate authority %.*s",
				       STRF(c->ca_file));
	}
	if (rc == 0 && cert.n) {
		rc = tls_client_set_pair(auth->tls, cert, key, &e);
		if (rc < 0)
			(void)err_wrap(&e, "client certificate %.*s",
				       STRF(c->cert_file));
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
		/* Half of a pair may be there already: the rest follows. */
		log_warn("credentials changed and cannot be used yet: %.*s",
			 STRF(err.msg));
		return;
	}
	log_info("credentials for %.*s reloaded", STRF(auth->conf->server));
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
		auth->follow = follow_start(auth->loop, paths, n, 0,
					    certs_changed, auth);
}

int kube_auth_new(struct loop *l, const struct kube_conf *conf,
		  struct tls_client *tls, void (*renewed)(void *ctx), void *ctx,
		  struct kube_auth **out, struct err *err)
{
	struct kube_auth *auth = calloc(1, sizeof(*auth));
	int rc;

	if (!auth)
		abort();
	*auth = (struct kube_auth){ .loop = l,
				    .conf = conf,
				    .tls = tls,
				    .renewed = renewed,
				    .ctx = ctx };
	rc = load_certs(auth, err);
	if (rc < 0) {
		free(auth);
		return rc;
	}
	follow_certs(auth);
	*out = auth;
	return 0;
}

void kube_auth_free(struct kube_auth *auth)
{
	if (auth->proc)
		proc_kill(auth->proc);
	follow_free(auth->follow);
	arena_free(&auth->token_arena);
	arena_free(&auth->exec_arena);
	free(auth);
}

/* ---- token files -------------------------------------------------------------------- */

static int file_token(struct kube_auth *auth, struct err *err)
{
	struct arena fresh = ARENA_INIT;
	struct str text;
	const char *path = str_z(&fresh, auth->conf->token_file);
	int64_t now = loop_now(auth->loop);

	if (auth->token.n && now - auth->token_read < TOKEN_MS) {
		arena_free(&fresh);
		return 0;
	}
	if (file_read(&fresh, path, FILE_MAX, &text, err) < 0 ||
	    !str_trim(text).n) {
		arena_free(&fresh);
		/* An old token may still be good. */
		if (auth->token.n)
			return 0;
		return err_set(err, ERR_INVALID, "token file %.*s: %s",
			       STRF(auth->conf->token_file),
			       "cannot be read or is empty");
	}
	arena_free(&auth->token_arena);
	auth->token_arena = fresh;
	auth->token = str_trim(text);
	auth->token_read = now;
	return 0;
}

/* ---- exec plugins -------------------------------------------------------------------- */

static int exec_answer(struct kube_auth *auth, const struct proc_result *r,
		       struct err *err)
{
	struct arena *a = &auth->exec_arena;
	struct json *j = NULL;
	struct instant t;
	struct str cert, key;
	int rc;

	if (proc_outcome(a, r).n)
		return err_set(err, ERR_INVALID, "%.*s%s%.*s",
			       STRF(proc_outcome(a, r)),
			       str_trim(r->errors).n ? ": " : "",
			       STRF(str_trim(r->errors)));
	rc = json_parse(a, str_dup(a, r->out), NULL, &j, err);
	if (rc < 0)
		return err_wrap(err, "its answer is no JSON");
	auth->exec_token = json_str(j, "status.token", S(""));
	cert = json_str(j, "status.clientCertificateData", S(""));
	key = json_str(j, "status.clientKeyData", S(""));
	if (!auth->exec_token.n && !cert.n)
		return err_set(err, ERR_INVALID,
			       "its answer has no token and no certificate");
	if (rfc3339_parse(json_str(j, "status.expirationTimestamp", S("")), &t))
		auth->exec_expires = t.sec;
	return cert.n ? tls_client_set_pair(auth->tls, cert, key, err) : 0;
}

static void exec_done(void *ctx, const struct proc_result *r)
{
	struct kube_auth *auth = ctx;

	auth->proc = NULL;
	auth->exec_expires = 0;
	auth->exec_err = ERR_INIT(&auth->exec_arena);
	auth->exec = exec_answer(auth, r, &auth->exec_err) < 0 ? EXEC_FAILED
							       : EXEC_HAVE;
	if (auth->ready)
		auth->ready(auth->ctx);
}

struct words {
	const char **v;
	size_t n, cap;
};

static void exec_env(struct arena *a, const struct json *spec,
		     struct words *out)
{
	extern char **environ;

	for (char **e = environ; *e; e++)
		VEC_PUSH(a, out, *e);
	for (const struct json *e = json_first(json_at(spec, "env")); e;
	     e = json_next(e))
		VEC_PUSH(a, out,
			 str_fmt(a, "%.*s=%.*s",
				 STRF(json_str(e, "name", S(""))),
				 STRF(json_str(e, "value", S(""))))
				 .p);
	VEC_PUSH(a, out,
		 str_fmt(a,
			 "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\","
			 "\"apiVersion\":\"%.*s\",\"spec\":{\"interactive\":"
			 "false}}",
			 STRF(json_str(spec, "apiVersion", S(""))))
			 .p);
	VEC_PUSH(a, out, NULL);
}

static void exec_start(struct kube_auth *auth)
{
	const struct json *spec = auth->conf->exec;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str command = json_str(spec, "command", S(""));
	struct words argv = { 0 }, env = { 0 };
	struct proc_opts o = { .ms = EXEC_MS, .max_out = FILE_MAX };

	/* As client-go: a path is relative to the kubeconfig, a name on PATH. */
	if (str_chr(command, '/') >= 0 && command.p[0] != '/')
		command = str_fmt(&a, "%.*s%.*s", STRF(auth->conf->exec_dir),
				  STRF(command));
	VEC_PUSH(&a, &argv, str_z(&a, command));
	for (const struct json *w = json_first(json_at(spec, "args")); w;
	     w = json_next(w))
		VEC_PUSH(&a, &argv, str_z(&a, json_text(w)));
	VEC_PUSH(&a, &argv, NULL);
	exec_env(&a, spec, &env);
	o.argv = argv.v;
	o.env = env.v;
	arena_free(&auth->exec_arena);
	auth->exec_err = ERR_INIT(&auth->exec_arena);
	auth->exec_token = S("");
	auth->proc =
		proc_start(auth->loop, &o, exec_done, auth, &auth->exec_err);
	auth->exec = auth->proc ? EXEC_RUNNING : EXEC_FAILED;
}

static int exec_token(struct kube_auth *auth, struct err *err)
{
	if (auth->exec == EXEC_HAVE && auth->exec_expires &&
	    time(NULL) >= auth->exec_expires)
		auth->exec = EXEC_NONE;
	if (auth->exec == EXEC_NONE)
		exec_start(auth);
	switch (auth->exec) {
	case EXEC_NONE:
	case EXEC_RUNNING:
		return -ERR_AGAIN;
	case EXEC_HAVE:
		return 0;
	case EXEC_FAILED:
		/* The next request may ask it again. */
		auth->exec = EXEC_NONE;
		return err_set(
			err, ERR_INVALID, "exec plugin %.*s: %.*s",
			STRF(json_str(auth->conf->exec, "command", S(""))),
			STRF(auth->exec_err.msg));
	}
	return 0;
}

/* ---- headers -------------------------------------------------------------------------- */

static void add_bearer(struct buf *fields, struct str token)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	http_add_field(fields, S("Authorization"),
		       str_fmt(&a, "Bearer %.*s", STRF(token)));
}

static void add_basic(struct buf *fields, const struct kube_conf *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	buf_addz(&b, "Basic ");
	base64_add(&b, str_fmt(&a, "%.*s:%.*s", STRF(c->username),
			       STRF(c->password)));
	http_add_field(fields, S("Authorization"), buf_str(&b));
}

int kube_auth_add(struct kube_auth *auth, struct buf *fields, struct err *err)
{
	const struct kube_conf *c = auth->conf;
	int rc = 0;

	if (c->exec)
		rc = exec_token(auth, err);
	else if (c->token_file.n)
		rc = file_token(auth, err);
	if (rc < 0)
		return rc;
	if (c->exec && auth->exec_token.n)
		add_bearer(fields, auth->exec_token);
	else if (c->token_file.n)
		add_bearer(fields, auth->token);
	else if (c->token.n)
		add_bearer(fields, c->token);
	else if (c->username.n)
		add_basic(fields, c);
	if (c->as.n)
		http_add_field(fields, S("Impersonate-User"), c->as);
	for (size_t i = 0; i < c->as_groups.n; i++)
		http_add_field(fields, S("Impersonate-Group"),
			       c->as_groups.v[i]);
	return 0;
}

void kube_auth_stale(struct kube_auth *auth)
{
	auth->token_read = -TOKEN_MS;
	if (auth->exec == EXEC_HAVE)
		auth->exec = EXEC_NONE;
}

void kube_auth_on_ready(struct kube_auth *auth, void (*ready)(void *ctx))
{
	auth->ready = ready;
}
