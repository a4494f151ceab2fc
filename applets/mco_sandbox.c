/*
 * mco-sandbox: an API server for tests, demos and trials.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "applet.h"
#include "base/codec.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "io/tls.h"
#include "sandbox/server.h"

#define TOKENS_MAX ((size_t)1 << 20)

struct opts {
	struct str address, tokens, kubeconfig, eviction;
	struct str cert, key, data;
	int64_t port, seed, bookmark_ms, pod_reap_ms;
	bool collect, open_network;
	struct sb_faults faults;
};

#define NUMBER(flag, field, what, text)                                                 \
	{                                                                               \
		.name = flag, .kind = FLAG_INT, .offset = offsetof(struct opts, field), \
		.value = what, .help = text                                             \
	}
#define TEXT(flag, field, what, text)                                                   \
	{                                                                               \
		.name = flag, .kind = FLAG_STR, .offset = offsetof(struct opts, field), \
		.value = what, .help = text                                             \
	}

static const struct flag flags[] = {
	TEXT("address", address, "IP",
	     "address to listen on; one that is not loopback needs --tokens "
	     "and TLS"),
	{ .name = "allow-unauthenticated-network",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, open_network),
	  .help = "listen on any address without tokens or TLS: who reaches "
		  "the port may read and write everything" },
	NUMBER("port", port, "PORT", "port to listen on; 0 lets the kernel choose"),
	TEXT("tokens", tokens, "FILE", "bearer tokens let in, one a line"),
	TEXT("write-kubeconfig", kubeconfig, "FILE",
	     "write a kubeconfig for this server when it is ready"),
	TEXT("tls-cert-file", cert, "FILE",
	     "serve TLS with this certificate; given by --write-kubeconfig as "
	     "the authority"),
	TEXT("tls-private-key-file", key, "FILE", "its key"),
	TEXT("data", data, "FILE",
	     "keep the objects in this file and go on from it; memory only "
	     "when absent"),
	{ .name = "eviction",
	  .kind = FLAG_CHOICE,
	  .offset = offsetof(struct opts, eviction),
	  .value = "VERSION",
	  .choices = "v1beta1|v1|none",
	  .help = "policy version of evictions" },
	{ .name = "collect",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, collect),
	  .help = "collect garbage, as the controller manager does" },
	NUMBER("pod-reap-ms", pod_reap_ms, "MS",
	       "remove pods this long after their deletion; -1 never"),
	NUMBER("bookmark-ms", bookmark_ms, "MS", "time between bookmarks"),
	NUMBER("seed", seed, "N", "for uids and faults; 0 takes the clock"),
	NUMBER("fault-latency-ms", faults.latency_ms, "MS", "wait before each answer"),
	NUMBER("fault-429", faults.too_many, "N", "of 1,000 requests, N are told to come later"),
	NUMBER("fault-500", faults.errors, "N", "of 1,000 requests, N fail"),
	NUMBER("fault-drop-watch-ms", faults.drop_watch_ms, "MS",
	       "cut watches after about this long"),
	NUMBER("fault-compact-every", faults.compact_every, "N",
	       "forget the past after every N changes"),
	{ .name = "fault-forbid",
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, faults.forbid),
	  .value = "RESOURCE",
	  .help = "refuse all requests for it; may be repeated" },
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	o->address = S("127.0.0.1");
	o->port = 6443;
	o->eviction = S("v1beta1");
	o->collect = true;
	o->pod_reap_ms = 0;
}

/* What is no address at all is told so when it is listened on. */
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

/* Whoever reaches the server owns what runs against it: a node's root, too. */
static int check_network(struct run *r, const struct opts *o)
{
	if (is_harmless(o->address) || (o->tokens.n && o->cert.n) || o->open_network)
		return 0;
	return err_set(&r->err, ERR_INVALID,
		       "--address %.*s is not loopback, so everybody in the "
		       "network could write here: give --tokens, "
		       "--tls-cert-file and --tls-private-key-file, or "
		       "--allow-unauthenticated-network",
		       STRF(o->address.n ? o->address : S("\"\"")));
}

static int read_tokens(struct run *r, struct str path, struct strs *out)
{
	struct str text, line, rest;
	int rc;

	if (!path.n)
		return 0;
	rc = file_read(r->a, str_z(r->a, path), TOKENS_MAX, &text, &r->err);
	if (rc < 0)
		return rc;
	while (str_line(&text, &line)) {
		(void)str_cut(line, ',', &line, &rest);
		if (str_trim(line).n)
			VEC_PUSH(r->a, out, str_trim(line));
	}
	return out->n ? 0 : err_set(&r->err, ERR_INVALID, "%.*s has no token", STRF(path));
}

