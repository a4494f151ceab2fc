/*
 * mco-controller start: its flags, the cluster's credentials and the templates; the rest
 * is role/controller.
 */
#include "io/log.h"
#include "io/template_dir.h"
#include "io/version.h"
#include "kube/config.h"
#include "mc/api.h"
#include "mc/gates.h"
#include "mco_controller.h"
#include "role/controller.h"

struct opts {
	struct kube_flags kube;
	struct str templates, release, lock_namespace, metrics, health;
	struct str suites, min_version;
	int64_t gather; /* nanoseconds */
	bool replace_templates, from_cluster, standalone;
};

#define TEXT(flag, member, what, text)                                  \
	{                                                               \
		.texts = FLAG_TEXT(flag, what, text), .kind = FLAG_STR, \
		.offset = offsetof(struct opts, member)                 \
	}

static const struct flag flags[] = {
	TEXT("kubeconfig", kube.kubeconfig, "FILE",
	     "cluster and credentials (default $KUBECONFIG, or the pod's)"),
	TEXT("resourcelock-namespace", lock_namespace, "NAME",
	     "namespace of the lease (default kube-system)"),
	TEXT("metrics-listen-address", metrics, "HOST:PORT",
	     "where metrics are served (default 127.0.0.1:8797)"),
	TEXT("health-listen-address", health, "HOST:PORT",
	     "where /healthz is served, leading or not (default nowhere)"),
	TEXT("templates", templates, "DIR",
	     "the templates (default " TEMPLATES_DIR
	     "); builtin: those that are part of this program"),
	{ .texts = FLAG_TEXT("standalone", "",
			     "run on a cluster without the kinds of " GROUP_CONFIG
			     ": all feature gates are off, --templates is builtin unless given"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, standalone) },
	{ .texts = FLAG_TEXT("replace-templates", "",
			     "let --templates=builtin replace MachineConfigs of other templates"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, replace_templates) },
	{ .texts = FLAG_TEXT(
		  "version-from-cluster", "",
		  "use the version that generated the cluster's objects (default true unless "
		  "the build, MCO_RAW or MCO_HASH sets one)"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, from_cluster) },
	{ .texts = FLAG_TEXT("payload-version", "VERSION",
			     "version of the release (default " MC_GATES_SNAPSHOT ")"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, release),
	  .env = "RELEASE_VERSION" },
	{ .texts = FLAG_TEXT(
		  "gather-changes", "TIME",
		  "how long MachineConfigs must not change before their pools are rendered "
		  "(default 1s; the wait ends after five times that)"),
	  .kind = FLAG_DURATION,
	  .offset = offsetof(struct opts, gather) },
	/* accepted and ignored, as upstream does */
	{ .texts = FLAG_TEXT("tls-cipher-suites", "LIST", ""),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, suites),
	  .hidden = true },
	{ .texts = FLAG_TEXT("tls-min-version", "VERSION", ""),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, min_version),
	  .hidden = true },
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	o->release = S(MC_GATES_SNAPSHOT);
	o->from_cluster = !version_given();
	o->gather = 1000000000;
	o->lock_namespace = S(NS_KUBE_SYSTEM);
	o->metrics = S("127.0.0.1:8797");
}

/* As upstream: writes the error to the pod's status and the log; exit status 255. */
static _Noreturn void give_up(struct run *r)
{
	log_to_pod(r->err.msg);
	log_fatal("%.*s", STRF(r->err.msg));
}

static int run_start(struct run *r, const void *opts)
{
	const struct opts *o = opts;
	struct kube_conf conf = { 0 };
	struct sock_place health;
	struct controller_opts c = { .conf = &conf,
				     .standalone = o->standalone,
				     .replace_templates = o->replace_templates,
				     .release = o->release,
				     .version_from_cluster = o->from_cluster,
				     .lock_namespace = o->lock_namespace,
				     .gather_ms = o->gather / 1000000 };

	log_never_wait();
	if (sock_place_parse(o->metrics.n ? o->metrics : S(":8797"), &c.metrics, &r->err) < 0)
		return err_wrap(&r->err, "--metrics-listen-address");
	if (o->health.n && sock_place_parse(o->health, &health, &r->err) < 0)
		return err_wrap(&r->err, "--health-listen-address");
	c.health = o->health.n ? &health : NULL;
	c.loop = loop_new(&r->err);
	if (!c.loop)
		return -(int)r->err.code;
	if (kube_config_load(r->a, &o->kube, true, &conf, &r->err) < 0) {
		(void)err_wrap(&r->err, "creating clients");
		give_up(r);
	}
	if (template_dir_named(
		    r->a, o->standalone && !o->templates.n ? S(TEMPLATES_BUILTIN) : o->templates,
		    &c.templates, &r->err) < 0)
		give_up(r);
	return controller_run(&c, &r->err);
}

const struct command start_command = {
	.name = "start",
	.args = "[--kubeconfig FILE]",
	.summary = "run the controllers of a cluster",
	.details = "Acquires a lease, watches the cluster and reconciles its objects, until "
		   "SIGTERM.",
	.examples = "# In the cluster, with the account of the pod\n"
		    "@ start \\\n"
		    "    --resourcelock-namespace " NS_MCO "\n"
		    "# Outside, with the templates that are part of this program\n"
		    "@ start --kubeconfig admin.kubeconfig --templates builtin",
	.exits = "0 after SIGTERM or when another process leads, 1 an error",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.from_manifest = true,
	.run = run_start,
};
