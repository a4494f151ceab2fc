/*
 * mco-server: Ignition for machines that join, with upstream's flags.
 */
#include <fcntl.h>
#include <unistd.h>

#include "data/yml.h"
#include "io/file.h"
#include "io/log.h"
#include "io/version.h"
#include "kube/config.h"
#include "mc/tls_profile.h"
#include "server.h"

struct bootstrap_opts {
	struct server_opts s;
	struct str base, kubeconfig, apiserver;
	struct strs certs;
};

static const struct flag bootstrap_flags[] = {
	{ .name = "server-basedir",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct bootstrap_opts, base),
	  .value = "DIR",
	  .help = "directory of machine-pools, machine-configs and "
		  "controller-config (default /etc/mcs/bootstrap)" },
	{ .name = "bootstrap-kubeconfig",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct bootstrap_opts, kubeconfig),
	  .value = "FILE",
	  .help = "kubeconfig that machines get (default "
		  "/etc/kubernetes/kubeconfig)" },
	{ .name = "bootstrap-certs",
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct bootstrap_opts, certs),
	  .value = "HOST=FILE",
	  .help = "certificate of a registry, FILE in the directory; may be "
		  "repeated" },
	{ .name = "apiserver-manifest",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct bootstrap_opts, apiserver),
	  .value = "FILE",
	  .help = "APIServer whose TLS profile is used (default "
		  "/etc/mcs/bootstrap/api-server/api-server.yaml)" },
	SERVER_FLAGS(struct bootstrap_opts),
	{ 0 },
};

static void bootstrap_defaults(void *p)
{
	struct bootstrap_opts *o = p;

	server_defaults(&o->s);
	o->base = S("/etc/mcs/bootstrap");
	o->kubeconfig = S("/etc/kubernetes/kubeconfig");
	o->apiserver = S("/etc/mcs/bootstrap/api-server/api-server.yaml");
}

/* Whatever is wrong with it, machines are served: the profile is then the
 * default. */
static struct tls_profile read_profile(struct run *r, struct str path)
{
	struct err err = ERR_INIT(r->a);
	struct json *tree = NULL;
	struct str text;
	int rc = file_read(r->a, str_z(r->a, path), 1 << 20, &text, &err);

	if (rc == 0)
		rc = yml_parse(r->a, text, NULL, &tree, &err);
	if (rc == -ERR_NOTFOUND)
		log_info("No bootstrap apiserver manifest found, bootstrap MCS "
			 "will use defaults");
	else if (rc < 0)
		log_info("error found during grabbing apiserver from bootstrap "
			 "manifest %.*s",
			 STRF(err.msg));
	return mc_tls_profile(r->a, json_at(tree, "spec.tlsSecurityProfile"));
}

static struct str join(struct arena *a, const struct strs *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++)
		buf_addf(&b, "%s%.*s", i ? " " : "", STRF(list->v[i]));
	return buf_str(&b);
}

/* As upstream ends when it cannot start: a line in the log, exit status 1. */
static int end(struct run *r, int rc)
{
	if (rc >= 0)
		return rc;
	log_line(LOG_FATAL, __FILE__, __LINE__, "Machine Config Server exited with error: %.*s",
		 STRF(r->err.msg));
	return 1;
}

static int run_bootstrap(struct run *r, const void *p)
{
	const struct bootstrap_opts *o = p;
	struct bootstrap_origin b = { .base = o->base,
				      .kubeconfig = o->kubeconfig,
				      .certs = o->certs };
	struct tls_profile tls;

	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "unknown argument \"%.*s\"",
			       STRF(r->words.v[0]));
	log_info("Version: %s (%s)", version_raw(), version_hash());
	if (access(str_z(r->a, o->kubeconfig), F_OK) < 0)
		return end(r,
			   err_set(&r->err, ERR_NOTFOUND, "kubeconfig not found at location: %.*s",
				   STRF(o->kubeconfig)));
	tls = read_profile(r, o->apiserver);
	log_info("Launching bootstrap server with tls min version: %.*s & "
		 "cipher suites [%.*s]",
		 STRF(tls.min_version), STRF(join(r->a, &tls.suites)));
	bootstrap_origin_init(&b);
	return end(r, server_run(r, &o->s, &b.origin, tls.min_version, &tls.suites));
}

static const struct command bootstrap_command = {
	.name = "bootstrap",
	.args = "[flags]",
	.summary = "serve the control plane's first machines, from files",
	.details = "Answers GET and HEAD of /config/POOL in the version of "
		   "Ignition that the Accept header\nasks for, and of /healthz. "
		   "Files and certificates are read again when they have\n"
		   "changed. SIGTERM lets requests under way end.",
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
	struct str apiserver, kubeconfig, token_dir;
};

static const struct flag start_flags[] = {
	{ .name = "apiserver-url",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct start_opts, apiserver),
	  .value = "URL",
	  .help = "API server that machines are sent to; must be given" },
	{ .name = "kubeconfig",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct start_opts, kubeconfig),
	  .value = "FILE",
	  .help = "cluster and credentials (default: the pod's account)" },
	{ .name = "bootstrap-token-dir",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct start_opts, token_dir),
	  .value = "DIR",
	  .help = "token and ca.crt that machines get (default "
		  "/etc/mcs/bootstrap-token)" },
	SERVER_FLAGS(struct start_opts),
	{ 0 },
};

static void start_defaults(void *p)
{
	struct start_opts *o = p;

	server_defaults(&o->s);
	o->token_dir = S("/etc/mcs/bootstrap-token");
}

/* As upstream ends without a client: the pod's status tells why. */
static int no_client(struct run *r)
{
	log_to_pod(r->err.msg);
	log_line(LOG_FATAL, __FILE__, __LINE__, "%.*s", STRF(r->err.msg));
	return 255;
}

static int run_start(struct run *r, const void *p)
{
	const struct start_opts *o = p;
	struct kube_flags flags = { .kubeconfig = o->kubeconfig };
	struct kube_conf conf = { 0 };
	struct cluster_origin c = { 0 };
	struct str rest = o->s.suites, one;
	struct strs suites = { 0 };
	int rc;

	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "unknown argument \"%.*s\"",
			       STRF(r->words.v[0]));
	log_info("Version: %s (%s)", version_raw(), version_hash());
	if (!o->apiserver.n) {
		log_line(LOG_FATAL, __FILE__, __LINE__, "--apiserver-url cannot be empty");
		return 1;
	}
	if (kube_config_load(r->a, &flags, true, &conf, &r->err) < 0)
		return no_client(r);
	while (str_cut(rest, ',', &one, &rest))
		VEC_PUSH(r->a, &suites, one);
	if (rest.n)
		VEC_PUSH(r->a, &suites, rest);
	log_info("Launching server with tls min version: %.*s & cipher suites "
		 "[%.*s]",
		 STRF(o->s.min_version), STRF(join(r->a, &suites)));
	cluster_origin_init(&c);
	c.conf = &conf;
	c.url = o->apiserver;
	c.token_dir = o->token_dir;
	rc = server_run(r, &o->s, &c.origin, o->s.min_version, &suites);
	return c.refused ? no_client(r) : end(r, rc);
}

static const struct command start_command = {
	.name = "start",
	.args = "--apiserver-url URL [flags]",
	.summary = "serve machines that join a running cluster",
	.details = "Follows pools, MachineConfigs and what else a config is made "
		   "of, and listens when it\nhas seen them all. Answers as "
		   "bootstrap does, for any pool.",
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
