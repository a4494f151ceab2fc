/*
 * Configs from the objects of a cluster, followed by list and watch. Objects are kept as text and
 * parsed only when an answer is made. A missing object is an error (500), never a 404.
 */
#include <stdlib.h>

#include "base/codec.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "kube/cache.h"
#include "mc/api.h"
#include "server_origin.h"
#include "server_pools.h"
#include "server_registry.h"

#define WAITS_MS 2000

enum { CONTROLLER, OS_CONFIGS, OS_BUILDS, BUNDLE, KINDS };

static const struct {
	const char *path, *what, *query;
} kinds[KINDS] = {
	{ PATH_MC "controllerconfigs", "controllerconfigs", "" },
	{ PATH_MC "machineosconfigs", "machineosconfigs", "" },
	{ PATH_MC "machineosbuilds", "machineosbuilds", "" },
	{ PATH_CORE "namespaces/" NS_MCO "/configmaps", "configmaps",
	  "fieldSelector=metadata.name%3Dkubeconfig-data" },
};

struct cluster {
	struct cluster_origin *origin;
	int64_t began;
	struct kube *kube;
	struct pools *pools;
	struct kube_cache *caches[KINDS];
	struct registry *registry;
	struct arena a;
	struct str ca; /* the last one seen, kept when the ConfigMap is deleted */
	bool has_ca;
};

/* ---- objects ------------------------------------------------------------- */

static int not_found(const char *what, struct str name, struct err *err)
{
	return err_set(err, ERR_INVALID, "%s." GROUP_MC " \"%.*s\" not found", what, STRF(name));
}

static void all(struct cluster *c, struct arena *a, int kind, struct serve_objects *out)
{
	struct err ignored = ERR_INIT(a);
	struct kube_item *const *v;
	size_t n = kube_cache_all(c->caches[kind], &v);

	for (size_t i = 0; i < n; i++) {
		struct json *tree;

		if (text_parse(a, v[i]->value, &tree, &ignored) == 0)
			VEC_PUSH(a, out, tree);
	}
}

static void outdated(void *ctx)
{
	struct cluster *c = ctx;

	c->origin->origin.generation++;
}

static void changed(void *ctx, struct str key, const void *before, const void *now)
{
	(void)key;
	(void)before;
	(void)now;
	outdated(ctx);
}

/* ---- layered images ------------------------------------------------------ */

static bool layered(const struct cluster *c)
{
	struct kube_item *const *v;

	return kube_cache_all(c->caches[OS_CONFIGS], &v) > 0;
}

/* The image may be from another registry now: do not wait for the next poll. */
static void os_changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct cluster *c = ctx;

	changed(ctx, key, before, now);
	registry_follow(c->registry, layered(c));
}

static struct str image_of(struct cluster *c, struct arena *a, const struct serve_pool *pool)
{
	struct serve_objects configs = { 0 }, builds = { 0 };
	struct strs hosts = { 0 };

	if (!registry_hosts(c->registry, a, &hosts))
		return S("");
	all(c, a, OS_CONFIGS, &configs);
	all(c, a, OS_BUILDS, &builds);
	return serve_layered_image(pool, &configs, &builds, &hosts);
}

/* ---- the kubeconfig ------------------------------------------------------ */

static void look_for_ca(struct cluster *c, struct arena *a)
{
	const struct text *t = kube_cache_get(c->caches[BUNDLE], S(NS_MCO "/kubeconfig-data"));
	struct err err = ERR_INIT(a);
	struct json *tree = NULL, *data;
	struct str ca;

	if (!t) {
		log_again(LOG_ERROR, S("kubeconfig-data"),
			  "Could not get kubeconfig data: configmap "
			  "\"kubeconfig-data\" not found");
		return;
	}
	(void)text_parse(a, t, &tree, &err);
	data = json_member(json_at(tree, "binaryData"), S("ca-bundle.crt"));
	if (!data || base64_decode(a, json_text(data), &ca, &err) < 0 ||
	    (c->has_ca && str_eq(ca, c->ca)))
		return;
	arena_free(&c->a);
	c->ca = str_dup(&c->a, ca);
	c->has_ca = true;
}

static int read_secret(struct cluster *c, struct arena *a, const char *name, struct depends *files,
		       struct str *out, struct err *err)
{
	const char *path = str_fmt(a, "%.*s/%s", STRF(c->origin->token_dir), name).p;

	if (origin_read(a, path, files, out, err) == 0)
		return 0;
	err->code = ERR_SYS; /* not a 404 when it is missing */
	return err_wrap(err, "failed to read %s", path);
}

