/*
 * role/operator: deploys the other roles and reports their health, as `mco-operator start` runs it.
 *
 * The process that holds the lease passes over the steps of plan/operator whenever an object that
 * it reads has changed. It keeps no state outside the cluster: after a restart the next leader
 * continues.
 */
#ifndef ROLE_OPERATOR_H
#define ROLE_OPERATOR_H

#include "data/kubeconfig.h"
#include "io/loop.h"

struct operator_opts {
	struct loop *loop;
	const struct kube_conf *conf;
	struct str release; /* --payload-version */
	struct str image; /* --operator-image */
	const char *images; /* --images-json, read at each pass; or NULL */
	struct str images_text; /* what it would have, if images is NULL */
	bool standalone; /* a cluster without config.openshift.io */
	struct str api_url, service_network, cluster_dns, base_domain, root_ca; /* its facts */
};

/*
 * Runs until SIGTERM or SIGINT, until the feature gates change, or until the lease is lost
 * (then it exits the process at once). Returns the exit status, or -code when it cannot start.
 * Call it once per process.
 */
int operator_run(const struct operator_opts *o, struct err *err);

#endif
