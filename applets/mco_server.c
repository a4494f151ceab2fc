/*
 * mco-server: the flags and commands of the Machine Config Server, as upstream's.
 */
#include "applet.h"
#include "role/server.h"

#define SERVER_FLAG(flag, type, of, field, what, text)              \
	{                                                           \
		.texts = FLAG_TEXT(flag, what, text), .kind = type, \
		.offset = offsetof(of, s.field)                     \
	}

/* The flags that the commands share; `of` has a struct server_opts s and a payload. */
#define SERVER_FLAGS(of)                                                                       \
	SERVER_FLAG("secure-port", FLAG_INT, of, secure_port, "PORT",                          \
		    "port for TLS (default 22623)"),                                           \
		SERVER_FLAG("insecure-port", FLAG_INT, of, insecure_port, "PORT",              \
			    "port for plain HTTP; 0: none (default 22624)"),                   \
		SERVER_FLAG("cert", FLAG_STR, of, cert, "FILE",                                \
			    "serving certificate chain (default /etc/ssl/mcs/tls.crt)"),       \
		SERVER_FLAG("key", FLAG_STR, of, key, "FILE",                                  \
			    "key of the certificate (default /etc/ssl/mcs/tls.key)"),          \
		SERVER_FLAG("tls-cipher-suites", FLAG_STR, of, suites, "LIST",                 \
			    "IANA names, separated by commas; for start"),                     \
		SERVER_FLAG("tls-min-version", FLAG_STR, of, min_version, "VERSION",           \
			    "VersionTLS10 to VersionTLS12 (default VersionTLS12); for start"), \
		{ .texts = FLAG_TEXT("payload-version", "VERSION",                             \
				     "release version; accepted and ignored"),                 \
		  .kind = FLAG_STR,                                                            \
		  .offset = offsetof(of, payload),                                             \
		  .env = "RELEASE_VERSION" },                                                  \
		SERVER_FLAG("bind-address", FLAG_STR, of, bind, "ADDRESS",                     \
			    "address to listen on (default: all)"),                            \
		SERVER_FLAG("workers", FLAG_INT, of, workers, "N",                             \
			    "number of processes, for bootstrap (default: one per core)"),     \
		SERVER_FLAG("max-connections", FLAG_INT, of, max_conns, "N",                   \
			    "concurrent connections per port (default 4096)"),                 \
		SERVER_FLAG("max-connections-per-address", FLAG_INT, of, per_address, "N",     \
			    "of those, from one client address (default: half)"),              \
		SERVER_FLAG("metrics-address", FLAG_STR, of, metrics, "HOST:PORT",             \
			    "serve /metrics on this address (default: none)"),                 \
		SERVER_FLAG("require-token-file", FLAG_STR, of, token_file, "FILE",            \
			    "require a bearer token that is in this file, one per line"),      \
		SERVER_FLAG("allow-cidr", FLAG_STRS, of, allow, "NETWORK",                     \
			    "serve only clients of this network; may be repeated"),            \
		SERVER_FLAG("rate-limit", FLAG_INT, of, rate, "N",                             \
			    "configs per minute and client address (default: no limit)"),      \
		SERVER_FLAG("audit-log", FLAG_STR, of, audit, "FILE",                          \
			    "write one JSON line per request; - is standard error")

struct bootstrap_opts {
	struct server_opts s;
	struct str payload; /* upstream's flag, without an effect */
	struct server_files files;
};

