/*
 * config_flags: the table of kubectl's global flags, in the order of `kubectl options`.
 *
 * Flags without an effect here are accepted, so that kubectl's command lines work.
 */
#include "kube/config.h"

#define FLAG(flag_name, type, member, what, text)                        \
	{                                                                \
		.texts = FLAG_TEXT(flag_name, what, text), .kind = type, \
		.offset = offsetof(struct kube_flags, member)            \
	}
#define STR(name, member, what, text) FLAG(name, FLAG_STR, member, what, text)
#define STRS(name, member, what, text) FLAG(name, FLAG_STRS, member, what, text)
#define BOOL(name, member, text) FLAG(name, FLAG_BOOL, member, "", text)

const struct flag kube_flag_table[] = {
	STR("as", as, "USER", "user to impersonate"),
	STRS("as-group", as_groups, "GROUP", "group to impersonate, with --as; may be repeated"),
	STR("as-uid", as_uid, "UID", "uid to impersonate, with --as"),
	STRS("as-user-extra", as_extra, "KEY=VALUE",
	     "extra field to impersonate, with --as; may be repeated"),
	STR("cache-dir", ignored, "DIR", "no effect: commands do not cache"),
	STR("certificate-authority", ca_file, "FILE",
	    "CA certificates that verify the server (default: those of the kubeconfig, or of "
	    "the system)"),
	STR("client-certificate", cert_file, "FILE", "client certificate, with --client-key"),
	STR("client-key", key_file, "FILE", "key of --client-certificate"),
	STR("cluster", cluster, "NAME", "cluster of the kubeconfig to use"),
	STR("context", context, "NAME",
	    "context of the kubeconfig to use (default its current-context)"),
	BOOL("disable-compression", ignored_bool, "no effect: compression is never requested"),
	BOOL("insecure-skip-tls-verify", insecure,
	     "do not verify the server's certificate: an attacker in between can read and change "
	     "everything"),
	STR("kubeconfig", kubeconfig, "FILE",
	    "cluster and credentials (default $KUBECONFIG or ~/.kube/config)"),
	STR("kuberc", ignored, "FILE", "no effect: there are no preferences"),
	BOOL("match-server-version", ignored_bool, "no effect: any server version works"),
	{ .texts = FLAG_TEXT("namespace", "NAME", "namespace to use"),
	  .letter = 'n',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct kube_flags, ns) },
	STR("password", password, "PASSWORD", "password of --username"),
	STR("profile", ignored, "NAME", "no effect: there are no profiles"),
	STR("profile-output", ignored, "FILE", "no effect: see --profile"),
	STR("request-timeout", request_timeout, "DURATION",
	    "how long one request may take (default 0: no limit)"),
	{ .texts = FLAG_TEXT("server", "URL",
			     "address of the API server (default the kubeconfig's)"),
	  .letter = 's',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct kube_flags, server) },
	STR("tls-server-name", tls_server_name, "NAME",
	    "name to request and to verify in the server's certificate (default the host of its "
	    "address)"),
	STR("token", token, "TOKEN", "bearer token for the server"),
	STR("user", user, "NAME", "user of the kubeconfig to use"),
	STR("username", username, "NAME", "user for basic authentication, with --password"),
	BOOL("warnings-as-errors", ignored_bool,
	     "no effect: nothing is written, so there are no warnings"),
	{ 0 },
};
