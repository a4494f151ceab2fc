/*
 * Merges kubeconfig files as clientcmd does: per name, the first file that has an entry wins. Every
 * file is validated completely before any value is used.
 */
#include "kubeconfig_shape.h"

#include "base/codec.h"
#include "base/flag.h"
#include "data/yml.h"

/* A named entry and its file. */
struct entry {
	const struct json *value;
	struct str file;
};

struct files {
	struct arena *a;
	const struct kubeconfig_file *v;
	struct json **trees;
	size_t n;
};

static int parse_files(struct files *f, struct err *err)
{
	for (size_t i = 0; i < f->n; i++) {
		int rc = yml_parse(f->a, f->v[i].text, NULL, &f->trees[i], err);

		if (rc < 0)
			return err_wrap(err, "%.*s", STRF(f->v[i].path));
		if (json_kind(f->trees[i]) != JSON_OBJECT && json_kind(f->trees[i]) != JSON_NULL)
			return err_set(err, ERR_INVALID, "%.*s: a kubeconfig is a mapping, not %s",
				       STRF(f->v[i].path), json_kind_name(f->trees[i]));
		if (kubeconfig_shape(f->a, f->trees[i], err) < 0)
			return err_wrap(err, "%.*s", STRF(f->v[i].path));
	}
	return 0;
}

/* The first entry of that name in the lists of all files. */
static bool find_entry(const struct files *f, const char *list, const char *member, struct str name,
		       struct entry *out)
{
	for (size_t i = 0; i < f->n; i++)
		for (const struct json *e = json_first(json_at(f->trees[i], list)); e;
		     e = json_next(e))
			if (str_eq(json_str(e, "name"), name)) {
				*out = (struct entry){ json_at(e, member), f->v[i].path };
				return true;
			}
	return false;
}

static struct str first_value(const struct files *f, const char *key)
{
	for (size_t i = 0; i < f->n; i++) {
		struct str v = json_str(f->trees[i], key);

		if (v.n)
			return v;
	}
	return S("");
}

static struct str dir_of(struct str path)
{
	ptrdiff_t slash = str_rchr(path, '/');

	return slash < 0 ? S("") : str_sub(path, 0, (size_t)slash + 1);
}

static struct str path_in(struct arena *a, const struct entry *e, const char *key)
{
	struct str p = json_str(e->value, key);

	if (!p.n || p.p[0] == '/')
		return p;
	return str_fmt(a, "%.*s%.*s", STRF(dir_of(e->file)), STRF(p));
}

static int data_in(struct arena *a, const struct entry *e, const char *key, struct str *out,
		   struct err *err)
{
	struct str text = json_str(e->value, key);

	if (!text.n)
		return 0;
	if (base64_decode(a, text, out, err) < 0)
		return err_wrap(err, "%.*s: %s", STRF(e->file), key);
	return 0;
}

static int take_cluster(struct arena *a, const struct entry *e, struct kube_conf *out,
			struct err *err)
{
	out->cluster_from = e->file;
	out->server = json_str(e->value, "server");
	out->ca_file = path_in(a, e, "certificate-authority");
	out->insecure = json_bool(e->value, "insecure-skip-tls-verify", false);
	out->tls_server_name = json_str(e->value, "tls-server-name");
	out->proxy_url = json_str(e->value, "proxy-url");
	for (const struct json *x = json_first(json_at(e->value, "extensions")); x;
	     x = json_next(x))
		if (str_is(json_str(x, "name"), "client.authentication.k8s.io/exec"))
			out->exec_config = json_at(x, "extension");
	return data_in(a, e, "certificate-authority-data", &out->ca_data, err);
}

static void take_extra(struct arena *a, const struct json *extra, struct kube_conf *out)
{
	for (const struct json *e = json_first(extra); e; e = json_next(e))
		for (const struct json *v = json_first(e); v; v = json_next(v)) {
			VEC_PUSH(a, &out->as_extra, json_key(e));
			VEC_PUSH(a, &out->as_extra, json_text(v));
		}
}