static const struct flag bootstrap_flags[] = {
	{ .texts = FLAG_TEXT("server-basedir", "DIR",
			     "directory of machine-pools, machine-configs and "
			     "controller-config (default /etc/mcs/bootstrap)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct bootstrap_opts, files.base) },
	{ .texts = FLAG_TEXT("bootstrap-kubeconfig", "FILE",
			     "kubeconfig that machines get (default "
			     "/etc/kubernetes/kubeconfig)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct bootstrap_opts, files.kubeconfig) },
	{ .texts = FLAG_TEXT("bootstrap-certs", "HOST=FILE",
			     "registry certificate, FILE is relative to the directory; may "
			     "be repeated"),
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct bootstrap_opts, files.certs) },
	{ .texts = FLAG_TEXT("apiserver-manifest", "FILE",
			     "APIServer manifest with the TLS profile (default "
			     "/etc/mcs/bootstrap/api-server/api-server.yaml)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct bootstrap_opts, files.apiserver) },
	SERVER_FLAGS(struct bootstrap_opts),
	{ 0 },
};

static void bootstrap_defaults(void *p)
{
	struct bootstrap_opts *o = p;

	server_defaults(&o->s);
	o->files.base = S("/etc/mcs/bootstrap");
	o->files.kubeconfig = S("/etc/kubernetes/kubeconfig");
	o->files.apiserver = S("/etc/mcs/bootstrap/api-server/api-server.yaml");
}

static int run_bootstrap(struct run *r, const void *p)
{
	const struct bootstrap_opts *o = p;

	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "unknown argument \"%.*s\"",
			       STRF(r->words.v[0]));
	return server_bootstrap(r->a, &o->s, &o->files);
}

static const struct command bootstrap_command = {
	.name = "bootstrap",
	.args = "[flags]",
	.summary = "serve the control plane's first machines, from files",
	.details = "Answers GET and HEAD of /config/POOL, in the Ignition version that the "
		   "Accept header\nasks for, and of /healthz. Reloads files and "
		   "certificates when they change.\nOn SIGTERM, running requests "
		   "finish first.",
	.examples = "# Serve what `mco-controller bootstrap` wrote\n"
		    "@ bootstrap --server-basedir /etc/mcs/bootstrap\n"
		    "# Only to the machines of one network\n"
		    "@ bootstrap --allow-cidr 192.0.2.0/24",
	.exits = "0 after SIGTERM, 1 it cannot start",
	.flags = bootstrap_flags,
	.opts_size = sizeof(struct bootstrap_opts),
	.defaults = bootstrap_defaults,
	.run = run_bootstrap,
};

/* ---- in a cluster -------------------------------------------------------- */

struct start_opts {
	struct server_opts s;
	struct str payload;
	struct server_cluster cluster;
};

static const struct flag start_flags[] = {
	{ .texts = FLAG_TEXT("apiserver-url", "URL", "API server for the machines; required"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct start_opts, cluster.url) },
	{ .texts = FLAG_TEXT("kubeconfig", "FILE",
			     "cluster and credentials (default: the pod's account)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct start_opts, cluster.kubeconfig) },
	{ .texts = FLAG_TEXT("bootstrap-token-dir", "DIR",
			     "token and ca.crt that machines get (default "
			     "/etc/mcs/bootstrap-token)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct start_opts, cluster.token_dir) },
	SERVER_FLAGS(struct start_opts),
	{ 0 },
};

static void start_defaults(void *p)
{
	struct start_opts *o = p;

	server_defaults(&o->s);
	o->cluster.token_dir = S("/etc/mcs/bootstrap-token");
}

static int run_start(struct run *r, const void *p)
{
	const struct start_opts *o = p;

	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "unknown argument \"%.*s\"",
			       STRF(r->words.v[0]));
	return server_start(r->a, &o->s, &o->cluster);
}

static const struct command start_command = {
	.name = "start",
	.args = "--apiserver-url URL [flags]",
	.summary = "serve machines that join a running cluster",
	.details = "Watches pools and the objects that their configs are made of, and "
		   "listens when all\nare read. Answers as bootstrap does, for "
		   "any pool.",
	.examples = "# In the cluster, with the account of the pod\n"
		    "@ start --apiserver-url https://api-int.example.com:6443\n"
		    "# Only to machines that have a token\n"
		    "@ start --apiserver-url https://api-int.example.com:6443 \\\n"
		    "    --require-token-file /etc/mcs/tokens",
	.exits = "0 after SIGTERM, 1 it cannot start, 255 it has no usable credentials",
	.flags = start_flags,
	.opts_size = sizeof(struct start_opts),
	.defaults = start_defaults,
	.from_manifest = true,
	.run = run_start,
};

static const struct command *const commands[] = { &bootstrap_command, &start_command,
						  &version_command, NULL };

const struct applet mco_server_applet = {
	.name = "mco-server",
	.summary = "serves Ignition to machines that join",
	.commands = commands,
	.holds_keys = true,
	.upstream = "MachineConfigServer",
};
