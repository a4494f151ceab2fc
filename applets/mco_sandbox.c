/*
 * mco-sandbox: the flags of the API server for tests, demos and trials.
 */
#include "applet.h"
#include "sandbox/run.h"

#define NUMBER(flag, field, what, text)                                 \
	{                                                               \
		.texts = FLAG_TEXT(flag, what, text), .kind = FLAG_INT, \
		.offset = offsetof(struct sb_run, field)                \
	}
#define TEXT(flag, field, what, text)                                   \
	{                                                               \
		.texts = FLAG_TEXT(flag, what, text), .kind = FLAG_STR, \
		.offset = offsetof(struct sb_run, field)                \
	}

static const struct flag flags[] = {
	TEXT("address", address, "IP",
	     "address to listen on; one that is not loopback needs --tokens "
	     "and TLS"),
	{ .texts = FLAG_TEXT(
		  "allow-unauthenticated-network", "",
		  "listen on any address without tokens or TLS: anyone who reaches the port can "
		  "read and write everything"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct sb_run, open_network) },
	NUMBER("port", port, "PORT", "port to listen on; 0 lets the kernel choose"),
	TEXT("tokens", tokens, "FILE", "accept only these bearer tokens, one per line"),
	TEXT("write-kubeconfig", kubeconfig, "FILE",
	     "write a kubeconfig for this server when it is ready"),
	TEXT("tls-cert-file", cert, "FILE",
	     "serve TLS with this certificate, which --write-kubeconfig writes as the authority"),
	TEXT("tls-private-key-file", key, "FILE", "key of --tls-cert-file"),
	TEXT("data", data, "FILE",
	     "keep the objects in this file and load them from it (default: in memory only)"),
	{ .texts = FLAG_TEXT("eviction", "VERSION", "policy version of evictions"),
	  .kind = FLAG_CHOICE,
	  .offset = offsetof(struct sb_run, eviction),
	  .choices = "v1beta1|v1|none" },
	{ .texts = FLAG_TEXT("plain", "",
			     "serve the kinds of Kubernetes only, and those of CRDs created in it"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct sb_run, plain) },
	{ .texts = FLAG_TEXT("collect", "", "collect garbage, as the controller manager does"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct sb_run, collect) },
	NUMBER("pod-reap-ms", pod_reap_ms, "MS",
	       "remove pods this long after their deletion; -1 never"),
	NUMBER("bookmark-ms", bookmark_ms, "MS", "time between bookmarks"),
	NUMBER("seed", seed, "N", "seed for uids and faults; 0 uses the clock"),
	NUMBER("fault-latency-ms", faults.latency_ms, "MS", "wait before each response"),
	NUMBER("fault-429", faults.too_many, "N", "answer N of 1,000 requests with 429"),
	NUMBER("fault-500", faults.errors, "N", "answer N of 1,000 requests with 500"),
	NUMBER("fault-drop-watch-ms", faults.drop_watch_ms, "MS",
	       "close watches after about this time"),
	NUMBER("fault-compact-every", faults.compact_every, "N",
	       "compact the history after every N changes"),
	{ .texts = FLAG_TEXT("fault-forbid", "RESOURCE",
			     "refuse all requests for this resource; may be repeated"),
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct sb_run, faults.forbid) },
	{ 0 },
};

static void defaults(void *p)
{
	struct sb_run *o = p;

	o->address = S("127.0.0.1");
	o->port = 6443;
	o->eviction = S("v1");
	o->collect = true;
	o->pod_reap_ms = 0;
}

static int run_start(struct run *r, const void *p)
{
	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "start takes no arguments, but got \"%.*s\"",
			       STRF(r->words.v[0]));
	return sb_run(r->a, p, &r->err);
}

static const struct command start_command = {
	.name = "start",
	.args = "[--port PORT] [--write-kubeconfig FILE]",
	.summary = "serve an empty cluster",
	.details =
		"Serves nodes, pods, the machineconfiguration.openshift.io kinds and those of all "
		"CRDs created in it. kubectl and the roles of mco work against it; nothing runs "
		"behind it.",
	.examples = "# A cluster to try things in\n"
		    "@ start --port 0 --write-kubeconfig sandbox.kubeconfig\n"
		    "# One that keeps its objects in a file\n"
		    "@ start --data cluster.data",
	.exits = "0 after SIGTERM or SIGINT, 1 on an error",
	.flags = flags,
	.opts_size = sizeof(struct sb_run),
	.defaults = defaults,
	.run = run_start,
};

static const struct command *const commands[] = { &start_command, &version_command, NULL };

const struct applet mco_sandbox_applet = {
	.name = "mco-sandbox",
	.summary = "serves the Kubernetes API for tests, demos and trials",
	.commands = commands,
};
