/*
 * Upstream's golden exchanges, in process: routes and configs of both modes,
 * byte for byte.
 */
#include "../test.h"

#include <dirent.h>
#include <unistd.h>

#include "base/codec.h"
#include "data/docs.h"
#include "data/yml.h"
#include "plan/serve.h"

#define CASES "test/golden/server"

struct exchange {
	struct arena *a;
	const char *dir;
	struct serve_request req;
	struct serve_answer got;
	struct err err;
};

static struct str read_if(struct arena *a, const char *path)
{
	return access(path, R_OK) == 0 ? test_file(a, path) : (struct str){ 0 };
}

static const char *in(struct exchange *x, const char *name)
{
	return str_fmt(x->a, "%s/%s", x->dir, name).p;
}

static struct json *yaml(struct arena *a, struct str text)
{
	struct json *j = NULL;
	struct err err = ERR_INIT(a);

	return yml_parse(a, text, NULL, &j, &err) < 0 ? NULL : j;
}

static void read_request(struct exchange *x)
{
	struct str rest = test_file(x->a, in(x, "request.txt")), line, key, v;

	(void)str_line(&rest, &line);
	(void)str_cut(line, ' ', &x->req.method, &x->req.target);
	while (str_line(&rest, &line))
		if (str_cut(line, ':', &key, &v) && str_eq_fold(key, S("accept")) &&
		    !x->req.accept.n)
			x->req.accept = str_trim(v);
}

/* Answers 404 and 500 like the program that reads the files. */
static int make(struct exchange *x, struct serve_in *in)
{
	struct str body;

	if (serve_config(x->a, in, x->got.version, &body, &x->err) < 0)
		return 500;
	x->got.body = body;
	x->got.type = S("application/json");
	return 200;
}

static int read_certs(struct exchange *x, const char *tree, struct serve_in *in)
{
	struct str rest = read_if(x->a, str_fmt(x->a, "%s/server.args", x->dir).p);
	VEC(struct serve_cert) certs = { 0 };
	struct str line, file;

	while (str_line(&rest, &line)) {
		struct serve_cert c;

		if (str_starts(line, S("--")))
			continue;
		if (serve_cert_arg(line, &c.host, &file, &x->err) < 0)
			return 500;
		c.pem = read_if(x->a, str_fmt(x->a, "%s/%.*s", tree, STRF(file)).p);
		if (!c.pem.p)
			return 500;
		VEC_PUSH(x->a, &certs, c);
	}
	in->certs = certs.v;
	in->n_certs = certs.n;
	return 0;
}

static int from_files(struct exchange *x)
{
	struct str ref = str_trim(test_file(x->a, in(x, "tree.ref")));
	const char *tree = str_fmt(x->a, CASES "/%.*s", STRF(ref)).p;
	struct serve_in si = { 0 };
	struct serve_pool pool;
	struct str text;
	int rc;

	if (serve_bootstrap_pool(x->got.pool, &x->err) < 0)
		return 500;
	text = read_if(x->a,
		       str_fmt(x->a, "%s/machine-pools/%.*s.yaml", tree, STRF(x->got.pool)).p);
	if (!text.p)
		return 404;
	serve_pool_decode(yaml(x->a, text), &pool);
	si.config_name = serve_pool_config(&pool, false);
	text = read_if(x->a,
		       str_fmt(x->a, "%s/machine-configs/%.*s.yaml", tree, STRF(si.config_name)).p);
	if (!text.p)
		return 404;
	si.mc = yaml(x->a, text);
	text = read_if(x->a, str_fmt(x->a,
				     "%s/controller-config/"
				     "machine-config-controller.yaml",
				     tree)
				     .p);
	if (!text.p)
		return 500;
	si.controller_config = yaml(x->a, text);
	si.kubeconfig = test_file(x->a, str_fmt(x->a, "%s/kubeconfig", tree).p);
	if (serve_check_kubeconfig(x->a, si.kubeconfig, &x->err) < 0)
		return 500;
	rc = read_certs(x, tree, &si);
	return rc ? rc : make(x, &si);
}

/* ---- the cluster --------------------------------------------------------- */

struct cluster {
	struct serve_objects all;
};

static void load_objects(struct exchange *x, struct cluster *c)
{
	struct str without = str_trim(read_if(x->a, in(x, "objects.without")));
	DIR *d = opendir(CASES "/cluster/objects");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct docs docs = { 0 };

		if (e->d_name[0] == '.' || str_is(without, e->d_name))
			continue;
		(void)docs_parse(
			x->a,
			test_file(x->a, str_fmt(x->a, CASES "/cluster/objects/%s", e->d_name).p),
			&docs, NULL, &x->err);
		for (size_t i = 0; i < docs.n; i++)
			VEC_PUSH(x->a, &c->all, docs.v[i].tree);
	}
	(void)closedir(d);
}

