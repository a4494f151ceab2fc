/*
 * Configs from the objects of a cluster, followed by list and watch. Objects are
 * kept as text: they are looked into only when an answer has to be made anew.
 */
#include <stdlib.h>

#include "base/codec.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "kube/cache.h"
#include "mc/api.h"
#include "server_origin.h"

#define WAITS_MS 2000
#define REGISTRY_MS 15000 /* between looks at its hosts */

enum { POOLS, CONFIGS, CONTROLLER, OS_CONFIGS, OS_BUILDS, BUNDLE, KINDS };

static const struct {
	const char *path, *what, *query;
} kinds[KINDS] = {
	{ PATH_MC "machineconfigpools", "machineconfigpools", "" },
	{ PATH_MC "machineconfigs", "machineconfigs", "" },
	{ PATH_MC "controllerconfigs", "controllerconfigs", "" },
	{ PATH_MC "machineosconfigs", "machineosconfigs", "" },
	{ PATH_MC "machineosbuilds", "machineosbuilds", "" },
	{ PATH_CORE "namespaces/" NS_MCO "/configmaps", "configmaps",
	  "fieldSelector=metadata.name%3Dkubeconfig-data" },
};

static const char *const registry_paths[2] = {
	PATH_CORE "namespaces/" NS_IMAGE_REGISTRY "/services",
	PATH_ROUTE "namespaces/" NS_IMAGE_REGISTRY "/routes",
};

/* Services or Routes of the registry. They may be listed, not watched. */
struct hosts {
	struct cluster *cluster;
	struct kube_call call;
	bool busy, asked, known;
	struct arena a;
	struct strs names;
};

struct cluster {
	struct cluster_origin *origin;
	struct loop *loop;
	int64_t began;
	struct kube *kube;
	struct kube_cache *caches[KINDS];
	struct hosts hosts[2]; /* as registry_paths */
	struct source timer;
	struct arena a;
	struct str ca; /* once seen it stays in use */
	bool has_ca;
};

/* ---- objects ------------------------------------------------------------- */

struct text {
	size_t n;
	char p[];
};

static void *text_make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct text *t;
	struct buf b;

	(void)ctx;
	buf_init(&b, &a);
	json_encode(&b, tree, JSON_NO_HTML);
	t = malloc(sizeof(*t) + b.n);
	if (!t)
		abort();
	t->n = b.n;
	memcpy(t->p, b.p, b.n);
	return t;
}

static int tree_of(struct arena *a, const struct text *t, struct json **out, struct err *err)
{
	return json_parse(a, (struct str){ t->p, t->n }, NULL, out, err);
}

/* What is missing is an error here, never a 404. */
static int find(struct cluster *c, struct arena *a, int kind, struct str name, struct json **out,
		struct err *err)
{
	const struct text *t = kube_cache_get(c->caches[kind], name);
	struct str what = str_of(kinds[kind].what);

	if (!t)
		return err_set(err, ERR_INVALID,
			       "%.*s." GROUP_MC " "
			       "\"%.*s\" not found",
			       STRF(str_sub(what, 0, what.n - 1)), STRF(name));
	return tree_of(a, t, out, err);
}

static void all(struct cluster *c, struct arena *a, int kind, struct serve_objects *out)
{
	struct err ignored = ERR_INIT(a);
	struct kube_item *const *v;
	size_t n = kube_cache_all(c->caches[kind], &v);

	for (size_t i = 0; i < n; i++) {
		struct json *tree;

		if (tree_of(a, v[i]->value, &tree, &ignored) == 0)
			VEC_PUSH(a, out, tree);
	}
}

static void changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct cluster *c = ctx;

	(void)key;
	(void)before;
	(void)now;
	c->origin->origin.generation++;
}

/* ---- the registry's hosts ------------------------------------------------ */

static bool same(const struct strs *x, const struct strs *y)
{
	size_t i = 0;

	while (i < x->n && i < y->n && str_eq(x->v[i], y->v[i]))
		i++;
	return i == x->n && i == y->n;
}

static void set_hosts(struct hosts *h, const struct json *list)
{
	struct serve_objects items = { 0 }, none = { 0 };
	const struct json *j = json_first(json_at(list, "items"));
	AUTO(arena) struct arena a = ARENA_INIT;
	struct strs names = { 0 };
	bool services = h == &h->cluster->hosts[0];

	for (; j; j = json_next(j))
		VEC_PUSH(&a, &items, j);
	serve_registry_hosts(&a, services ? &items : &none, services ? &none : &items, &names);
	if (h->known && same(&names, &h->names))
		return;
	arena_free(&h->a);
	h->names = (struct strs){ 0 };
	for (size_t i = 0; i < names.n; i++)
		VEC_PUSH(&h->a, &h->names, str_dup(&h->a, names.v[i]));
	h->known = true;
	h->cluster->origin->origin.generation++;
}

