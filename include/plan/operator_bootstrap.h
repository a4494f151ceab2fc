/*
 * operator_bootstrap: from the installer's files to the manifests of the bootstrap machine: the
 * ControllerConfig, the pools, and the static pods that a platform needs.
 *
 * Pure: the caller reads the inputs and writes the outputs.
 */
#ifndef PLAN_OPERATOR_BOOTSTRAP_H
#define PLAN_OPERATOR_BOOTSTRAP_H

#include "plan/bootstrap.h"

/* The input files, in the order in which upstream checks that they exist. */
enum operator_source_id {
	OPERATOR_PROXY,
	OPERATOR_CLUSTER_CONFIG,
	OPERATOR_ROOT_CA,
	OPERATOR_DNS,
	OPERATOR_NETWORK,
	OPERATOR_INFRA,
	OPERATOR_PULL_SECRET,
	OPERATOR_OPTIONAL, /* from here on a file may be absent */
	OPERATOR_KUBE_CA = OPERATOR_OPTIONAL,
	OPERATOR_CLOUD_CA,
	OPERATOR_TRUST_BUNDLE,
	OPERATOR_CLOUD_CONFIG,
	OPERATOR_IMAGE_REFERENCES,
	OPERATOR_FILES
};

enum operator_image {
	OPERATOR_IMAGE_OPERATOR,
	OPERATOR_IMAGE_KEEPALIVED,
	OPERATOR_IMAGE_COREDNS,
	OPERATOR_IMAGE_RUNTIMECFG,
	OPERATOR_IMAGE_OAUTH_PROXY,
	OPERATOR_IMAGE_RBAC_PROXY,
	OPERATOR_IMAGE_INFRA,
	OPERATOR_IMAGE_HAPROXY,
	OPERATOR_IMAGE_REGISTRY,
	OPERATOR_IMAGE_OS,
	OPERATOR_IMAGE_OS_EXTENSIONS,
	OPERATOR_IMAGES
};

struct operator_source {
	struct str path; /* "": not given */
	struct str text;
	struct str problem; /* why it was not read: "no such file or directory"; or "" */
	bool missing; /* it does not exist */
	bool unknown; /* stat(2) failed, not open(2) or read(2) */
};

struct operator_bootstrap_in {
	struct operator_source files[OPERATOR_FILES];
	struct str images[OPERATOR_IMAGES]; /* image-references overrides them */
	struct str release_image;
	struct str release; /* --payload-version */
	struct str raw; /* this build's version */
};

struct operator_bootstrap_out {
	struct bootstrap_files files; /* relative to the destination, in the order of writing */
	struct strs warnings;
	/* The error is one of which upstream's program dies: "panic: ", status 2. */
	bool panic;
};

/*
 * ERR_INVALID in upstream's words. *out is set then, too: the files before the one that failed are
 * written all the same.
 */
int operator_bootstrap(struct arena *a, const struct operator_bootstrap_in *in,
		       struct operator_bootstrap_out *out, struct err *err);

#endif