static struct serve_objects of_kind(struct exchange *x, struct cluster *c, const char *kind)
{
	struct serve_objects out = { 0 };

	for (size_t i = 0; i < c->all.n; i++)
		if (str_is(json_str(c->all.v[i], "kind"), kind))
			VEC_PUSH(x->a, &out, c->all.v[i]);
	return out;
}

static const struct json *get(struct exchange *x, struct cluster *c, const char *kind,
			      struct str name)
{
	struct serve_objects list = of_kind(x, c, kind);

	for (size_t i = 0; i < list.n; i++)
		if (str_eq(json_str(list.v[i], "metadata.name"), name))
			return list.v[i];
	return NULL;
}

static int from_cluster(struct exchange *x)
{
	struct cluster c = { 0 };
	struct serve_in si = { .cluster = true };
	struct serve_objects configs, builds, services, routes;
	const struct json *pool, *map;
	struct serve_pool decoded;
	struct strs hosts = { 0 };
	struct str ca;

	load_objects(x, &c);
	pool = get(x, &c, "MachineConfigPool", x->got.pool);
	if (!pool)
		return 500;
	serve_pool_decode(pool, &decoded);
	si.config_name = serve_pool_config(&decoded, true);
	si.mc = get(x, &c, "MachineConfig", si.config_name);
	si.controller_config = get(x, &c, "ControllerConfig", S("machine-config-controller"));
	if (!si.mc || !si.controller_config)
		return 500;
	configs = of_kind(x, &c, "MachineOSConfig");
	builds = of_kind(x, &c, "MachineOSBuild");
	services = of_kind(x, &c, "Service");
	routes = of_kind(x, &c, "Route");
	serve_registry_hosts(x->a, &services, &routes, &hosts);
	si.image = serve_layered_image(&decoded, &configs, &builds, &hosts);
	map = get(x, &c, "ConfigMap", S("kubeconfig-data"));
	map = json_member(json_at(map, "binaryData"), S("ca-bundle.crt"));
	ca = test_file(x->a, CASES "/cluster/bootstrap-token/ca.crt");
	if (map && base64_decode(x->a, json_text(map), &ca, &x->err) < 0)
		return 500;
	if (serve_make_kubeconfig(x->a, S("https://api-int.demo.example.test:6443"), ca,
				  test_file(x->a, CASES "/cluster/bootstrap-token/token"),
				  &si.kubeconfig, &x->err) < 0)
		return 500;
	return make(x, &si);
}

/* ---- comparing ----------------------------------------------------------- */

static struct str headers(struct exchange *x)
{
	struct buf b;

	buf_init(&b, x->a);
	buf_addf(&b, "Content-Length: %zu\n", x->got.body.n);
	if (x->got.type.n)
		buf_addf(&b, "Content-Type: %.*s\n", STRF(x->got.type));
	return buf_str(&b);
}

static bool run_case(const char *dir, bool cluster)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct exchange x = { .a = &a, .dir = dir, .err = ERR_INIT(&a) };
	struct str status;
	bool same;

	read_request(&x);
	serve_route(&a, &x.req, &x.got);
	if (!x.got.status)
		x.got.status = cluster ? from_cluster(&x) : from_files(&x);
	status = str_fmt(&a, "%d", x.got.status);
	same = test_same(dir, str_trim(test_file(&a, in(&x, "expected.status"))), status);
	if (!same)
		(void)printf("  %.*s\n", STRF(x.err.msg));
	same &= test_same(dir, test_file(&a, in(&x, "expected.headers")), headers(&x));
	if (!str_is(x.req.method, "HEAD"))
		same &= test_same(dir, test_file(&a, in(&x, "expected.body")), x.got.body);
	return same;
}

static int is_case(const struct dirent *e)
{
	return e->d_name[0] >= '0' && e->d_name[0] <= '9';
}

static int run_dir(const char *dir, bool cluster, int *run)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_case, alphasort), bad = 0;

	for (int i = 0; i < n; i++) {
		bad += !run_case(str_fmt(&a, "%s/%s", dir, list[i]->d_name).p, cluster);
		free(list[i]);
		(*run)++;
	}
	free(list);
	return bad;
}

TEST golden_cases(void)
{
	int run = 0, bad;

	if (access(CASES, R_OK) < 0)
		FAILm("no " CASES);
	bad = run_dir(CASES, false, &run);
	bad += run_dir(CASES "/cluster", true, &run);
	(void)printf("%d golden cases, %d differ\n", run, bad);
	ASSERT_INT(0, bad);
	ASSERT(run >= 64);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_cases);
}

TEST_MAIN(suite)
