/*
 * mco-operator start: its flags and the cluster's credentials; the rest is role/operator.
 */
#include <arpa/inet.h>

#include "data/pem.h"
#include "data/url.h"
#include "io/file.h"
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
	/* of a standalone cluster */
	struct str image, api_url, service_network, cluster_dns, base_domain, root_ca, platform;
};

#define CA_MAX ((size_t)1 << 20)
#define FACT(flag, member, what, text)                                  \
	{                                                               \
		.texts = FLAG_TEXT(flag, what, text), .kind = FLAG_STR, \
		.offset = offsetof(struct opts, member)                 \
	}

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT(
		  "images-json", "FILE",
		  "the images of the operands, and their release (required without --image)"),
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
	FACT("image", image, "IMAGE", "standalone: image of all roles, instead of --images-json"),
	FACT("api-server-url", api_url, "URL",
	     "standalone: where nodes find the API server (default: that of the kubeconfig, or the "
	     "pod's)"),
	FACT("service-network", service_network, "CIDR[,CIDR]",
	     "standalone: the service networks (default: those of ServiceCIDR kubernetes)"),
	FACT("cluster-dns", cluster_dns, "IP",
	     "standalone: address of the cluster's DNS (default: that of Service kube-dns, or "
	     "host 10 of the service network)"),
	FACT("base-domain", base_domain, "DOMAIN", "standalone: the domain of the cluster"),
	FACT("root-ca", root_ca, "FILE",
	     "standalone: CA of the cluster (default: that of ConfigMap kube-root-ca.crt, or of "
	     "kube-public/cluster-info)"),
	{ .texts = FLAG_TEXT("platform", "none", "standalone: the platform"),
	  .kind = FLAG_CHOICE,
	  .choices = "none",
	  .offset = offsetof(struct opts, platform) },
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

static int check_flags(struct run *r, const struct opts *o)
{
	unsigned char ip[16];
	struct url url;

	if (!o->standalone &&
	    (o->image.n || o->api_url.n || o->service_network.n || o->cluster_dns.n ||
	     o->base_domain.n || o->root_ca.n || o->platform.n))
		return err_set(&r->err, ERR_INVALID,
			       "--image, --api-server-url, --service-network, --cluster-dns, "
			       "--base-domain, --root-ca and --platform need --standalone");
	if (o->standalone && !o->images.n == !o->image.n)
		return err_set(&r->err, ERR_INVALID, "give either --images-json or --image");
	if (!o->standalone && !o->images.n)
		return err_set(&r->err, ERR_INVALID, "--images-json cannot be empty");
	if (o->api_url.n && url_parse(o->api_url, &url, &r->err) < 0)
		return err_wrap(&r->err, "--api-server-url");
	if (o->cluster_dns.n && inet_pton(AF_INET, str_z(r->a, o->cluster_dns), ip) != 1 &&
	    inet_pton(AF_INET6, str_z(r->a, o->cluster_dns), ip) != 1)
		return err_set(&r->err, ERR_INVALID, "--cluster-dns: %.*s is not an IP address",
			       STRF(o->cluster_dns));
	return 0;
}

static int read_root_ca(struct run *r, const struct opts *o, struct str *out)
{
	struct str rest;
	struct pem pem;

	if (!o->root_ca.n)
		return 0;
	if (file_read(r->a, str_z(r->a, o->root_ca), CA_MAX, out, &r->err) < 0)
		return err_wrap(&r->err, "--root-ca");
	rest = *out;
	if (pem_next(r->a, &rest, &pem, &r->err) > 0)
		return 0;
	return err_set(&r->err, ERR_INVALID, "--root-ca: %.*s has no certificate",
		       STRF(o->root_ca));
}

/* images.json of a release with one image. */
static struct str images_text(struct arena *a, struct str release, struct str image)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add_str(a, j, "releaseVersion", release);
	json_add_str(a, j, "machineConfigOperator", image);
	return json_format(a, j, 0);
}

static int run_start(struct run *r, const void *opts)
{
	const struct opts *o = opts;
	struct kube_conf conf = { 0 };
	struct operator_opts op = { .conf = &conf,
				    .release = o->common.release,
				    .image = o->image.n ? o->image : o->common.image,
				    .images = o->images.n ? str_z(r->a, o->images) : NULL,
				    .standalone = o->standalone,
				    .service_network = o->service_network,
				    .cluster_dns = o->cluster_dns,
				    .base_domain = o->base_domain };
	int rc;

	log_never_wait();
	log_info("Version: %.*s (Raw: %s, Hash: %s)", STRF(o->common.release), version_raw(),
		 version_hash());
	if (check_flags(r, o) < 0 || read_root_ca(r, o, &op.root_ca) < 0)
		give_up(r->err.msg);
	if (o->image.n)
		op.images_text = images_text(r->a, op.release, o->image);
	op.loop = loop_new(&r->err);
	if (!op.loop)
		return -(int)r->err.code;
	if (kube_config_load(r->a, &o->kube, true, &conf, &r->err) < 0) {
		(void)err_wrap(&r->err, "error creating clients");
		give_up(r->err.msg);
	}
	op.api_url = o->api_url.n ? o->api_url : conf.server;
	rc = operator_run(&op, &r->err);
	if (rc < 0)
		give_up(r->err.msg);
	return rc;
}

const struct command operator_start_command = {
	.name = "start",
	.args = "--images-json FILE [--kubeconfig FILE]\n--standalone --image IMAGE [flags]",
	.summary = "run the operator of a cluster",
	.details =
		"Leads by a lease, deploys the other roles, keeps their objects in place and "
		"reports their health in ClusterOperator machine-config, until SIGTERM. At "
		"rest it writes nothing. With --standalone it needs no kinds of OpenShift beside "
		"those of " GROUP_MC ", has no feature gates, and also reports in the conditions "
		"of Deployment " NAME_OPERATOR ".",
	.examples = "# In the cluster, with the account of the pod\n"
		    "@ start --images-json=/etc/mco/images/images.json \\\n"
		    "    --payload-version=4.22.0 --operator-image=$IMAGE\n"
		    "# Outside\n"
		    "@ start --images-json images.json --kubeconfig admin.kubeconfig\n"
		    "# On a cluster of kubeadm\n"
		    "@ start --standalone --image registry.example.com/mco:1 \\\n"
		    "    --api-server-url https://api.example.com:6443",
	.exits =
		"0 after SIGTERM, 255 when it cannot start; 0, too, when the feature gates change or "
		"another instance leads",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.from_manifest = true,
	.run = run_start,
};
