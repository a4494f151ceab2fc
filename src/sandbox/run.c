/*
 * mco-sandbox as a process: tokens, TLS, the kubeconfig it writes, signals.
 *
 * Refuses to listen on other addresses than loopback without tokens and TLS, unless a flag allows
 * it.
 */
#include "sandbox/run.h"

#include <signal.h>
#include <string.h>

#include "base/codec.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "io/tls.h"

#define TOKENS_MAX ((size_t)1 << 20)

/* Loopback, or not an address: listening reports that. */
static bool is_harmless(struct str address)
{
	static const unsigned char one[16] = { [15] = 1 };
	unsigned char ip[16];
	struct sock_addr a;
	size_t n;

	if (!address.n)
		return false;
	if (!sock_parse(address, 0, &a))
		return true;
	n = sock_ip(&a, ip);
	return n == 4 ? ip[0] == 127 : memcmp(ip, one, sizeof(one)) == 0;
}

/* A client that can write here controls everything that uses this server, even the root of a
 * node. */
static int check_network(const struct sb_run *o, struct err *err)
{
	if (is_harmless(o->address) || (o->tokens.n && o->cert.n) || o->open_network)
		return 0;
	return err_set(err, ERR_INVALID,
		       "--address %.*s is not loopback, so everyone in the "
		       "network could write here: use --tokens, "
		       "--tls-cert-file and --tls-private-key-file, or "
		       "--allow-unauthenticated-network",
		       STRF(o->address.n ? o->address : S("\"\"")));
}

static int read_tokens(struct arena *a, struct str path, struct strs *out, struct err *err)
{
	struct str text, line, rest;
	int rc;

	if (!path.n)
		return 0;
	rc = file_read(a, str_z(a, path), TOKENS_MAX, &text, err);
	if (rc < 0)
		return rc;
	while (str_line(&text, &line)) {
		(void)str_cut(line, ',', &line, &rest);
		if (str_trim(line).n)
			VEC_PUSH(a, out, str_trim(line));
	}
	return out->n ? 0 : err_set(err, ERR_INVALID, "%.*s has no token", STRF(path));
}

static int write_kubeconfig(struct arena *a, const struct sb_run *o, int port,
			    const struct strs *tokens, struct err *err)
{
	struct str ca;
	struct buf b;
	bool v6 = str_chr(o->address, ':') >= 0;
	int rc;

	if (!o->kubeconfig.n)
		return 0;
	buf_init(&b, a);
	buf_addf(&b,
		 "apiVersion: v1\nkind: Config\nclusters:\n- name: sandbox\n"
		 "  cluster:\n    server: http%s://%s%.*s%s:%d\n",
		 o->cert.n ? "s" : "", v6 ? "[" : "", STRF(o->address), v6 ? "]" : "", port);
	if (o->cert.n) {
		rc = file_read(a, str_z(a, o->cert), TOKENS_MAX, &ca, err);
		if (rc < 0)
			return rc;
		buf_addz(&b, "    certificate-authority-data: ");
		base64_add(&b, ca);
		buf_addc(&b, '\n');
	}
	buf_addz(&b, "users:\n- name: admin\n  user: ");
	if (tokens->n)
		buf_addf(&b, "\n    token: %.*s\n", STRF(tokens->v[0]));
	else
		buf_addz(&b, "{}\n");
	buf_addz(&b, "contexts:\n- name: sandbox\n  context:\n    cluster: "
		     "sandbox\n    user: admin\ncurrent-context: sandbox\n");
	return file_replace(str_z(a, o->kubeconfig), buf_str(&b), 0600, err);
}

struct running {
	struct loop *loop;
	struct sb_server *server;
	struct sandbox *sandbox;
};

static void stopped(void *ctx)
{
	loop_stop(ctx);
}

static void on_signal(void *ctx, int signo)
{
	struct running *x = ctx;

	(void)signo;
	sb_server_stop(x->server, stopped, x->loop);
}

