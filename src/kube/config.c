/*
 * config: selects the cluster and the credentials by the rules of kubectl's clientcmd.
 *
 * --kubeconfig, else the files of KUBECONFIG, else ~/.kube/config. Roles (in_cluster) use the pod's
 * service account instead when neither flag nor variable names a server. Flags override the result
 * field by field.
 */
#include "kube/config.h"

#include <stdlib.h>

#include "io/file.h"

#define CONFIG_MAX ((size_t)4 << 20)
#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"

static struct str env(const char *name)
{
	const char *v = getenv(name);

	return v ? str_of(v) : S("");
}

struct list {
	struct kubeconfig_file *v;
	size_t n, cap;
};

/* must: the file was named by a flag, so it must exist. */
static int add(struct arena *a, struct str path, bool must, struct list *out, struct err *err)
{
	struct kubeconfig_file f = { .path = path };
	int rc = file_read(a, str_z(a, path), CONFIG_MAX, &f.text, err);

	if (rc == -ERR_NOTFOUND && !must)
		return 0;
	if (rc < 0)
		return rc;
	VEC_PUSH(a, out, f);
	return 0;
}

static int read_files(struct arena *a, const struct kube_flags *flags, struct list *out,
		      struct err *err)
{
	struct str rest = env("KUBECONFIG"), one;
	bool more = rest.n > 0;
	int rc = 0;

	if (flags->kubeconfig.n)
		return add(a, flags->kubeconfig, true, out, err);
	if (!more && env("HOME").n)
		return add(a, str_fmt(a, "%.*s/.kube/config", STRF(env("HOME"))), false, out, err);
	while (more && rc == 0) {
		more = str_cut(rest, ':', &one, &rest);
		if (!more)
			one = rest;
		if (one.n)
			rc = add(a, one, false, out, err);
	}
	return rc;
}

static int pod_account(struct arena *a, const struct kube_flags *flags, struct kube_conf *out,
		       struct err *err)
{
	struct str host = env("KUBERNETES_SERVICE_HOST");
	struct str port = env("KUBERNETES_SERVICE_PORT"), ns = S("");
	bool v6 = str_chr(host, ':') >= 0;

	if (!host.n || !port.n)
		return err_set(err, ERR_NOTFOUND,
			       "no cluster: give --kubeconfig, set KUBECONFIG, "
			       "or run in a pod (KUBERNETES_SERVICE_HOST and "
			       "KUBERNETES_SERVICE_PORT are not set)");
	*out = (struct kube_conf){
		.server = str_fmt(a, "https://%s%.*s%s:%.*s", v6 ? "[" : "", STRF(host),
				  v6 ? "]" : "", STRF(port)),
		.ca_file = S(ACCOUNT "ca.crt"),
		.token_file = S(ACCOUNT "token"),
	};
	if (file_read(a, ACCOUNT "namespace", 4096, &ns, err) < 0)
		ns = S("default");
	out->ns = flags->ns.n ? flags->ns : str_trim(ns);
	return 0;
}

/* As clientcmd: a flag replaces all related fields of the kubeconfig. */
static void override_cluster(const struct kube_flags *flags, struct kube_conf *out)
{
	if (flags->server.n || flags->tls_server_name.n)
		out->tls_server_name = flags->tls_server_name;
	if (!flags->insecure && !flags->ca_file.n)
		return;
	out->insecure = flags->insecure;
	out->ca_file = flags->ca_file;
	out->ca_data = S("");
	out->cluster_from = S("");
}

static void override_user(const struct kube_flags *flags, struct kube_conf *out)
{
	if (flags->token.n) {
		out->token = flags->token;
		out->token_file = S("");
	}
	if (flags->username.n)
		out->username = flags->username;
	if (flags->password.n)
		out->password = flags->password;
	if (flags->cert_file.n) {
		out->cert_file = flags->cert_file;
		out->cert_data = S("");
	}
	if (flags->key_file.n) {
		out->key_file = flags->key_file;
		out->key_data = S("");
	}
	if (flags->cert_file.n && flags->key_file.n)
		out->user_from = S("");
}

static int override_as(struct arena *a, const struct kube_flags *flags, struct kube_conf *out,
		       struct err *err)
{
	struct str key, value;

	if (flags->as.n)
		out->as = flags->as;
	if (flags->as_uid.n)
		out->as_uid = flags->as_uid;
	if (flags->as_groups.n)
		out->as_groups = flags->as_groups;
	if (flags->as_extra.n)
		out->as_extra.n = 0;
	for (size_t i = 0; i < flags->as_extra.n; i++) {
		if (!str_cut(flags->as_extra.v[i], '=', &key, &value) || !key.n)
			return err_set(err, ERR_INVALID, "--as-user-extra %.*s: give KEY=VALUE",
				       STRF(flags->as_extra.v[i]));
		VEC_PUSH(a, &out->as_extra, key);
		VEC_PUSH(a, &out->as_extra, value);
	}
	return 0;
}

int kube_config_load(struct arena *a, const struct kube_flags *flags, bool in_cluster,
		     struct kube_conf *out, struct err *err)
{
	struct kubeconfig_choice choice = {
		flags->context, flags->cluster, flags->user, flags->server, flags->ns,
	};
	struct list files = { 0 };
	bool named = flags->kubeconfig.n || env("KUBECONFIG").n || flags->server.n;
	int rc;

	if (in_cluster && !named)
		rc = pod_account(a, flags, out, err);
	else {
		rc = read_files(a, flags, &files, err);
		if (rc == 0)
			rc = kubeconfig_pick(a, files.v, files.n, &choice, out, err);
		if (rc == -ERR_NOTFOUND && !named)
			rc = err_set(err, ERR_NOTFOUND,
				     "no cluster: give --kubeconfig or "
				     "--server, or set KUBECONFIG");
		else if (rc == -ERR_NOTFOUND && !flags->kubeconfig.n && !files.n)
			rc = err_set(err, ERR_NOTFOUND,
				     "no cluster: KUBECONFIG names no existing file (%.*s)",
				     STRF(env("KUBECONFIG")));
	}
	if (rc < 0)
		return rc;
	override_cluster(flags, out);
	override_user(flags, out);
	rc = override_as(a, flags, out, err);
	return rc < 0 ? rc : kubeconfig_check(out, err);
}