static int take_user(struct arena *a, const struct entry *e, struct kube_conf *out, struct err *err)
{
	const struct json *groups = json_at(e->value, "as-groups");
	int rc;

	out->user_from = e->file;
	out->token = json_str(e->value, "token");
	out->token_file = path_in(a, e, "tokenFile");
	out->cert_file = path_in(a, e, "client-certificate");
	out->key_file = path_in(a, e, "client-key");
	out->username = json_str(e->value, "username");
	out->password = json_str(e->value, "password");
	out->as = json_str(e->value, "as");
	out->as_uid = json_str(e->value, "as-uid");
	for (const struct json *g = json_first(groups); g; g = json_next(g))
		VEC_PUSH(a, &out->as_groups, json_text(g));
	take_extra(a, json_at(e->value, "as-user-extra"), out);
	out->exec = json_at(e->value, "exec");
	if (out->exec && !json_str(out->exec, "command").n)
		return err_set(err, ERR_INVALID, "%.*s: exec has no command", STRF(e->file));
	out->exec_dir = dir_of(e->file);
	if (json_at(e->value, "auth-provider"))
		return err_set(err, ERR_INVALID,
			       "%.*s: auth-provider %.*s is not supported; use "
			       "an exec plugin or a token",
			       STRF(e->file), STRF(json_str(e->value, "auth-provider.name")));
	rc = data_in(a, e, "client-certificate-data", &out->cert_data, err);
	return rc < 0 ? rc : data_in(a, e, "client-key-data", &out->key_data, err);
}

/* Reports a fault with the names of the files. */
static int set_fault(const struct files *f, const char *what, struct err *err)
{
	struct buf b;

	buf_init(&b, f->a);
	for (size_t i = 0; i < f->n; i++)
		buf_addf(&b, "%s%.*s", i ? ", " : " in ", STRF(f->v[i].path));
	return err_set(err, ERR_INVALID, "%s%.*s", what, STRF(buf_str(&b)));
}

static int set_missing(const struct files *f, const char *what, const char *list, struct str name,
		       struct err *err)
{
	struct strs names = { 0 };

	for (size_t i = 0; i < f->n; i++)
		for (const struct json *e = json_first(json_at(f->trees[i], list)); e;
		     e = json_next(e))
			VEC_PUSH(f->a, &names, json_str(e, "name"));
	return set_fault(f,
			 str_fmt(f->a, "%s \"%.*s\" does not exist%.*s", what, STRF(name),
				 STRF(flag_hint(f->a, name, &names)))
				 .p,
			 err);
}

static int take_context(struct files *f, struct str name, struct str *cluster, struct str *user,
			struct str *ns, struct err *err)
{
	struct entry e = { 0 };

	if (name.n && !find_entry(f, "contexts", "context", name, &e))
		return set_missing(f, "context", "contexts", name, err);
	*cluster = json_str(e.value, "cluster");
	*user = json_str(e.value, "user");
	*ns = json_str(e.value, "namespace");
	return 0;
}

static int take_entries(struct files *f, const struct kubeconfig_choice *choice, struct str cluster,
			struct str user, struct kube_conf *out, struct err *err)
{
	struct entry e;
	int rc = 0;

	if (choice->cluster.n)
		cluster = choice->cluster;
	if (choice->user.n)
		user = choice->user;
	if (cluster.n && find_entry(f, "clusters", "cluster", cluster, &e))
		rc = take_cluster(f->a, &e, out, err);
	else if (cluster.n)
		rc = set_missing(f, "cluster", "clusters", cluster, err);
	if (rc < 0)
		return rc;
	if (user.n && find_entry(f, "users", "user", user, &e))
		return take_user(f->a, &e, out, err);
	if (user.n && choice->user.n)
		return set_missing(f, "user", "users", user, err);
	return 0;
}

int kubeconfig_pick(struct arena *a, const struct kubeconfig_file *files, size_t n,
		    const struct kubeconfig_choice *choice, struct kube_conf *out, struct err *err)
{
	struct files f = {
		.a = a, .v = files, .trees = arena_array(a, n, sizeof(*f.trees)), .n = n
	};
	struct kube_conf conf = { 0 };
	struct str context, cluster = S(""), user = S(""), ns = S("");
	int rc = parse_files(&f, err);

	if (rc < 0)
		return rc;
	context = choice->context.n ? choice->context : first_value(&f, "current-context");
	rc = take_context(&f, context, &cluster, &user, &ns, err);
	if (rc == 0)
		rc = take_entries(&f, choice, cluster, user, &conf, err);
	if (rc < 0)
		return rc;
	if (choice->server.n)
		conf.server = choice->server;
	conf.ns = choice->ns.n ? choice->ns : ns.n ? ns : S("default");
	if (!conf.server.n && (cluster.n || choice->cluster.n))
		return set_fault(&f, "the cluster has no server", err);
	if (!conf.server.n && n && !context.n)
		return set_fault(&f, "no --context, and no current-context", err);
	if (!conf.server.n)
		return err_set(err, ERR_NOTFOUND, "no server: no kubeconfig names a cluster");
	if (str_find(conf.server, S("://")) < 0)
		conf.server = str_fmt(a, "http://%.*s", STRF(conf.server));
	while (conf.server.n && conf.server.p[conf.server.n - 1] == '/')
		conf.server.n--;
	*out = conf;
	return 0;
}
