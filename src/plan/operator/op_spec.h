/*
 * op_spec: the spec of the ControllerConfig, from the cluster's configuration.
 *
 * Pure: the same inputs give the same spec. `mco-operator bootstrap` and the step RenderConfig of
 * `mco-operator start` share it; they differ in the fields that one of them cannot know.
 */
#ifndef PLAN_OP_SPEC_H
#define PLAN_OP_SPEC_H

#include "data/json.h"

struct operator_inputs {
	/* Objects of config.openshift.io as they were read: unknown members are dropped, missing
	 * ones get Go's zero value. proxy may be NULL. */
	const struct json *infra, *network, *proxy, *dns;
	const struct json *images; /* with the keys of images.json: infraImage, kubeRbacProxy, … */
	/* Bytes. p == NULL: null in the spec; empty but not NULL: "". */
	struct str root_ca, kube_ca, cloud_ca, trust_bundle;
	struct str registry_pull_secret; /* of the internal registry */
	/* Arrays of { file, data (base64) }, or NULL: [] in a live spec, else null. */
	const struct json *registry_cas, *user_registry_cas;
	struct str cloud_config;
	struct str cluster_dns; /* "": host 10 of the first service network */
	struct str os_image, os_extensions, release_image;
	/*
	 * For the API server, not for a file: with pullSecret, with [] for an absent list, and
	 * without the nulls inside of infra and dns, which the server removes as well: a spec that
	 * is compared with the stored one must not have them.
	 */
	bool live;
};

/*
 * The spec, all members present as Go marshals it. ERR_INVALID with upstream's text: "service cidr
 * is empty in Network", "invalid CIDR address: …". *spec is in a; text is shared with the inputs.
 */
int operator_spec(struct arena *a, const struct operator_inputs *in, struct json **spec,
		  struct err *err);

/*
 * The Infrastructure as operator_spec has it: decoded, with kind and apiVersion, and with
 * status.platformStatus, whose type is that of status.platform or None when it is missing.
 */
int operator_infra(struct arena *a, const struct json *infra, struct json **out, struct err *err);

#endif
