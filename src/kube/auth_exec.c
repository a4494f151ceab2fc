/*
 * auth_exec: runs an exec plugin (client.authentication.k8s.io) and caches its credentials.
 *
 * At most one plugin process runs. Its result is cached until it expires, or until
 * auth_exec_stale; a failure is reported once, and the next request runs the plugin again. The
 * plugin is never interactive, and is killed after EXEC_MS.
 */
#include "auth_exec.h"

#include "base/codec.h"
#include "base/rfc3339.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/proc.h"
#include "io/tls.h"

#define OUTPUT_MAX ((size_t)1 << 20)
#define EXEC_MS 60000
#define CA_MAX ((size_t)1 << 20)

/* ---- output -------------------------------------------------------------- */

/* The last line of standard error is usually the reason for the failure. */
static struct str last_line(struct str text)
{
	ptrdiff_t at;

	text = str_trim(text);
	at = str_rchr(text, '\n');
	return at < 0 ? text : str_trim(str_from(text, (size_t)at + 1));
}

static int ended_badly(struct auth_exec *x, const struct proc_result *r, struct err *err)
{
	struct str outcome = proc_outcome(&x->a, r);
	struct str why = last_line(r->errors);

	if (!outcome.n)
		return 0;
	return err_set(err, ERR_INVALID, "%.*s%s%.*s", STRF(outcome), why.n ? ": " : "", STRF(why));
}

static int take(struct auth_exec *x, const struct json *j, bool *pair, struct err *err)
{
	struct str want = json_str(x->conf->exec, "apiVersion");
	struct str version = json_str_or(j, "apiVersion", want);
	struct str cert = json_str(j, "status.clientCertificateData");
	struct str key = json_str(j, "status.clientKeyData");
	struct instant t;

	if (want.n && !str_eq(version, want))
		return err_set(err, ERR_INVALID,
			       "the kubeconfig requests %.*s, the plugin returned %.*s", STRF(want),
			       STRF(version));
	x->token = json_str(j, "status.token");
	if (!x->token.n && !cert.n)
		return err_set(err, ERR_INVALID,
			       "the plugin returned neither a token nor a "
			       "certificate");
	if (rfc3339_parse(json_str(j, "status.expirationTimestamp"), &t))
		x->expires = t.sec;
	*pair = cert.n > 0;
	return cert.n ? tls_client_set_pair(x->tls, cert, key, err) : 0;
}

static void done(void *ctx, const struct proc_result *r)
{
	struct auth_exec *x = ctx;
	struct json *j = NULL;
	bool pair = false;
	int rc;

	x->proc = NULL;
	x->expires = 0;
	x->err = ERR_INIT(&x->a);
	rc = ended_badly(x, r, &x->err);
	if (rc == 0 && json_parse(&x->a, str_dup(&x->a, r->out), NULL, &j, &x->err) < 0)
		rc = err_wrap(&x->err, "the plugin did not return JSON");
	if (rc == 0)
		rc = take(x, j, &pair, &x->err);
	x->state = rc < 0 ? EXEC_FAILED : EXEC_HAVE;
	x->fresh = true;
	x->answered(x->ctx, rc == 0 && pair);
}

/* ---- start --------------------------------------------------------------- */

struct words {
	const char **v;
	size_t n, cap;
};

static bool names_same(const char *x, const char *y)
{
	while (*x && *x != '=' && *x == *y)
		x++, y++;
	return *x == '=' && *y == '=';
}

/* spec.cluster of the ExecCredential: the cluster as the kubeconfig has it. */
static struct json *cluster(struct arena *a, const struct kube_conf *conf)
{
	struct json *c = json_new(a, JSON_OBJECT);
	struct str ca = conf->ca_data;
	struct err err = ERR_INIT(a);
	struct buf b;

	json_add_str(a, c, "server", conf->server);
	if (conf->tls_server_name.n)
		json_add_str(a, c, "tls-server-name", conf->tls_server_name);
	if (conf->insecure)
		json_add(c, S("insecure-skip-tls-verify"), json_new_bool(a, true));
	/* kube_auth_new has already reported an unreadable CA file */
	if (!ca.n && conf->ca_file.n)
		(void)file_read(a, str_z(a, conf->ca_file), CA_MAX, &ca, &err);
	buf_init(&b, a);
	base64_add(&b, ca);
	if (b.n)
		json_add_str(a, c, "certificate-authority-data", buf_str(&b));
	if (conf->proxy_url.n)
		json_add_str(a, c, "proxy-url", conf->proxy_url);
	json_add(c, S("config"),
		 conf->exec_config ? json_clone(a, conf->exec_config) : json_new(a, JSON_NULL));
	return c;
}

