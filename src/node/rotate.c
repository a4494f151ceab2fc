/*
 * The API servers' CAs in the node's kubeconfigs: adds new ones, and restarts the kubelet at once
 * unless all new ones are of the kinds that rotate during every upgrade.
 *
 * STEPS_KUBECONFIG is written last: it tells whether all of it is complete.
 */
#include "node/rotate.h"

#include "base/codec.h"
#include "data/yml.h"
#include "io/clock.h"
#include "io/log.h"
#include "mc/cert.h"

#define KUBELET "/var/lib/kubelet/kubeconfig"
#define REBOOTSTRAP_TRIES 12 /* ten seconds each, two minutes in total */
#define KUBECONFIG_MAX ((size_t)4 << 20)
#define END S("-----END CERTIFICATE-----")

/* The certificates of a bundle, each with the text before it. */
static void split_bundle(struct arena *a, struct str pem, struct strs *out)
{
	ptrdiff_t at;

	pem = str_trim(pem);
	while ((at = str_find(pem, END)) >= 0) {
		size_t n = (size_t)at + END.n;

		VEC_PUSH(a, out, str_sub(pem, 0, n));
		pem = str_from(pem, n);
	}
}

static bool has_cert(const struct strs *l, struct str s)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->v[i], s))
			return true;
	return false;
}

static struct str common_name(struct str subject)
{
	struct str part, rest = subject;
	bool more = true;

	while (more) {
		more = str_cut(rest, ',', &part, &rest);
		if (!more)
			part = rest;
		if (str_starts(part, S("CN=")))
			return str_from(part, 3);
	}
	return S("");
}

/* Reads a kubeconfig and finds the CAs of its first cluster. */
static int load_kubeconfig(struct node *n, struct arena *a, const char *path, struct json **tree,
			   struct json **cluster, struct str *pem, struct err *err)
{
	struct str text;
	int rc = tree_read(a, &n->tree, path, KUBECONFIG_MAX, &text, err);

	if (rc == 0)
		rc = yml_parse(a, text, NULL, tree, err);
	if (rc < 0)
		return rc;
	*cluster = (struct json *)json_at(json_first(json_at(*tree, "clusters")), "cluster");
	if (json_kind(*cluster) != JSON_OBJECT)
		return err_set(err, ERR_INVALID, "%s: clusters cannot be nil", path);
	return base64_decode(a, json_text(json_member(*cluster, S("certificate-authority-data"))),
			     pem, err);
}

static int store_kubeconfig(struct node *n, struct arena *a, const char *path, struct json *tree,
			    struct json *cluster, struct str pem, struct err *err)
{
	struct tree_attr attr = TREE_DEFAULT;
	struct err ignored = ERR_INIT(a);
	struct buf b, data;
	struct stat st;
	int rc;

	buf_init(&data, a);
	base64_add(&data, pem);
	json_set(cluster, S("certificate-authority-data"), json_new_str(a, buf_str(&data)));
	buf_init(&b, a);
	rc = yml_emit(&b, tree, err);
	if (rc < 0)
		return err_wrap(err, "could not marshal kubeconfig into bytes");
	if (tree_lstat(&n->tree, path, &st, &ignored) == 0) {
		attr.mode = st.st_mode & 07777;
		attr.uid = st.st_uid;
		attr.gid = st.st_gid;
	}
	rc = tree_write(&n->tree, path, buf_str(&b), attr, err);
	return rc < 0 ? rc : tree_sync(&n->tree, err);
}

/* The entries that are valid certificates; logs and skips the others. */
static void valid_certs(struct node *n, struct arena *a, const struct strs *list, struct strs *out)
{
	for (size_t i = 0; i < list->n; i++) {
		struct certs c = { 0 };

		cert_bundle(a, list->v[i], &c);
		if (c.n)
			VEC_PUSH(a, out, list->v[i]);
		else
			host_log(&n->host, "Malformed Cert, not syncing: %.*s", STRF(list->v[i]));
	}
}

