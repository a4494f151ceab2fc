/*
 * The start of a server, with upstream's log lines and exit statuses.
 */
#include <unistd.h>

#include "data/yml.h"
#include "io/file.h"
#include "io/log.h"
#include "io/version.h"
#include "kube/config.h"
#include "mc/tls_profile.h"
#include "server_run.h"

/* Any error leaves the default profile: machines must be served. */
static struct tls_profile read_profile(struct arena *a, struct str path)
{
	struct err err = ERR_INIT(a);
	struct json *tree = NULL;
	struct str text;
	int rc = file_read(a, str_z(a, path), 1 << 20, &text, &err);

	if (rc == 0)
		rc = yml_parse(a, text, NULL, &tree, &err);
	if (rc == -ERR_NOTFOUND)
		log_info("No bootstrap apiserver manifest found, bootstrap MCS "
			 "will use defaults");
	else if (rc < 0)
		log_info("error found during grabbing apiserver from bootstrap "
			 "manifest %.*s",
			 STRF(err.msg));
	return mc_tls_profile(a, json_at(tree, "spec.tlsSecurityProfile"));
}

static struct str join(struct arena *a, const struct strs *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++)
		buf_addf(&b, "%s%.*s", i ? " " : "", STRF(list->v[i]));
	return buf_str(&b);
}

/* Logs why it cannot start, and returns exit status 1, as upstream does. */
static int end(int rc, const struct err *err)
{
	if (rc >= 0)
		return rc;
	log_line(LOG_FATAL, __FILE__, __LINE__, "Machine Config Server exited with error: %.*s",
		 STRF(err->msg));
	return 1;
}

int server_bootstrap(struct arena *a, const struct server_opts *o, const struct server_files *f)
{
	struct bootstrap_origin b = { .base = f->base,
				      .kubeconfig = f->kubeconfig,
				      .certs = f->certs };
	struct err err = ERR_INIT(a);
	struct tls_profile tls;

	log_info("Version: %s (%s)", version_raw(), version_hash());
	if (access(str_z(a, f->kubeconfig), F_OK) < 0)
		return end(err_set(&err, ERR_NOTFOUND, "kubeconfig not found at location: %.*s",
				   STRF(f->kubeconfig)),
			   &err);
	tls = read_profile(a, f->apiserver);
	log_info("Launching bootstrap server with tls min version: %.*s & "
		 "cipher suites [%.*s]",
		 STRF(tls.min_version), STRF(join(a, &tls.suites)));
	bootstrap_origin_init(&b);
	return end(server_run(a, o, &b.origin, tls.min_version, &tls.suites, &err), &err);
}

/* ---- in a cluster -------------------------------------------------------- */

/* The same without usable credentials; the reason is in the pod's status, too. */
static int no_client(const struct err *err)
{
	log_to_pod(err->msg);
	log_line(LOG_FATAL, __FILE__, __LINE__, "%.*s", STRF(err->msg));
	return 255;
}

static void split(struct arena *a, struct str list, struct strs *out)
{
	struct str one;

	while (str_cut(list, ',', &one, &list))
		VEC_PUSH(a, out, one);
	if (list.n)
		VEC_PUSH(a, out, list);
}

int server_start(struct arena *a, const struct server_opts *o, const struct server_cluster *c)
{
	struct kube_flags flags = { .kubeconfig = c->kubeconfig };
	struct cluster_origin origin = { .url = c->url, .token_dir = c->token_dir };
	struct err err = ERR_INIT(a);
	struct kube_conf conf = { 0 };
	struct strs suites = { 0 };
	int rc;

	log_info("Version: %s (%s)", version_raw(), version_hash());
	if (!c->url.n) {
		log_line(LOG_FATAL, __FILE__, __LINE__, "--apiserver-url cannot be empty");
		return 1;
	}
	if (kube_config_load(a, &flags, true, &conf, &err) < 0)
		return no_client(&err);
	split(a, o->suites, &suites);
	log_info("Launching server with tls min version: %.*s & cipher suites "
		 "[%.*s]",
		 STRF(o->min_version), STRF(join(a, &suites)));
	cluster_origin_init(&origin);
	origin.conf = &conf;
	rc = server_run(a, o, &origin.origin, o->min_version, &suites, &err);
	return origin.refused ? no_client(&err) : end(rc, &err);
}
