/*
 * op_render: the parts of RenderConfig. Each reads objects of the view; ERR_NOTFOUND for an absent
 * one, with the client's text.
 */
#ifndef PLAN_OP_RENDER_H
#define PLAN_OP_RENDER_H

#include "op_spec.h"
#include "plan/operator.h"

/* The object, or NULL and "<resource> \"<name>\" not found". */
const struct json *op_need(const struct operator_view *in, enum operator_kind kind,
			   const char *resource, struct str name, struct err *err);

/* ---- op_ca.c: certificate authorities and the cloud's configuration ------ */

/*
 * The bytes of a key of a ConfigMap: of binaryData, else of data, which may be base64. p is not
 * NULL. ns is that of the list, for the error message.
 */
int op_ca_bytes(struct arena *a, const struct operator_view *in, enum operator_kind list,
		const char *ns, struct str name, const char *key, struct str *out, struct err *err);

/* The CA of the machine-config-server, "could not get MCSC CA bundle: …". */
int op_root_ca(struct arena *a, const struct operator_view *in, struct str *out, struct err *err);

/* The CA of the kubelet's clients: during the bootstrap that of the installer, with the signer of
 * the API server's certificate for the kubelet replaced by the present one. */
int op_kube_ca(struct arena *a, const struct operator_view *in, struct str *out, struct err *err);

/* The user's bundle and the proxy's. p is NULL when there is none. */
int op_trust_bundle(struct arena *a, const struct operator_view *in, const struct json *proxy,
		    struct str *out, struct err *err);

/* kube-cloud-config, for the Infrastructure as operator_infra returns it. */
int op_cloud_config(struct arena *a, const struct operator_view *in, const struct json *infra,
		    struct str *config, struct str *ca, struct err *err);

/* The cluster is up: its own objects replace those of the installer. */
bool op_bootstrapped(const struct operator_view *in);

/* ---- op_registry.c ------------------------------------------------------- */

/* imageRegistryBundleUserData and imageRegistryBundleData. Adds the write of
 * merged-trusted-image-registry-ca, if it differs from them: then it returns 1, else 0. */
int op_registry_cas(struct arena *a, const struct operator_view *in, struct operator_inputs *out,
		    struct actions *actions, struct err *err);

/* The members of an object in the order of their keys, into *out; returns their number. */
size_t op_sorted(struct arena *a, const struct json *object, const struct json ***out);

/* ---- op_registry_auth.c -------------------------------------------------- */

/* internalRegistryPullSecret; p is NULL when there is none. */
int op_registry_auth(struct arena *a, const struct operator_view *in, const struct json *dns,
		     struct str *out, struct err *err);

/* ---- op_stream.c --------------------------------------------------------- */

/* The available stream of an OSImageStream with that member, such as its name; or NULL. */
const struct json *op_stream(const struct json *o, const char *member, struct str value);

/* ---- op_standalone.c ----------------------------------------------------- */

/*
 * What a cluster without config.openshift.io has instead: an Infrastructure of platform None, a
 * Network and a DNS, from the flags, the nodes, ServiceCIDR kubernetes and Service kube-dns.
 * ERR_NOTFOUND when the service network is unknown.
 */
int op_standalone_config(struct arena *a, const struct operator_view *in, struct operator_inputs *s,
			 struct err *err);

/* The CA of the cluster: of the flag, of the ConfigMap that Kubernetes puts into every namespace, or
 * of kube-public/cluster-info. */
int op_standalone_ca(struct arena *a, const struct operator_view *in, struct str *out,
		     struct err *err);

#endif