/* Compacts now, for tests of how clients recover. */
static void on_compact(void *ctx, int signo)
{
	struct running *x = ctx;

	(void)signo;
	store_compact(&x->sandbox->store);
}

/* *out is NULL without a certificate. */
static int load_tls(struct arena *a, const struct sb_run *o, struct tls_server **out,
		    struct err *err)
{
	int rc;

	*out = NULL;
	if (!o->cert.n && !o->key.n)
		return 0;
	if (!o->cert.n || !o->key.n)
		return err_set(err, ERR_INVALID,
			       "--tls-cert-file and --tls-private-key-file go "
			       "together");
	*out = tls_server_new(NULL);
	rc = tls_server_load(*out, str_z(a, o->cert), str_z(a, o->key), err);
	if (rc < 0)
		tls_server_free(*out);
	return rc;
}

static int serve_loop(struct arena *a, const struct sb_run *o, struct sandbox *sb,
		      const struct strs *tokens, struct persist *persist, struct tls_server *tls,
		      int fd, struct err *err)
{
	struct running x = { .loop = loop_new(err), .sandbox = sb };
	struct sb_server_opts so = { .sandbox = sb,
				     .tokens = *tokens,
				     .persist = persist,
				     .bookmark_ms = o->bookmark_ms,
				     .faults = o->faults };
	int rc;

	if (!x.loop)
		return -(int)err->code;
	so.loop = x.loop;
	x.server = sb_server_new(&so);
	sb_server_listen(x.server, fd, tls);
	rc = loop_signal(x.loop, SIGTERM, on_signal, &x, err);
	if (rc == 0)
		rc = loop_signal(x.loop, SIGINT, on_signal, &x, err);
	if (rc == 0)
		rc = loop_signal(x.loop, SIGUSR1, on_compact, &x, err);
	if (rc == 0)
		rc = write_kubeconfig(a, o, sock_port(fd), tokens, err);
	if (rc == 0) {
		log_info("serving on %.*s:%d", STRF(o->address), sock_port(fd));
		rc = loop_run(x.loop, err);
	}
	sb_server_free(x.server);
	loop_free(x.loop);
	return rc;
}

int sb_run(struct arena *a, const struct sb_run *o, struct err *err)
{
	struct sandbox sb;
	struct strs tokens = { 0 };
	struct persist *persist = NULL;
	struct tls_server *tls = NULL;
	int fd, rc;

	if (o->port < 0 || o->port > 65535)
		return err_set(err, ERR_INVALID, "a port is a number from 0 to 65535");
	rc = check_network(o, err);
	if (rc < 0)
		return rc;
	rc = read_tokens(a, o->tokens, &tokens, err);
	if (rc == 0)
		rc = load_tls(a, o, &tls, err);
	if (rc < 0)
		return rc;
	if (tokens.n && !tls)
		log_warn("kubectl sends no token over http: it needs "
			 "--tls-cert-file and --tls-private-key-file");
	rc = sock_listen(o->address, (uint16_t)o->port, &fd, err);
	if (rc < 0) {
		if (tls)
			tls_server_free(tls);
		return rc;
	}
	sandbox_init(&sb, (uint64_t)(o->seed ? o->seed : clock_wall_s()));
	/* versions start at the current time: a client of an earlier sandbox at this address must
	 * not mistake them for versions that it knows */
	if (!o->seed)
		store_begin(&sb.store, (uint64_t)clock_wall_s() * 1000);
	sb.eviction = str_is(o->eviction, "none") ? NULL : str_z(a, o->eviction);
	sb.collect = o->collect;
	if (o->plain)
		kinds_plain(&sb.kinds);
	sb.pod_reap_ms = o->pod_reap_ms;
	if (o->data.n)
		rc = persist_open(&sb, str_z(a, o->data), &persist, err);
	if (rc == 0)
		rc = serve_loop(a, o, &sb, &tokens, persist, tls, fd, err);
	persist_close(persist);
	sandbox_free(&sb);
	if (tls)
		tls_server_free(tls);
	return rc;
}
