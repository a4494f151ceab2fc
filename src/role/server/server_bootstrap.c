/*
 * Configs from the files of the bootstrap host. Every file that is read is added to the
 * dependencies of the answer, the missing ones, too.
 */
#include "data/yml.h"
#include "io/file.h"
#include "io/log.h"
#include "server_origin.h"

#define FILE_MAX ((size_t)32 << 20)

int origin_read(struct arena *a, const char *path, struct depends *files, struct str *out,
		struct err *err)
{
	struct depend d = { .path = path };
	int rc;

	stamp_take(path, &d.stamp);
	VEC_PUSH(a, files, d);
	log_v(1, "reading file \"%s\"", path);
	rc = file_read(a, path, FILE_MAX, out, err);
	if (rc == -ERR_NOTFOUND)
		log_error("could not find file: %s", path);
	return rc;
}

/* Turns a missing file into an error: only a missing pool or config is a 404. */
static int must(int rc, struct err *err)
{
	if (rc == -ERR_NOTFOUND)
		err->code = ERR_SYS;
	return rc < 0 ? -(int)err->code : rc;
}

static int read_yaml(struct bootstrap_origin *b, struct arena *a, struct str name,
		     struct depends *files, struct json **out, struct err *err)
{
	struct str path = str_fmt(a, "%.*s/%.*s.yaml", STRF(b->base), STRF(name));
	struct str text;
	int rc = origin_read(a, path.p, files, &text, err);

	if (rc < 0)
		return rc;
	rc = yml_parse(a, text, NULL, out, err);
	return rc < 0 ? err_wrap(err, "server: could not unmarshal file %s, err", path.p) : 0;
}

static int read_certs(struct bootstrap_origin *b, struct arena *a, struct serve_in *in,
		      struct depends *files, struct err *err)
{
	VEC(struct serve_cert) certs = { 0 };

	for (size_t i = 0; i < b->certs.n; i++) {
		struct serve_cert c;
		struct str file;
		int rc = serve_cert_arg(b->certs.v[i], &c.host, &file, err);

		if (rc < 0)
			return rc;
		file = str_fmt(a, "%.*s/%.*s", STRF(b->base), STRF(file));
		rc = must(origin_read(a, file.p, files, &c.pem, err), err);
		if (rc < 0)
			return err_wrap(err, "could not read cert file");
		VEC_PUSH(a, &certs, c);
	}
	in->certs = certs.v;
	in->n_certs = certs.n;
	return 0;
}

static int check(struct origin *o, struct str pool, struct err *err)
{
	(void)o;
	return serve_bootstrap_pool(pool, err);
}

/* The name comes from a file of the cluster: it must not leave the directory. */
static int config_file(struct arena *a, struct str name, struct str *out, struct err *err)
{
	if (str_chr(name, '/') >= 0 || str_chr(name, '\0') >= 0)
		return err_set(err, ERR_INVALID,
			       "the name of the pool's configuration is not a valid file name");
	*out = str_fmt(a, "machine-configs/%.*s", STRF(name));
	return 0;
}

static int load_objects(struct bootstrap_origin *b, struct arena *a, struct str pool,
			struct serve_in *in, struct depends *files, struct err *err)
{
	struct json *tree = NULL;
	struct serve_pool decoded;
	struct str name;
	int rc = read_yaml(b, a, str_fmt(a, "machine-pools/%.*s", STRF(pool)), files, &tree, err);

	if (rc < 0)
		return rc;
	serve_pool_decode(tree, &decoded);
	in->config_name = serve_pool_config(&decoded, false);
	rc = config_file(a, in->config_name, &name, err);
	if (rc == 0)
		rc = read_yaml(b, a, name, files, &tree, err);
	if (rc < 0)
		return rc;
	in->mc = tree;
	rc = read_yaml(b, a, S("controller-config/machine-config-controller"), files, &tree, err);
	if (rc == -ERR_NOTFOUND)
		return err_set(err, ERR_INVALID,
			       "could not find controller config on initial "
			       "bootstrap");
	in->controller_config = tree;
	return rc;
}

static int load(struct origin *o, struct arena *a, struct str pool, struct serve_in *in,
		struct depends *files, struct err *err)
{
	struct bootstrap_origin *b = (struct bootstrap_origin *)o;
	int rc = load_objects(b, a, pool, in, files, err);

	if (rc < 0)
		return rc;
	rc = must(origin_read(a, str_z(a, b->kubeconfig), files, &in->kubeconfig, err), err);
	if (rc == 0)
		rc = serve_check_kubeconfig(a, in->kubeconfig, err);
	if (rc < 0)
		return err_wrap(err, "error getting kubeconfig from disk");
	return read_certs(b, a, in, files, err);
}

void bootstrap_origin_init(struct bootstrap_origin *b)
{
	b->origin.check = check;
	b->origin.load = load;
}