static void listed(struct kube_call *call, const struct kube_answer *ans)
{
	struct hosts *h = call->ctx;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *list;

	h->busy = false;
	h->asked = true;
	if (ans->rc == 0 && json_parse(&a, ans->body, NULL, &list, &err) == 0) {
		if (log_over(call->path))
			log_info("%.*s are listed", STRF(call->path));
		set_hosts(h, list);
		return;
	}
	log_again(LOG_ERROR, call->path,
		  "no layered image is served until %.*s can be listed: %.*s", STRF(call->path),
		  STRF(ans->rc ? ans->message : err.msg));
	if (h->known)
		h->cluster->origin->origin.generation++;
	h->known = false;
}

static bool layered(const struct cluster *c)
{
	struct kube_item *const *v;

	return kube_cache_all(c->caches[OS_CONFIGS], &v) > 0;
}

static void on_timer(struct source *s, short events)
{
	struct cluster *c = s->ctx;

	(void)events;
	s->due = loop_now(c->loop) + REGISTRY_MS;
	for (size_t i = 0; layered(c) && i < 2; i++) {
		struct hosts *h = &c->hosts[i];

		if (h->busy)
			continue;
		h->busy = true;
		h->call = (struct kube_call){
			.method = "GET", .path = str_of(registry_paths[i]), .done = listed, .ctx = h
		};
		kube_start(c->kube, &h->call);
	}
}

/* Whose image it is may be news: not made to wait for the next look. */
static void os_changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct cluster *c = ctx;

	changed(ctx, key, before, now);
	c->timer.due = loop_now(c->loop);
	loop_update(c->loop, &c->timer);
}

static struct str image_of(struct cluster *c, struct arena *a, const struct json *pool)
{
	struct serve_objects configs = { 0 }, builds = { 0 };
	struct strs hosts = { 0 };

	if (!c->hosts[0].known || !c->hosts[1].known)
		return S("");
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < c->hosts[i].names.n; k++)
			VEC_PUSH(a, &hosts, c->hosts[i].names.v[k]);
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
	(void)tree_of(a, t, &tree, &err);
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
	err->code = ERR_SYS; /* one that is missing, too */
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
	struct json *pool, *tree;

	if (find(c, a, POOLS, name, &pool, err) < 0)
		return err_wrap(err, "could not fetch pool. err");
	in->cluster = true;
	in->config_name = serve_pool_config(pool, true);
	if (find(c, a, CONFIGS, in->config_name, &tree, err) < 0)
		return err_wrap(err, "could not fetch config %.*s, err", STRF(in->config_name));
	in->mc = tree;
	if (find(c, a, CONTROLLER, S(NAME_CONTROLLER), &tree, err) < 0)
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
	c->loop = l;
	c->began = clock_ms();
	c->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = c };
	loop_add(l, &c->timer);
	for (size_t i = 0; i < 2; i++)
		c->hosts[i].cluster = c;
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

/* Not in every start, only when it takes longer than a start normally does. */
static void log_wait(const struct cluster *c, const char *path)
{
	if (clock_ms() - c->began > WAITS_MS && log_due(LOG_INFO, str_of(path), S("")))
		log_info("waiting for the server's answer to GET %s", path);
}

static bool ready(const struct origin *o)
{
	const struct cluster *c = ((const struct cluster_origin *)o)->live;

	for (size_t i = 0; i < KINDS; i++)
		if (!kube_cache_synced(c->caches[i])) {
			log_wait(c, kinds[i].path);
			return false;
		}
	return !layered(c) || (c->hosts[0].asked && c->hosts[1].asked);
}

static void stop(struct origin *o)
{
	struct cluster_origin *origin = (struct cluster_origin *)o;
	struct cluster *c = origin->live;

	if (!c)
		return;
	for (size_t i = 0; i < KINDS; i++)
		kube_cache_free(c->caches[i]);
	for (size_t i = 0; i < 2; i++) {
		if (c->hosts[i].busy)
			kube_cancel(&c->hosts[i].call);
		arena_free(&c->hosts[i].a);
	}
	loop_remove(c->loop, &c->timer);
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
