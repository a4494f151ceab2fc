/*
 * daemon_enter: checks first, then mounts, then changes the root: a start that cannot succeed
 * leaves the machine unchanged.
 */
#include "daemon_own.h"

#include <stdlib.h>

#include "io/file.h"
#include "io/log.h"
#include "kube/config.h"
#include "node/args.h"
#include "node/enter.h"

#define SELF "/run/bin/machine-config-daemon"
#define SELF_MAX ((size_t)64 << 20)
#define KUBECONFIG_MAX ((size_t)4 << 20)
#define DID_REEXEC "_MCD_DID_REEXEC"
#define SECRETS "/run/secrets"
#define TOKEN "/kubernetes.io/serviceaccount/token"

int daemon_kubelet_server(struct arena *a, const struct tree *t, struct url *out, struct err *err)
{
	struct kube_flags kubelet = { .kubeconfig =
					      str_of(tree_host_path(a, t, STEPS_KUBECONFIG)) };
	struct kube_conf conf = { 0 };
	int rc = kube_config_load(a, &kubelet, false, &conf, err);

	if (rc < 0)
		return err_wrap(err, "failed to load kubelet kubeconfig");
	if (url_parse(conf.server, out, err) < 0)
		return err_wrap(err, "failed to parse api url from kubelet "
				     "kubeconfig");
	log_info("overriding kubernetes api to %.*s", STRF(conf.server));
	return 0;
}

struct entering {
	struct arena *a;
	const struct daemon_entry *g;
	struct err *err;
};

/* ---- the cluster --------------------------------------------------------- */

struct file_list {
	struct kubeconfig_file *v;
	size_t n, cap;
};

/* The same files, by the given paths and by their paths inside the root. */
struct files {
	struct file_list given, inside;
};

static int add_kubeconfig(struct entering *r, struct enter *e, struct str path, struct files *out)
{
	struct kubeconfig_file f = { 0 };
	int rc = enter_path(e, path, &f.path, r->err);

	if (rc == 0)
		rc = enter_read(e, f.path, KUBECONFIG_MAX, &f.text, r->err);
	if (rc < 0)
		return rc;
	VEC_PUSH(r->a, &out->inside, f);
	f.path = path;
	VEC_PUSH(r->a, &out->given, f);
	return 0;
}

/* The files that a kubeconfig names are read again after the change of root. */
static int check_kubeconfigs(struct entering *r, struct enter *e, const struct files *f)
{
	const struct kubeconfig_choice any = { 0 };
	struct kube_conf c = { 0 };
	int rc = kubeconfig_pick(r->a, f->given.v, f->given.n, &any, &c, r->err);

	if (rc == 0)
		rc = kubeconfig_pick(r->a, f->inside.v, f->inside.n, &any, &c, r->err);
	for (int i = 0; rc == 0 && i < 4; i++) {
		struct str named = i == 0   ? c.ca_file
				   : i == 1 ? c.token_file
				   : i == 2 ? c.cert_file
					    : c.key_file;

		if (named.n && !enter_has(e, named))
			rc = err_set(r->err, ERR_INVALID,
				     "the kubeconfig names %.*s, which is not "
				     "there after the change of root to %s: "
				     "embed it (kubectl config view --flatten "
				     "--raw)",
				     STRF(named), e->tree.root);
	}
	return rc;
}

/* As kubectl reads KUBECONFIG: files that do not exist are ignored. */
static int env_kubeconfigs(struct entering *r, struct enter *e, const char *env, struct files *out)
{
	struct str rest = str_of(env), one;
	struct buf names;
	bool more = true;
	int rc = 0;

	buf_init(&names, r->a);
	while (more && rc == 0) {
		more = str_cut(rest, ':', &one, &rest);
		if (!more)
			one = rest;
		if (!one.n)
			continue;
		rc = add_kubeconfig(r, e, one, out);
		if (rc == 0)
			buf_addf(&names, "%s%.*s", names.n ? ":" : "",
				 STRF(out->inside.v[out->inside.n - 1].path));
		else if (rc == -ERR_NOTFOUND)
			rc = 0;
	}
	if (rc == 0 && !out->given.n)
		rc = err_set(r->err, ERR_NOTFOUND,
			     "no cluster: KUBECONFIG names no existing file (%s)", env);
	if (rc == 0)
		(void)setenv("KUBECONFIG", buf_str(&names).p, 1);
	return rc;
}

