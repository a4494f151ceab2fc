/*
 * mco-operator bootstrap: writes the ControllerConfig, the pools and the static pods of a cluster
 * that is being installed, from the installer's files.
 *
 * No file is replaced before all are written. Files that were made before an error are written, as
 * upstream does.
 */
#include "io/bootstrap_dir.h"
#include "io/log.h"
#include "io/version.h"
#include "mc/api.h"
#include "mco_operator.h"

struct opts {
	struct operator_flags common;
	struct str files[OPERATOR_FILES], images[OPERATOR_IMAGES];
	struct str os_content; /* upstream's flag, without an effect */
	struct str dest_dir, release_image;
};

#define DIR "/assets/manifests" /* of the installer */

#define TEXT(flag, field, what, text)                                   \
	{                                                               \
		.texts = FLAG_TEXT(flag, what, text), .kind = FLAG_STR, \
		.offset = offsetof(struct opts, field)                  \
	}
#define FILE_FLAG(flag, file, text) TEXT(flag, files[OPERATOR_##file], "FILE", text)
#define IMAGE(flag, image, text) TEXT(flag "-image", images[OPERATOR_IMAGE_##image], "IMAGE", text)

static const struct flag flags[] = {
	FILE_FLAG("root-ca", ROOT_CA, "CA of the config server"),
	FILE_FLAG("kube-ca", KUBE_CA, "CA bundle of the API server; may be absent"),
	FILE_FLAG("pull-secret", PULL_SECRET, "the pull secret, a Secret's manifest; copied"),
	FILE_FLAG("config-file", CLUSTER_CONFIG, "ConfigMap cluster-config-v1; required"),
	FILE_FLAG("infra-config-file", INFRA,
		  "the Infrastructure (default: cluster-infrastructure-02-config.yml in " DIR ")"),
	FILE_FLAG("network-config-file", NETWORK, "the Network"),
	FILE_FLAG("proxy-config-file", PROXY, "the Proxy"),
	FILE_FLAG("dns-config-file", DNS, "the DNS"),
	FILE_FLAG("additional-trust-bundle-config-file", TRUST_BUNDLE,
		  "ConfigMap with additional CAs; may be absent"),
	FILE_FLAG("cloud-config-file", CLOUD_CONFIG,
		  "ConfigMap of the cloud provider, if the Infrastructure names one"),
	FILE_FLAG("cloud-provider-ca-file", CLOUD_CA, "CA of the cloud provider; may be absent"),
	FILE_FLAG("image-references", IMAGE_REFERENCES,
		  "ImageStream of the release: the source of all images"),
	IMAGE(NAME_OPERATOR, OPERATOR, "image of all roles"),
	IMAGE("infra", INFRA, "image of the pause container"),
	IMAGE("keepalived", KEEPALIVED, "image of keepalived"),
	IMAGE("coredns", COREDNS, "image of CoreDNS"),
	IMAGE("haproxy", HAPROXY, "image of HAProxy"),
	IMAGE("baremetal-runtimecfg", RUNTIMECFG, "image of runtimecfg"),
	IMAGE("oauth-proxy", OAUTH_PROXY, "accepted and ignored"),
	IMAGE("kube-rbac-proxy", RBAC_PROXY, "image of kube-rbac-proxy"),
	IMAGE("docker-registry", REGISTRY, "image of the registry"),
	IMAGE("baseos", OS, "image of the operating system"),
	IMAGE("baseos-extensions", OS_EXTENSIONS, "image of its extensions"),
	TEXT("machine-config-oscontent-image", os_content, "IMAGE", "accepted and ignored"),
	TEXT("release-image", release_image, "IMAGE", "image of the release"),
	TEXT("dest-dir", dest_dir, "DIR", "where the files are written (default .)"),
	OPERATOR_FLAGS(struct opts),
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	operator_flag_defaults(&o->common);
	o->files[OPERATOR_ROOT_CA] = S("/etc/ssl/kubernetes/ca.crt");
	o->files[OPERATOR_PULL_SECRET] = S(DIR "/pull.json");
	o->files[OPERATOR_INFRA] = S(DIR "/cluster-infrastructure-02-config.yml");
	o->files[OPERATOR_NETWORK] = S(DIR "/cluster-network-02-config.yml");
	o->files[OPERATOR_PROXY] = S(DIR "/cluster-proxy-01-config.yaml");
	o->files[OPERATOR_DNS] = S(DIR "/cluster-dns-02-config.yml");
	o->files[OPERATOR_TRUST_BUNDLE] = S(DIR "/user-ca-bundle-config.yaml");
}

static int fail(const struct run *r, const struct operator_bootstrap_out *out)
{
	if (out->panic) {
		applet_say("panic: %.*s\n", STRF(r->err.msg));
		return 2;
	}
	log_line(LOG_FATAL, __FILE__, __LINE__, "%.*s", STRF(r->err.msg));
	return 255;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct operator_bootstrap_in in = { .release_image = o->release_image,
					    .release = o->common.release,
					    .raw = str_of(version_raw()) };
	struct operator_bootstrap_out out = { 0 };
	struct str dest = o->dest_dir.n ? o->dest_dir : S(".");
	int rc, wrote;

	for (size_t i = 0; i < OPERATOR_FILES; i++)
		bootstrap_source_read(r->a, o->files[i], &in.files[i]);
	memcpy(in.images, o->images, sizeof(in.images));
	rc = operator_bootstrap(r->a, &in, &out, &r->err);
	for (size_t i = 0; i < out.warnings.n; i++)
		log_warn("%.*s", STRF(out.warnings.v[i]));
	wrote = rc < 0 && !out.files.n
			? 0
			: bootstrap_dir_write(r->a, dest, &out.files,
					      (struct bootstrap_modes){ 0755, 0644 }, &r->err);
	if (rc < 0 || wrote < 0)
		return fail(r, &out);
	log_info("wrote %zu files to %.*s", out.files.n, STRF(dest));
	return 0;
}

const struct command operator_bootstrap_command = {
	.name = "bootstrap",
	.args = "--config-file FILE --dest-dir DIR [flags]",
	.summary = "write the manifests of the bootstrap machine",
	.details = "Reads the files of the installer and writes the ControllerConfig, the pools, "
		   "and the static pods that the platform needs: DNS and, for platforms with "
		   "virtual addresses of their own, keepalived. `mco-controller bootstrap` renders "
		   "the first configs from them.",
	.examples = "# On the bootstrap machine, as the installer calls it\n"
		    "@ bootstrap --dest-dir /assets/mco-bootstrap \\\n"
		    "    --config-file /assets/manifests/cluster-config.yaml \\\n"
		    "    --image-references /assets/image-references",
	.exits = "0 done, 255 an error, which the last line of the log tells; 2 image-references "
		 "cannot be decoded",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
