/*
 * mco-operator start: its flags and the cluster's credentials; the rest is role/operator.
 */
#include "io/log.h"
#include "io/version.h"
#include "kube/config.h"
#include "mc/api.h"
#include "mco_operator.h"
#include "role/operator.h"

struct opts {
	struct operator_flags common;
	struct kube_flags kube;
	struct str images;
	bool standalone;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("images-json", "FILE",
			     "the images of the operands, and their release (required)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, images) },
	{ .texts = FLAG_TEXT("kubeconfig", "FILE",
			     "cluster and credentials (default $KUBECONFIG, or the pod's)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, kube.kubeconfig) },
	OPERATOR_FLAGS(struct opts),
	{ .texts = FLAG_TEXT("standalone", "",
			     "run on a cluster without the kinds of " GROUP_CONFIG),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, standalone) },
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	operator_flag_defaults(&o->common);
}

/* As upstream: writes the error to the pod's status and the log; exit status 255. */
static _Noreturn void give_up(struct str why)
{
	log_to_pod(why);
	log_fatal("%.*s", STRF(why));
}

static int run_start(struct run *r, const void *opts)
{
	const struct opts *o = opts;
	struct kube_conf conf = { 0 };
	struct operator_opts op = { .conf = &conf,
				    .release = o->common.release,
				    .image = o->common.image,
				    .images = str_z(r->a, o->images),
				    .standalone = o->standalone };
	int rc;

	log_never_wait();
	log_info("Version: %.*s (Raw: %s, Hash: %s)", STRF(o->common.release), version_raw(),
		 version_hash());
	if (!o->images.n)
		give_up(S("--images-json cannot be empty"));
	op.loop = loop_new(&r->err);
	if (!op.loop)
		return -(int)r->err.code;
	if (kube_config_load(r->a, &o->kube, true, &conf, &r->err) < 0) {
		(void)err_wrap(&r->err, "error creating clients");
		give_up(r->err.msg);
	}
	rc = operator_run(&op, &r->err);
	if (rc < 0)
		give_up(r->err.msg);
	return rc;
}

const struct command operator_start_command = {
	.name = "start",
	.args = "--images-json FILE [--kubeconfig FILE]",
	.summary = "run the operator of a cluster",
	.details = "Leads by a lease, deploys the other roles, keeps their objects in place and "
		   "reports their health in ClusterOperator machine-config, until SIGTERM. At "
		   "rest it writes nothing.",
	.examples = "# In the cluster, with the account of the pod\n"
		    "@ start --images-json=/etc/mco/images/images.json \\\n"
		    "    --payload-version=4.22.0 --operator-image=$IMAGE\n"
		    "# Outside\n"
		    "@ start --images-json images.json --kubeconfig admin.kubeconfig",
	.exits =
		"0 after SIGTERM, 255 when it cannot start; 0, too, when the feature gates change or "
		"another instance leads",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.from_manifest = true,
	.run = run_start,
};
