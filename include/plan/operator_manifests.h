/*
 * operator_manifests: the objects of the operands, as texts in this program.
 *
 * Each component has one YAML file. Its documents are in the order in which upstream's operator
 * applies them. ${name} in a string stands for a value. The annotation
 * release.openshift.io/feature-gate names the gate of a document; it is not part of the object.
 */
#ifndef PLAN_OPERATOR_MANIFESTS_H
#define PLAN_OPERATOR_MANIFESTS_H

#include "base/vec.h"
#include "data/json.h"
#include "mc/gates.h"

/* In the order in which the operator applies them. */
enum operator_component {
	COMPONENT_DAEMON,
	COMPONENT_CONTROLLER,
	COMPONENT_SERVER,
	COMPONENT_OS_BUILDER,
	COMPONENTS
};

/* The values of the manifests, by name. Where p is NULL, ${name} stays in the objects. */
#define OPERATOR_VALUES(X)       \
	X(machineConfigOperator) \
	X(kubeRbacProxy)         \
	X(release)               \
	X(verbosity)             \
	X(tlsCipherSuites)       \
	X(tlsMinVersion)         \
	X(apiServerInternalURI)  \
	X(httpProxy)             \
	X(httpsProxy)            \
	X(noProxy)

struct operator_values {
#define X(name) struct str name;
	OPERATOR_VALUES(X)
#undef X
	const struct mc_gates *gates; /* NULL: documents without a gate only */
	/* Not OpenShift: nodes are found by any label of a control plane, and policies with
	 * parameters are left out, whose kinds the server does not have. */
	bool standalone;
};

struct operator_file {
	struct str name; /* "machine-config-daemon.yaml" */
	struct str text;
};

struct operator_objects {
	struct json **v;
	size_t n, cap;
};

/* Sets a value by its name. False when there is none of that name. */
bool operator_value_set(struct operator_values *v, struct str name, struct str value);

/* The texts, in out[COMPONENTS]. */
void operator_manifests(struct arena *a, struct operator_file *out);

/*
 * The objects of a component, in upstream's order. Left out are documents whose gate is off,
 * environment variables without a value, and with standalone side cars without an image, together
 * with the volumes that only they mount. Otherwise the server refuses a side car without an image.
 */
void operator_objects(struct arena *a, const struct operator_file *file,
		      const struct operator_values *v, struct operator_objects *out);

#endif
