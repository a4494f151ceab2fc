/*
 * Settings of a kubeconfig that contradict each other, with the texts of clientcmd.
 */
#include "data/kubeconfig.h"

static int refuse(struct str file, const char *what, struct err *err)
{
	if (file.n)
		return err_set(err, ERR_INVALID, "%.*s: %s", STRF(file), what);
	return err_set(err, ERR_INVALID, "%s", what);
}

int kubeconfig_check(const struct kube_conf *c, struct err *err)
{
	if (c->insecure && (c->ca_file.n || c->ca_data.n))
		return refuse(c->cluster_from,
			      "insecure-skip-tls-verify and "
			      "certificate-authority contradict each other: "
			      "give only one",
			      err);
	if (c->token.n && c->username.n)
		return refuse(c->user_from,
			      "a token and a username: only one way to "
			      "authenticate is allowed",
			      err);
	if (c->password.n && !c->username.n)
		return refuse(c->user_from, "a password needs a username", err);
	if ((c->cert_file.n || c->cert_data.n) && !c->key_file.n && !c->key_data.n)
		return refuse(c->user_from, "client-certificate needs client-key", err);
	if (!c->as.n && (c->as_uid.n || c->as_groups.n || c->as_extra.n))
		return refuse(c->user_from,
			      "as-uid, as-group and as-user-extra need as: the "
			      "user to impersonate",
			      err);
	return 0;
}