/* The input of the plugin: KUBERNETES_EXEC_INFO. */
static const char *info(struct arena *a, const struct kube_conf *conf)
{
	struct str version = json_str(conf->exec, "apiVersion");
	struct json *j = json_new(a, JSON_OBJECT), *spec;
	struct buf b;

	json_add_str(a, j, "kind", S("ExecCredential"));
	json_add_str(a, j, "apiVersion", version);
	spec = json_add_object(a, j, "spec");
	if (json_bool(conf->exec, "provideClusterInfo", false) &&
	    !str_ends(version, S("/v1alpha1")))
		json_add(spec, S("cluster"), cluster(a, conf));
	json_add(spec, S("interactive"), json_new_bool(a, false));
	buf_init(&b, a);
	buf_addz(&b, "KUBERNETES_EXEC_INFO=");
	json_encode(&b, j, 0);
	return str_z(a, buf_str(&b));
}

/* The variables set here, then those of the environment that they do not override. */
static void add_env(struct arena *a, const struct kube_conf *conf, struct words *out)
{
	extern char **environ;
	size_t ours;

	for (const struct json *e = json_first(json_at(conf->exec, "env")); e; e = json_next(e))
		VEC_PUSH(a, out,
			 str_fmt(a, "%.*s=%.*s", STRF(json_str(e, "name")),
				 STRF(json_str(e, "value")))
				 .p);
	VEC_PUSH(a, out, info(a, conf));
	ours = out->n;
	for (char **e = environ; *e; e++) {
		size_t i = 0;

		while (i < ours && !names_same(out->v[i], *e))
			i++;
		if (i == ours)
			VEC_PUSH(a, out, *e);
	}
	VEC_PUSH(a, out, NULL);
}

static void start(struct auth_exec *x)
{
	const struct json *spec = x->conf->exec;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str command = json_str(spec, "command");
	struct str hint = json_str(spec, "installHint");
	struct words argv = { 0 }, env = { 0 };
	struct proc_opts o = { .ms = EXEC_MS, .max_out = OUTPUT_MAX };

	/* As client-go: a path is relative to the kubeconfig; a name is searched in PATH. */
	if (str_chr(command, '/') >= 0 && command.p[0] != '/')
		command = str_fmt(&a, "%.*s%.*s", STRF(x->conf->exec_dir), STRF(command));
	VEC_PUSH(&a, &argv, str_z(&a, command));
	for (const struct json *w = json_first(json_at(spec, "args")); w; w = json_next(w))
		VEC_PUSH(&a, &argv, str_z(&a, json_text(w)));
	VEC_PUSH(&a, &argv, NULL);
	add_env(&a, x->conf, &env);
	o.argv = argv.v;
	o.env = env.v;
	arena_free(&x->a);
	x->err = ERR_INIT(&x->a);
	x->token = S("");
	if (str_is(json_str(spec, "interactiveMode"), "Always"))
		(void)err_set(&x->err, ERR_INVALID,
			      "the plugin needs a terminal (interactiveMode: Always), which "
			      "is not supported; use a token");
	else
		x->proc = proc_start(x->loop, &o, done, x, &x->err);
	x->state = x->proc ? EXEC_RUNNING : EXEC_FAILED;
	if (!x->proc && hint.n)
		x->err.msg = str_fmt(&x->a, "%.*s (%.*s)", STRF(x->err.msg), STRF(last_line(hint)));
}

/* ---- interface ----------------------------------------------------------- */

int auth_exec_token(struct auth_exec *x, struct str *out, struct err *err)
{
	/* send a new result once even if it is expired by our clock: the server decides */
	if (x->state == EXEC_HAVE && !x->fresh && x->expires && clock_wall_s() >= x->expires)
		x->state = EXEC_NONE;
	x->fresh = false;
	if (x->state == EXEC_NONE)
		start(x);
	switch (x->state) {
	case EXEC_NONE:
	case EXEC_RUNNING:
		return -ERR_AGAIN;
	case EXEC_HAVE:
		*out = x->token;
		return 0;
	case EXEC_FAILED:
		break;
	}
	/* The next request runs the plugin again. */
	x->state = EXEC_NONE;
	return err_set(err, ERR_INVALID, "exec plugin %.*s: %.*s",
		       STRF(json_str(x->conf->exec, "command")), STRF(x->err.msg));
}

void auth_exec_stale(struct auth_exec *x)
{
	if (x->state == EXEC_HAVE)
		x->state = EXEC_NONE;
}

void auth_exec_free(struct auth_exec *x)
{
	if (x->proc)
		proc_kill(x->proc);
	arena_free(&x->a);
}
