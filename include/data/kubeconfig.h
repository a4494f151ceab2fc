/*
 * kubeconfig: the cluster and the credentials in the files that kubectl reads.
 */
#ifndef DATA_KUBECONFIG_H
#define DATA_KUBECONFIG_H

#include "base/vec.h"
#include "data/json.h"

struct kubeconfig_file {
	struct str path, text;
};

/* The choice of the flags; "" leaves it to the files. */
struct kubeconfig_choice {
	struct str context, cluster, user, server, ns;
};

/* Paths are made relative to the file they came from. */
struct kube_conf {
	struct str server, ca_file, ca_data; /* ca_data is PEM */
	bool insecure;
	struct str tls_server_name, proxy_url;
	struct str token, token_file;
	struct str cert_file, cert_data, key_file, key_data;
	struct str username, password;
	const struct json *exec; /* users[].user.exec, or NULL */
	struct str exec_dir; /* relative commands start here */
	const struct json *exec_config; /* the cluster's config for it, or NULL */
	struct str as, as_uid;
	struct strs as_groups;
	struct strs as_extra; /* alternating keys and values */
	struct str ns; /* "default" when unset */
	struct str cluster_from, user_from; /* the files, or "" */
};

/*
 * Of several files the first that sets a value wins, as for KUBECONFIG. ERR_INVALID names the file
 * and the fault; ERR_NOTFOUND: no file names a server.
 */
int kubeconfig_pick(struct arena *a, const struct kubeconfig_file *files, size_t n,
		    const struct kubeconfig_choice *choice, struct kube_conf *out, struct err *err);

/* ERR_INVALID for settings that contradict each other, as in clientcmd; names the file if there is
 * one. */
int kubeconfig_check(const struct kube_conf *conf, struct err *err);

#endif