/* Whether all new ones are of the kinds that rotate during every upgrade. */
static bool can_wait(struct node *n, struct arena *a, const struct strs *added)
{
	static const char *const often[] = { "kube-apiserver-localhost-signer",
					     (NS_KUBE_APISERVER_OPERATOR
					      "_localhost-recovery-serving-"
					      "signer"),
					     "kube-apiserver-lb-signer" };
	struct strs good = { 0 };
	bool all = true;

	valid_certs(n, a, added, &good);
	for (size_t i = 0; i < good.n; i++) {
		struct certs c = { 0 };
		struct str name;
		bool one = false;

		cert_bundle(a, good.v[i], &c);
		name = common_name(c.v[0].subject);
		host_log(&n->host,
			 "Cert not found in kubeconfig. This means we need to "
			 "write to disk. Subject is: %.*s",
			 STRF(name));
		for (size_t k = 0; k < 3; k++)
			one = one || str_find(name, str_of(often[k])) >= 0;
		host_log(&n->host, one ? "Skipping kubelet restart" : "Need to restart kubelet");
		all = all && one;
	}
	return all;
}

static int restart_kubelet(struct node *n, struct arena *a, struct str pem, struct err *err)
{
	struct json *tree = NULL, *cluster = NULL;
	struct err ignored = ERR_INIT(a);
	struct str old = S("");
	int rc;

	host_log(&n->host, "restarting kubelet due to server-ca rotation");
	rc = load_kubeconfig(n, a, KUBELET, &tree, &cluster, &old, err);
	if (rc == 0)
		rc = node_do(n, a, "systemctl stop kubelet", NULL, err);
	if (rc < 0)
		return rc;
	rc = store_kubeconfig(n, a, KUBELET, tree, cluster, pem, err);
	if (rc == 0)
		rc = node_do(n, a, "systemctl daemon-reload", NULL, err);
	/* after a failure too: the kubelet must not stay stopped */
	return node_do(n, a, "systemctl start kubelet", NULL, rc < 0 ? &ignored : err) < 0
		       ? -ERR_SYS
		       : rc;
}

int rotate_cas(struct node *n, struct arena *a, struct str bundle, struct err *err)
{
	struct strs want = { 0 }, have = { 0 }, good = { 0 }, added = { 0 };
	struct json *tree = NULL, *cluster = NULL;
	struct str pem;
	bool wait;
	struct buf all;
	int rc = load_kubeconfig(n, a, STEPS_KUBECONFIG, &tree, &cluster, &pem, err);

	if (rc < 0)
		return err_wrap(err, "could not read " STEPS_KUBECONFIG);
	split_bundle(a, bundle, &want);
	split_bundle(a, pem, &have);
	for (size_t i = 0; i < want.n; i++)
		if (!has_cert(&have, want.v[i]))
			VEC_PUSH(a, &added, want.v[i]);
	valid_certs(n, a, &want, &good);
	wait = can_wait(n, a, &added);
	node_emit(n, &(struct node_event){ .kind = NODE_EVENT_KUBELET, .deferred = wait });
	/* never replace the CAs by an empty list */
	if (!added.n || !good.n || str_eq(str_trim(pem), str_trim(bundle)))
		return 0;
	buf_init(&all, a);
	for (size_t i = 0; i < good.n; i++)
		buf_add(&all, good.v[i]);
	/* last: this file tells whether the rotation is complete */
	rc = wait ? 0 : restart_kubelet(n, a, buf_str(&all), err);
	if (rc < 0)
		return rc;
	log_info("Writing new Data to " STEPS_KUBECONFIG);
	return store_kubeconfig(n, a, STEPS_KUBECONFIG, tree, cluster, buf_str(&all), err);
}

int rotate_rebootstrap(struct node *n, struct arena *a, struct err *err)
{
	int rc;

	if (!tree_lexists(&n->tree, KUBELET))
		return err_set(err, ERR_NOTFOUND,
			       "could not remove kubelet's kubeconfig file: "
			       "remove " KUBELET ": no such file or directory");
	rc = tree_remove(&n->tree, KUBELET, err);
	if (rc < 0)
		return err_wrap(err, "could not remove kubelet's kubeconfig "
				     "file");
	rc = host_cmd(a, &n->host, HOST_SYNC, NULL, err, "systemctl restart kubelet");
	for (int i = 0; rc == 0 && i < REBOOTSTRAP_TRIES; i++) {
		clock_sleep_ms(n->retry_ms);
		if (tree_exists(&n->tree, KUBELET))
			return 0;
		log_warn("Failed to get kubeconfig file: open " KUBELET
			 ": no such file or directory");
	}
	return rc < 0 ? rc
		      : err_set(err, ERR_LIMIT,
				"something went wrong while waiting for "
				"kubeconfig file to generate: context "
				"deadline exceeded");
}
