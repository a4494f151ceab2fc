#include "kube/config.h"

#define STR(flag_name, member, what, text)                                    \
	{                                                                     \
		.name = flag_name, .kind = FLAG_STR,                          \
		.offset = offsetof(struct kube_flags, member), .value = what, \
		.help = text                                                  \
	}

const struct flag kube_flag_table[] = {
	STR("kubeconfig", kubeconfig, "FILE",
	    "cluster and credentials (default $KUBECONFIG or ~/.kube/config)"),
	STR("context", context, "NAME", "context of the kubeconfig to use"),
	STR("cluster", cluster, "NAME", "cluster of the kubeconfig to use"),
	STR("user", user, "NAME", "user of the kubeconfig to use"),
	STR("token", token, "TOKEN", "bearer token to show the server"),
	STR("as", as, "USER", "user to impersonate"),
	STR("request-timeout", request_timeout, "DURATION",
	    "how long one request may take (default no limit)"),
	{ .name = "server",
	  .letter = 's',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct kube_flags, server),
	  .value = "URL",
	  .help = "address of the API server" },
	{ .name = "namespace",
	  .letter = 'n',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct kube_flags, ns),
	  .value = "NAME",
	  .help = "namespace to look in" },
	{ 0 },
};