static int write_kubeconfig(struct run *r, const struct opts *o, int port,
			    const struct strs *tokens)
{
	struct str ca;
	struct buf b;
	bool v6 = str_chr(o->address, ':') >= 0;
	int rc;

	if (!o->kubeconfig.n)
		return 0;
	buf_init(&b, r->a);
	buf_addf(&b,
		 "apiVersion: v1\nkind: Config\nclusters:\n- name: sandbox\n"
		 "  cluster:\n    server: http%s://%s%.*s%s:%d\n",
		 o->cert.n ? "s" : "", v6 ? "[" : "", STRF(o->address), v6 ? "]" : "", port);
	if (o->cert.n) {
		rc = file_read(r->a, str_z(r->a, o->cert), TOKENS_MAX, &ca, &r->err);
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
	return file_replace(str_z(r->a, o->kubeconfig), buf_str(&b), 0600, &r->err);
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

/* Forgets the past now: for tests of what clients do then. */
static void on_compact(void *ctx, int signo)
{
	struct running *x = ctx;

	(void)signo;
	store_compact(&x->sandbox->store);
}

/* NULL when no certificate was given. */
static int load_tls(struct run *r, const struct opts *o, struct tls_server **out)
{
	int rc;

	*out = NULL;
	if (!o->cert.n && !o->key.n)
		return 0;
	if (!o->cert.n || !o->key.n)
		return err_set(&r->err, ERR_INVALID,
			       "--tls-cert-file and --tls-private-key-file go "
			       "together");
	*out = tls_server_new(NULL);
	rc = tls_server_load(*out, str_z(r->a, o->cert), str_z(r->a, o->key), &r->err);
	if (rc < 0)
		tls_server_free(*out);
	return rc;
}

static int serve(struct run *r, const struct opts *o, struct sandbox *sb, const struct strs *tokens,
		 struct persist *persist, struct tls_server *tls, int fd)
{
	struct running x = { .loop = loop_new(&r->err), .sandbox = sb };
	struct sb_server_opts so = { .sandbox = sb,
				     .tokens = *tokens,
				     .persist = persist,
				     .bookmark_ms = o->bookmark_ms,
				     .faults = o->faults };
	int rc;

	if (!x.loop)
		return -(int)r->err.code;
	so.loop = x.loop;
	x.server = sb_server_new(&so);
	sb_server_listen(x.server, fd, tls);
	rc = loop_signal(x.loop, SIGTERM, on_signal, &x, &r->err);
	if (rc == 0)
		rc = loop_signal(x.loop, SIGINT, on_signal, &x, &r->err);
	if (rc == 0)
		rc = loop_signal(x.loop, SIGUSR1, on_compact, &x, &r->err);
	if (rc == 0)
		rc = write_kubeconfig(r, o, sock_port(fd), tokens);
	if (rc == 0) {
		log_info("serving on %.*s:%d", STRF(o->address), sock_port(fd));
		rc = loop_run(x.loop, &r->err);
	}
	sb_server_free(x.server);
	loop_free(x.loop);
	return rc;
}

static int run_start(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct sandbox sb;
	struct strs tokens = { 0 };
	struct persist *persist = NULL;
	struct tls_server *tls = NULL;
	int fd, rc;

	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "start takes flags only, not \"%.*s\"",
			       STRF(r->words.v[0]));
	if (o->port < 0 || o->port > 65535)
		return err_set(&r->err, ERR_INVALID, "a port is a number from 0 to 65535");
	rc = check_network(r, o);
	if (rc < 0)
		return rc;
	rc = read_tokens(r, o->tokens, &tokens);
	if (rc == 0)
		rc = load_tls(r, o, &tls);
	if (rc < 0)
		return rc;
	if (tokens.n && !tls)
		log_warn("kubectl sends no token over http: it needs "
			 "--tls-cert-file and --tls-private-key-file");
	rc = sock_listen(o->address, (uint16_t)o->port, &fd, &r->err);
	if (rc < 0) {
		if (tls)
			tls_server_free(tls);
		return rc;
	}
	sandbox_init(&sb, (uint64_t)(o->seed ? o->seed : clock_wall_s()));
	/* A client of a sandbox that was here before is not to take this one's
	 * versions for those it knows. */
	if (!o->seed)
		store_begin(&sb.store, (uint64_t)clock_wall_s() * 1000);
	sb.eviction = str_is(o->eviction, "none") ? NULL : str_z(r->a, o->eviction);
	sb.collect = o->collect;
	sb.pod_reap_ms = o->pod_reap_ms;
	if (o->data.n)
		rc = persist_open(&sb, str_z(r->a, o->data), &persist, &r->err);
	if (rc == 0)
		rc = serve(r, o, &sb, &tokens, persist, tls, fd);
	persist_close(persist);
	sandbox_free(&sb);
	if (tls)
		tls_server_free(tls);
	return rc;
}

static const struct command start_command = {
	.name = "start",
	.args = "[--port PORT] [--write-kubeconfig FILE]",
	.summary = "serve an empty cluster",
	.details = "Serves nodes, pods, the machineconfiguration.openshift.io "
		   "kinds and whatever CRDs are\ncreated. kubectl and the roles of "
		   "mco work against it; nothing runs behind it.",
	.examples = "# A cluster to try things in\n"
		    "@ start --port 0 --write-kubeconfig sandbox.kubeconfig\n"
		    "# One that keeps its objects in a file\n"
		    "@ start --data cluster.data",
	.exits = "0 after SIGTERM or SIGINT, 1 an error",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run_start,
};

static const struct command *const commands[] = { &start_command, &version_command, NULL };

const struct applet mco_sandbox_applet = {
	.name = "mco-sandbox",
	.summary = "serves the Kubernetes API for tests, demos and trials",
	.commands = commands,
};