static int make_kubeconfig(struct cluster *c, struct arena *a, struct depends *files,
			   struct str *out, struct err *err)
{
	struct str ca, token;
	int rc = 0;

	look_for_ca(c, a);
	if (c->has_ca)
		ca = c->ca;
	else
		rc = read_secret(c, a, "ca.crt", files, &ca, err);
	if (rc == 0)
		rc = read_secret(c, a, "token", files, &token, err);
	if (rc < 0)
		return rc;
	return serve_make_kubeconfig(a, c->origin->url, ca, token, out, err);
}

/* ---- the origin ---------------------------------------------------------- */

static int check(struct origin *o, struct str pool, struct err *err)
{
	(void)o;
	(void)pool;
	(void)err;
	return 0;
}

static int load(struct origin *o, struct arena *a, struct str name, struct serve_in *in,
		struct depends *files, struct err *err)
{
	struct cluster *c = ((struct cluster_origin *)o)->live;
	const struct serve_pool *pool = pools_get(c->pools, name);
	const struct text *t;
	struct json *tree;
	int rc;

	if (!pool) {
		(void)not_found("machineconfigpool", name, err);
		return err_wrap(err, "could not fetch pool. err");
	}
	in->cluster = true;
	in->config_name = serve_pool_config(pool, true);
	t = pools_config(c->pools, in->config_name);
	rc = t ? text_parse(a, t, &tree, err) : not_found("machineconfig", in->config_name, err);
	if (rc < 0)
		return err_wrap(err, "could not fetch config %.*s, err", STRF(in->config_name));
	in->mc = tree;
	t = kube_cache_get(c->caches[CONTROLLER], S(NAME_CONTROLLER));
	rc = t ? text_parse(a, t, &tree, err)
	       : not_found("controllerconfig", S(NAME_CONTROLLER), err);
	if (rc < 0)
		return err_wrap(err, "could not get controllerconfig");
	in->controller_config = tree;
	in->image = image_of(c, a, pool);
	return make_kubeconfig(c, a, files, &in->kubeconfig, err);
}

static int start(struct origin *o, struct loop *l, struct err *err)
{
	struct cluster_origin *origin = (struct cluster_origin *)o;
	struct kube_opts opts = { .loop = l, .conf = origin->conf, .agent = NAME_SERVER };
	struct cluster *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	if (kube_new(&opts, &c->kube, err) < 0) {
		origin->refused = true;
		free(c);
		return -(int)err->code;
	}
	origin->live = c;
	c->origin = origin;
	c->began = clock_ms();
	c->registry = registry_new(c->kube, outdated, c);
	c->pools = pools_start(c->kube, outdated, c);
	for (int i = 0; i < KINDS; i++) {
		struct kube_cache_opts k = { .kube = c->kube,
					     .path = kinds[i].path,
					     .what = kinds[i].what,
					     .query = str_of(kinds[i].query),
					     .make = text_make,
					     .changed = changed,
					     .ctx = c };

		if (i == OS_CONFIGS || i == OS_BUILDS)
			k.changed = os_changed;
		c->caches[i] = kube_cache_start(&k);
	}
	return 0;
}

/* Only when it takes longer than a start normally does. */
static void log_wait(const struct cluster *c, const char *path)
{
	if (clock_ms() - c->began > WAITS_MS && log_due(LOG_INFO, str_of(path), S("")))
		log_info("waiting for the response to GET %s", path);
}

static bool ready(const struct origin *o)
{
	const struct cluster *c = ((const struct cluster_origin *)o)->live;

	const char *path = pools_waits_for(c->pools);

	for (size_t i = 0; !path && i < KINDS; i++)
		if (!kube_cache_synced(c->caches[i]))
			path = kinds[i].path;
	if (path) {
		log_wait(c, path);
		return false;
	}
	return !layered(c) || registry_asked(c->registry);
}

static void stop(struct origin *o)
{
	struct cluster_origin *origin = (struct cluster_origin *)o;
	struct cluster *c = origin->live;

	if (!c)
		return;
	for (size_t i = 0; i < KINDS; i++)
		kube_cache_free(c->caches[i]);
	pools_free(c->pools);
	registry_free(c->registry);
	kube_free(c->kube);
	arena_free(&c->a);
	free(c);
	origin->live = NULL;
}

void cluster_origin_init(struct cluster_origin *c)
{
	c->origin = (struct origin){
		.check = check, .load = load, .start = start, .ready = ready, .stop = stop
	};
}
