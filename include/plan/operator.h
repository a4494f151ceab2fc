/*
 * operator: what the operator keeps in place, and what its status says.
 *
 * A sync passes over the steps in upstream's order. A step is a pure function of the observed
 * objects. It returns actions for what differs, or a wait, or an error, or nothing: then the next
 * step follows in the same pass. The caller runs the actions and passes again from the first step;
 * a wait ends the pass until an object changes or a second has passed. Actions that are no requests
 * (log lines, Events) and requests that may fail (ACTION_LATER) run, but do not end the pass. What must survive from pass to pass (since when
 * a step waits, what was announced) is in struct operator_memory. At rest a pass has no requests.
 */
#ifndef PLAN_OPERATOR_H
#define PLAN_OPERATOR_H

#include "mc/gates.h"
#include "mc/tls_profile.h"
#include "plan/action.h"

/* The gate of the lists that only a standalone cluster needs. */
#define OPERATOR_STANDALONE "standalone"

enum operator_kind {
#define K(name, path, query, gate) OPERATOR_##name,
#include "plan/operator_kinds.def"
#undef K
	OPERATOR_KINDS
};

/* In upstream's order. The names are those of the reasons: "RenderConfigFailed". */
enum operator_step {
	OPERATOR_OS_IMAGE_STREAM,
	OPERATOR_RENDER_CONFIG,
	OPERATOR_MACHINE_CONFIGURATION,
	OPERATOR_MACHINE_CONFIG_NODE,
	OPERATOR_MACHINE_CONFIG_POOLS,
	OPERATOR_DAEMON,
	OPERATOR_CONTROLLER,
	OPERATOR_SERVER,
	OPERATOR_OS_BUILDER,
	OPERATOR_REQUIRED_POOLS,
	OPERATOR_STEPS
};
const char *operator_step_name(enum operator_step step);

/*
 * The observed cluster. Objects may lack the fields that no step reads, where these steps do not
 * write the whole object. Of long lists MachineConfigNode, MachineConfigPools, MachineOSBuilder,
 * RequiredPools and the status read, beside name, uid and resourceVersion:
 *
 *   NODES            metadata.labels, annotation desiredConfig, status.phase,
 *                    status.nodeInfo.osImage
 *   CONFIG_NODES     metadata.ownerReferences, spec.configVersion.desired, spec.node.name,
 *                    spec.pool.name
 *   MACHINE_CONFIGS  label role, annotations generated-by-controller-version, pre-built-image,
 *                    release-image-version and os-image-url-overridden, spec.osImageURL
 *   OS_CONFIGS       annotation pre-built-image, status.conditions; of spec machineConfigPool,
 *                    renderedImagePushSecret, baseImagePullSecret, renderedImagePushSpec
 *   KUBELET_CONFIGS  spec.kubeletConfig.failSwapOn
 *   RUNTIME_CONFIGS  spec.containerRuntimeConfig.defaultRuntime
 *   CLUSTER_OPERATORS  all of "machine-config", of others nothing
 *   SECRETS_MACHINE_API  all of <pool>-user-data-managed, of others nothing
 *   SECRETS          all of etc-pki-entitlement-<pool> and of those with credentials for
 *                    registries; of others the type
 */
struct operator_view {
	/* The object of that list, or NULL. ns/name where the list has several namespaces. */
	const struct json *(*get)(const struct operator_view *in, enum operator_kind kind,
				  struct str name);
	/* All objects of a list, in the order of their names, into *out; returns their number. */
	size_t (*list)(const struct operator_view *in, enum operator_kind kind, struct arena *a,
		       const struct json *const **out);
	/* The server has this kind. */
	bool (*served)(const struct operator_view *in, enum operator_kind kind);
	void *ctx;
	struct instant now;
	int64_t clock_ms; /* monotonic: for deadlines */
	struct str raw, hash; /* this build's version */
	struct str release; /* --payload-version */
	struct str image; /* --operator-image */
	/* The text of --images-json, or why it cannot be read. */
	struct str images, images_error;
	struct mc_gates gates;
	bool bring_up; /* the CRD of ControllerConfigs was absent at the start */
	bool standalone; /* a cluster without config.openshift.io */
	/* Of a standalone cluster: the URL of its API server, the DNS domain above its hosts' names
	 * (may be ""). */
	struct str api_url, base_domain;
	/* What replaces the facts that are found in it, or "": the service networks
	 * ("10.96.0.0/12", two with a comma), the address of its DNS, its CA (PEM). */
	struct str service_network, cluster_dns, root_ca;
};

/* Why a step waits, and the error when it waits for too long: "<what>: [context deadline exceeded,
 * <why>]", or without why "<what>: context deadline exceeded". */
struct operator_wait {
	bool on;
	int64_t limit_ms;
	struct str what; /* "error during waitForDaemonsetRollout" */
	struct str why;
};

