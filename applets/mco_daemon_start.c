/*
 * mco-daemon start: follows the cluster, or applies one config and ends.
 */
#include "io/file.h"
#include "io/log.h"
#include "io/version.h"
#include "mc/gates.h"
#include "mco_daemon.h"
#include "node/guard.h"
#include "node/boot.h"
#include "node/standalone.h"
#include "role/daemon.h"

#define CONFIG_MAX ((size_t)64 << 20)

struct opts {
	struct str root, node_name, once_from, kubeconfig, metrics;
	struct str desired_configmap, healthz_endpoint, ciphers, min_version;
	struct str payload;
	bool skip_reboot, healthz, force;
};

#define TEXT(flag, field, what, text)                                   \
	{                                                               \
		.texts = FLAG_TEXT(flag, what, text), .kind = FLAG_STR, \
		.offset = offsetof(struct opts, field)                  \
	}
/* Upstream's flags, accepted because its manifests set them. */
#define IGNORED(flag, field)                                                              \
	{                                                                                 \
		.texts = FLAG_TEXT(flag, "STRING", ""), .kind = FLAG_STR, .hidden = true, \
		.offset = offsetof(struct opts, field)                                    \
	}

static const struct flag flags[] = {
	TEXT("root-mount", root, "DIR", "where the node's root is mounted (default /rootfs)"),
	{ .texts = FLAG_TEXT("node-name", "NAME", "name of this node"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, node_name),
	  .env = "NODE_NAME" },
	TEXT("kubeconfig", kubeconfig, "FILE",
	     "cluster and credentials (default: those of the pod)"),
	TEXT("metrics-url", metrics, "HOST:PORT",
	     "address of /metrics and /healthz (default 127.0.0.1:8797)"),
	TEXT("once-from", once_from, "FILE|URL",
	     "apply this Ignition config or MachineConfig, then exit"),
	{ .texts = FLAG_TEXT("skip-reboot", "", "with --once-from: do not reboot"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, skip_reboot) },
	{ .texts = FLAG_TEXT("force", "",
			     "with --root-mount /: run even if this machine is not a node"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, force) },
	TEXT("desired-configmap", desired_configmap, "DIR",
	     "node of a hosted cluster: directory of its config and hash"),
	IGNORED("kubelet-healthz-endpoint", healthz_endpoint),
	IGNORED("tls-cipher-suites", ciphers),
	IGNORED("tls-min-version", min_version),
	PAYLOAD_FLAG(struct opts),
	{ .texts = FLAG_TEXT("kubelet-healthz-enabled", "", ""),
	  .kind = FLAG_BOOL,
	  .hidden = true,
	  .offset = offsetof(struct opts, healthz) },
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	o->root = S("/rootfs");
	o->metrics = S("127.0.0.1:8797");
	o->healthz = true;
	o->payload = S(MC_GATES_SNAPSHOT);
	o->healthz_endpoint = S("http://localhost:10248/healthz");
}

/* ---- once ---------------------------------------------------------------- */

static int once_from(struct run *r, struct node *n, struct str path)
{
	const char *file = str_z(r->a, path);
	bool remote = str_starts(path, S("http://")) || str_starts(path, S("https://"));
	struct os_status status;
	struct str text;
	int rc = boot_init(n, r->a, &status, &r->err);

	if (rc < 0)
		return err_wrap(&r->err, "Failed to initialize single run daemon");
	if (remote)
		rc = daemon_fetch(r, path, &text);
	else /* upstream reads it inside the node's root */
		rc = tree_read(r->a, &n->tree, file, CONFIG_MAX, &text, &r->err);
	if (!remote && rc == -ERR_NOTFOUND)
		rc = file_read(r->a, file, CONFIG_MAX, &text, &r->err);
	return rc < 0 ? rc : standalone_once_from(n, r->a, text, remote, &r->err);
}

/* After daemon_enter the root / is the node's, so the guard does not apply. */
static int open_node(struct run *r, const struct opts *o, struct node *n)
{
	int rc = daemon_open(r, o->root, false, n);

	if (rc < 0)
		return rc;
	rc = guard_root(n, o->force || daemon_entered(), &r->err);
	if (rc < 0)
		node_close(n);
	return rc;
}

static int run_once(struct run *r, const struct opts *o)
{
	struct node n;
	int rc = open_node(r, o, &n);

	if (rc < 0)
		return rc;
	n.skip_reboot = o->skip_reboot;
	rc = once_from(r, &n, o->once_from);
	node_close(&n);
	return rc;
}

/* ---- always -------------------------------------------------------------- */

static int run_always(struct run *r, const struct opts *o)
{
	const struct daemon_opts opts = { .node_name = o->node_name,
					  .kubeconfig = o->kubeconfig,
					  .metrics = o->metrics,
					  .release = o->payload,
					  .hosted = o->desired_configmap,
					  .healthz = o->healthz ? o->healthz_endpoint : S("") };
	struct node n;
	int rc;

	log_never_wait();
	log_info("Version: %s (%s)", version_raw(), version_hash());
	rc = open_node(r, o, &n);
	if (rc < 0)
		return rc;
	rc = daemon_run(r->a, &n, &opts, &r->err);
	node_close(&n);
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	const struct daemon_entry entry = { .root = o->root,
					    .kubeconfig = o->kubeconfig,
					    .configmap = o->desired_configmap,
					    .once_from = o->once_from,
					    .argc = r->argc,
					    .argv = r->argv };
	int rc;

	if (!o->node_name.n)
		log_fatal("node-name is required");
	rc = daemon_enter(r->a, &entry, &r->err);
	if (rc == 0)
		rc = o->once_from.n ? run_once(r, o) : run_always(r, o);
	if (rc < 0)
		log_fatal("%.*s", STRF(r->err.msg));
	return rc;
}

const struct command daemon_start = {
	.name = "start",
	.args = "--node-name NAME [--root-mount DIR] [--kubeconfig FILE]\n"
		"--once-from FILE|URL",
	.summary = "keep the node in the config that the cluster wants",
	.details =
		"Watches the node's own Node object: drains, applies, reloads or reboots, "
		"verifies and\nreports, with upstream's annotations, events and metrics. An "
		"interrupted update is undone\nor completed at the next start. SIGTERM waits for "
		"the end of an update.",
	.examples = "# In the node's pod\n"
		    "@ start --node-name worker-0 --root-mount /rootfs\n"
		    "# Apply one config and exit, without a cluster\n"
		    "@ start --once-from worker.ign --root-mount / --skip-reboot",
	.exits = "0 after SIGTERM or --once-from, 1 an error",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.from_manifest = true,
	.run = run,
};
