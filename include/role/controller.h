/*
 * role/controller: the controllers of a cluster, as `mco-controller start` runs them.
 *
 * The process that holds the lease watches the cluster and makes it match its objects. It keeps no
 * state outside the cluster: after a restart the next leader continues.
 */
#ifndef ROLE_CONTROLLER_H
#define ROLE_CONTROLLER_H

#include "data/kubeconfig.h"
#include "io/loop.h"
#include "io/sock.h"
#include "plan/template.h"

struct controller_opts {
	struct loop *loop;
	const struct kube_conf *conf;
	struct template_tree templates;
	bool standalone; /* a cluster without config.openshift.io: all feature gates are off */
	bool replace_templates; /* also replace MachineConfigs of another tree */
	struct str release; /* whose feature gates apply */
	bool version_from_cluster; /* take raw and hash from the cluster's objects */
	struct str lock_namespace; /* of the lease */
	struct sock_place metrics;
	const struct sock_place *health; /* of /healthz; NULL: not served */
	/* Pools are rendered when their MachineConfigs have not changed for this long. */
	int64_t gather_ms;
};

/*
 * Runs until SIGTERM or SIGINT, until the feature gates change, or until the lease is lost
 * (then it exits the process at once). Returns the exit status, or -code when it
 * cannot start. Call it once per process.
 */
int controller_run(const struct controller_opts *o, struct err *err);

#endif