/* What RenderConfig found: the input of the later steps. */
struct operator_render {
	/* Of images.json, by its keys: machineConfigOperator, kubeRbacProxy, … */
	const struct json *images;
	struct json *spec; /* of the ControllerConfig, as a new one has it */
	struct str root_ca; /* PEM */
	struct str os_image, os_extensions;
	struct str api_url; /* infrastructure's apiServerInternalURI */
	const struct json *infra;
	const struct json *proxy; /* spec.proxy of the ControllerConfig, or NULL */
	struct tls_profile tls; /* of the operands */
	int verbosity; /* of the operands: 2, 4, 6, 8 */
	bool ca_rotated; /* kubeconfig-data was created or changed in this sync */
};

/* What one pass leaves to the next ones. All zero at the start; the strings are in its arena. */
struct operator_memory {
	struct arena *a;
	/* Since when a step waits (clock_ms), and for which change; 0: it does not wait. */
	int64_t waits_since[OPERATOR_STEPS];
	int64_t waits_for[OPERATOR_STEPS]; /* the generation that rolls out, for example */
	int64_t ca_since; /* since when the new service CA has not changed; 0: no change */
	uint64_t ca_hash;
	bool ca_rotated; /* set with the write of kubeconfig-data; the controller step clears it */
	bool announced; /* the Event of this version change was sent */
	/* A write of a MachineConfig for a pre-built image failed: none before this time (clock_ms),
	 * after a pause that doubles with each failure. 0: none failed. */
	int64_t prebuilt_at, prebuilt_pause_ms;
};

/* Of one step or of a whole pass. */
struct operator_result {
	struct actions actions;
	struct operator_wait wait;
	enum operator_step at; /* of a pass: the step with the actions, the wait or the error */
	/* Not 0: pass again after this time, also when no object changes. Steps after this one run
	 * all the same. */
	int64_t again_ms;
	bool status; /* of a pass: the actions write the ClusterOperator, not what `at` is about */
	bool done; /* of a pass: every step succeeded */
};

/* The log level that MachineConfiguration's spec.operatorLogLevel asks for, of the operator and its
 * operands: 2, 4, 6 or 8. */
int operator_verbosity(const struct operator_view *in);

/* The steps. Each sets out and returns 0, or -code with upstream's text in err. */
int operator_os_image_stream(struct arena *a, const struct operator_view *in,
			     struct operator_memory *m, struct operator_result *out,
			     struct err *err);
int operator_render_config(struct arena *a, const struct operator_view *in,
			   struct operator_memory *m, struct operator_render *r,
			   struct operator_result *out, struct err *err);
int operator_machine_configuration(struct arena *a, const struct operator_view *in,
				   struct operator_memory *m, struct operator_result *out,
				   struct err *err);
int operator_config_nodes(struct arena *a, const struct operator_view *in,
			  struct operator_result *out, struct err *err);
int operator_pools(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		   const struct operator_render *r, struct operator_result *out, struct err *err);
int operator_daemon(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		    const struct operator_render *r, struct operator_result *out, struct err *err);
int operator_controller(struct arena *a, const struct operator_view *in, struct operator_memory *m,
			const struct operator_render *r, struct operator_result *out,
			struct err *err);
/* Upstream's safety sync: call it when the step MachineConfigDaemon fails. Adds the writes of
 * kubeconfig-data and of the ControllerConfig that are due, if the live one is of this version: its
 * controller then still handles it. */
void operator_safety_config(struct arena *a, const struct operator_view *in,
			    struct operator_memory *m, const struct operator_render *r,
			    struct operator_result *out);
int operator_server(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		    const struct operator_render *r, struct operator_result *out, struct err *err);
int operator_os_builder(struct arena *a, const struct operator_view *in, struct operator_memory *m,
			const struct operator_render *r, struct operator_result *out,
			struct err *err);
int operator_required_pools(struct arena *a, const struct operator_view *in,
			    const struct operator_render *r, struct operator_result *out,
			    struct err *err);

/*
 * Keeps NS/kubeconfig-data a copy of the API server's CA: for the controller step, before it writes
 * the ControllerConfig. Adds the write and sets m->ca_rotated; or sets out->again_ms while the CA
 * has not been stable for a minute. ERR_NOTFOUND or ERR_INVALID when the CA cannot be read.
 */
int operator_kubeconfig_data(struct arena *a, const struct operator_view *in,
			     struct operator_memory *m, struct operator_result *out,
			     struct err *err);

/*
 * One pass over the steps. It ends at the first step with actions, a wait or an error; run the
 * actions in any case, then:
 *
 * - Returns -code: the step failed, with upstream's text in err. Retry with back-off.
 * - Requests among the actions: pass again when they are answered. When only those with
 *   ACTION_LATER failed, call operator_pass_later first.
 * - out->wait.on: the step waits for a change; again_ms is the time until its deadline.
 * - out->done: the sync is complete.
 * - out->again_ms is not 0: pass again after that time, also when no object changes.
 *
 * A wait has a deadline that counts from its first pass. When it passes, the step fails once and
 * the wait begins anew, as in upstream's next sync.
 */
int operator_pass(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		  struct operator_result *out, struct err *err);

/* A request of the pass with ACTION_LATER failed: the next passes are without it for some time. */
void operator_pass_later(struct operator_memory *m, int64_t clock_ms);

/* A request of the pass failed: the status that says so. out is that of the pass. */
void operator_pass_failed(struct arena *a, const struct operator_view *in, enum operator_step at,
			  struct str error, struct actions *out);

#endif
