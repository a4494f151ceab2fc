/*
 * kube/config: finds the cluster and the credentials: flags, kubeconfig files,
 * or the service account of the pod this runs in.
 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "base/flag.h"
#include "data/kubeconfig.h"

/* The values of kubectl's flags of the same names; "": not given. */
struct kube_flags {
	struct str kubeconfig, context, cluster, user, server, ns;
	struct str ca_file, tls_server_name;
	struct str token, username, password, cert_file, key_file;
	struct str as, as_uid;
	struct strs as_groups, as_extra; /* "KEY=VALUE" */
	struct str request_timeout; /* "0": none */
	struct str ignored;
	bool insecure, ignored_bool;
};

/* The table of these flags, for a struct kube_flags. */
extern const struct flag kube_flag_table[];

/* The table entry that includes these flags, for a struct with a member `kube`. */
#define KUBE_FLAGS(type)                                                                     \
	{                                                                                    \
		.texts = FLAG_TEXT("options", "",                                            \
				   "the flags that select the cluster and the "              \
				   "credentials, as kubectl's"),                             \
		.kind = FLAG_GROUP, .offset = offsetof(type, kube), .group = kube_flag_table \
	}

/*
 * Loads the configuration by kubectl's rules. in_cluster: use the pod's service account when no
 * kubeconfig is named. Error messages name the file and the fix.
 */
int kube_config_load(struct arena *a, const struct kube_flags *flags, bool in_cluster,
		     struct kube_conf *out, struct err *err);

/* The CA certificates that the system trusts, as PEM; "" if it has none. */
struct str kube_system_ca(struct arena *a);

#endif
