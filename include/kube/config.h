/*
 * kube/config: finds the cluster and the credentials: flags, kubeconfig files,
 * or the service account of the pod this runs in.
 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "data/kubeconfig.h"

/* What kubectl's flags of the same names say; "" where not given. */
struct kube_flags {
	struct str kubeconfig, context, cluster, user, server, ns, token, as;
	struct str request_timeout; /* "0": none */
};

/* The table entries of these flags, for a struct that has them as `kube`. */
#define KUBE_FLAG(type, flag_name, member, what, text)                \
	{                                                             \
		.name = flag_name, .kind = FLAG_STR,                  \
		.offset = offsetof(type, kube.member), .value = what, \
		.help = text                                          \
	}
#define KUBE_FLAGS(type)                                                       \
	KUBE_FLAG(type, "kubeconfig", kubeconfig, "FILE",                      \
		  "cluster and credentials (default $KUBECONFIG or "           \
		  "~/.kube/config)"),                                          \
		KUBE_FLAG(type, "context", context, "NAME",                    \
			  "context of the kubeconfig to use"),                 \
		KUBE_FLAG(type, "cluster", cluster, "NAME",                    \
			  "cluster of the kubeconfig to use"),                 \
		KUBE_FLAG(type, "user", user, "NAME",                          \
			  "user of the kubeconfig to use"),                    \
		KUBE_FLAG(type, "token", token, "TOKEN",                       \
			  "bearer token to show the server"),                  \
		KUBE_FLAG(type, "as", as, "USER", "user to impersonate"),      \
		KUBE_FLAG(type, "request-timeout", request_timeout,            \
			  "DURATION",                                          \
			  "how long one request may take (default no limit)"), \
		{ .name = "server",                                            \
		  .letter = 's',                                               \
		  .kind = FLAG_STR,                                            \
		  .offset = offsetof(type, kube.server),                       \
		  .value = "URL",                                              \
		  .help = "address of the API server" },                       \
	{                                                                      \
		.name = "namespace", .letter = 'n', .kind = FLAG_STR,          \
		.offset = offsetof(type, kube.ns), .value = "NAME",            \
		.help = "namespace to look in"                                 \
	}

/*
 * The configuration by kubectl's rules. in_cluster: a pod's service account is
 * taken when no kubeconfig is named. Errors say which file and what to do.
 */
int kube_config_load(struct arena *a, const struct kube_flags *flags,
		     bool in_cluster, struct kube_conf *out, struct err *err);

/* The authorities that the system trusts, as PEM; "" when it has none. */
struct str kube_system_ca(struct arena *a);

#endif