static int pod_account(struct entering *r, struct enter *e)
{
	struct url ignored = { 0 };

	if (!enter_has(e, S(SECRETS TOKEN)))
		return err_set(r->err, ERR_NOTFOUND,
			       "no cluster: give --kubeconfig, set KUBECONFIG, "
			       "or run in a pod (there is no " SECRETS TOKEN ")");
	return daemon_kubelet_server(r->a, &e->tree, &ignored, r->err);
}

static int find_cluster(struct entering *r, struct enter *e, const struct daemon_entry *g,
			struct args *words)
{
	const char *env = getenv("KUBECONFIG");
	struct files list = { 0 };
	int rc;

	if (!g->kubeconfig.n && !(env && *env))
		return pod_account(r, e);
	rc = g->kubeconfig.n ? add_kubeconfig(r, e, g->kubeconfig, &list)
			     : env_kubeconfigs(r, e, env, &list);
	if (rc == 0)
		rc = check_kubeconfigs(r, e, &list);
	if (rc == 0 && g->kubeconfig.n && !str_eq(g->kubeconfig, list.inside.v[0].path))
		args_addf(words, "--kubeconfig=%.*s", STRF(list.inside.v[0].path));
	return rc;
}

/* ---- entering ------------------------------------------------------------ */

/* Adds a flag with its path inside the root, where that differs. */
static int rename_flag(struct entering *r, struct enter *e, const char *flag, struct str path,
		       struct args *words)
{
	struct str inside = path;
	int rc = 0;

	if (path.n && !str_starts(path, S("http://")) && !str_starts(path, S("https://")))
		rc = enter_path(e, path, &inside, r->err);
	if (rc < 0)
		return err_wrap(r->err, "--%s", flag);
	if (!str_eq(path, inside))
		args_addf(words, "--%s=%.*s", flag, STRF(inside));
	return 0;
}

/* Copies the program into the node's root and starts it there. */
static int reexec(struct entering *r, struct enter *e, struct args *words)
{
	const struct tree_attr attr = { 0755, 0755, -1, -1 };
	struct str self;
	int rc = file_read(r->a, "/proc/self/exe", SELF_MAX, &self, r->err);

	if (rc == 0)
		rc = tree_write(&e->tree, SELF, self, attr, r->err);
	if (rc < 0)
		return err_wrap(r->err, "failed to re-exec");
	(void)setenv(DID_REEXEC, "1", 1);
	log_info("Invoking re-exec " SELF);
	return enter_exec(e, args_end(words), r->err);
}

/* The pod's account, and its nmstatectl for hosts without one. An image without symbolic links
 * may have the account in /var/run only. */
static void add_pod(struct enter *e)
{
	if (!enter_add(e, SECRETS, SECRETS))
		(void)enter_add(e, "/var" SECRETS, SECRETS);
	(void)enter_add(e, "/usr/bin", "/run/machine-config-daemon-bin");
}

static int check_and_go(struct entering *r, struct enter *e, const struct daemon_entry *g)
{
	struct args words = { .a = r->a };
	int rc;

	/* the command line as it was given, with flags before "start" */
	args_add(&words, SELF);
	for (int i = 0; i < r->g->argc; i++)
		args_add(&words, r->g->argv[i]);
	args_add(&words, "--root-mount=/");
	rc = rename_flag(r, e, "once-from", g->once_from, &words);
	if (rc == 0)
		rc = rename_flag(r, e, "desired-configmap", g->configmap, &words);
	if (rc == 0 && !g->once_from.n) {
		add_pod(e);
		rc = find_cluster(r, e, g, &words);
	}
	if (rc == 0)
		rc = enter_mount(e, r->err);
	return rc < 0 ? rc : reexec(r, e, &words);
}

bool daemon_entered(void)
{
	return getenv(DID_REEXEC) != NULL;
}

/* Tests replace programs (MCO_HOST_PATH), and those are not in the root: nothing to enter. */
int daemon_enter(struct arena *a, const struct daemon_entry *g, struct err *err)
{
	struct entering entering = { a, g, err }, *r = &entering;
	struct enter e;
	const char *root;
	int rc;

	if (str_is(g->root, "/") || getenv("MCO_HOST_PATH") || daemon_entered())
		return 0;
	rc = enter_root(r->a, str_z(r->a, g->root), &root, r->err);
	if (rc < 0 || str_is(str_of(root), "/"))
		return rc;
	rc = enter_open(&e, r->a, root, r->err);
	if (rc < 0)
		return rc;
	rc = check_and_go(r, &e, g);
	enter_close(&e);
	return rc;
}
