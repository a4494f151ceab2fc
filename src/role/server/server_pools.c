/*
 * The cache has the pools as the API has them, `served` as they are served. settle() brings them
 * together, once per turn of the loop: it is never called within a callback of a cache, because
 * it starts and frees caches.
 *
 * Both configs of a pool are followed, that of the spec and that of the status: which one is
 * served changes with the first updated machine, and by then both have been read.
 */
#include "server_pools.h"

#include <stdlib.h>

#include "kube/cache.h"
#include "mc/api.h"
#include "server_configs.h"

#define POOLS PATH_MC "machineconfigpools"

/* One allocation, with the strings behind it. */
struct pool {
	struct serve_pool v;
	char text[];
};

struct pools {
	struct kube *kube;
	void (*changed)(void *ctx);
	void *ctx;
	struct kube_cache *cache; /* of struct pool */
	struct configs *configs;
	struct arena a; /* of the array */
	VEC(struct pool *) served;
	struct source timer;
};

/* ---- values -------------------------------------------------------------- */

static struct str put(char **at, struct str s)
{
	struct str out = { *at, s.n };

	if (s.n)
		memcpy(*at, s.p, s.n);
	*at += s.n;
	return out;
}

static struct pool *copy(const struct serve_pool *v)
{
	struct pool *p = malloc(sizeof(*p) + v->name.n + v->spec_config.n + v->status_config.n);
	char *at;

	if (!p)
		abort();
	at = p->text;
	p->v = *v;
	p->v.name = put(&at, v->name);
	p->v.spec_config = put(&at, v->spec_config);
	p->v.status_config = put(&at, v->status_config);
	return p;
}

static void *make(const struct json *tree, void *ctx)
{
	struct serve_pool v;

	(void)ctx;
	serve_pool_decode(tree, &v);
	return copy(&v);
}

/* ---- what is served ------------------------------------------------------ */

static struct pool **find(const struct pools *p, struct str name)
{
	for (size_t i = 0; i < p->served.n; i++)
		if (str_eq(p->served.v[i]->v.name, name))
			return &p->served.v[i];
	return NULL;
}

/* Whether a pool can be served with the configs that are known. */
static bool can_serve(const struct pools *p, const struct serve_pool *v)
{
	struct str name = serve_pool_config(v, true);

	return !name.n || configs_known(p->configs, name);
}

static void forget_deleted(struct pools *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->served.n; i++)
		if (kube_cache_get(p->cache, p->served.v[i]->v.name))
			p->served.v[n++] = p->served.v[i];
		else
			free(p->served.v[i]);
	if (n != p->served.n)
		p->changed(p->ctx);
	p->served.n = n;
}

static void serve_current(struct pools *p)
{
	struct kube_item *const *v;
	size_t n = kube_cache_all(p->cache, &v);

	for (size_t i = 0; i < n; i++) {
		const struct pool *now = v[i]->value;
		struct pool **old = find(p, now->v.name);

		if ((old && serve_pool_eq(&(*old)->v, &now->v)) || !can_serve(p, &now->v))
			continue;
		if (old) {
			free(*old);
			*old = copy(&now->v);
		} else {
			VEC_PUSH(&p->a, &p->served, copy(&now->v));
		}
		p->changed(p->ctx);
	}
}

static void add_names(struct arena *a, const struct serve_pool *v, struct strs *out)
{
	if (v->spec_config.n)
		VEC_PUSH(a, out, v->spec_config);
	if (v->status_config.n)
		VEC_PUSH(a, out, v->status_config);
}

static void settle(struct pools *p)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct kube_item *const *v;
	struct strs names = { 0 };
	size_t n;

	forget_deleted(p);
	serve_current(p);
	n = kube_cache_all(p->cache, &v);
	for (size_t i = 0; i < n; i++)
		add_names(&a, &((const struct pool *)v[i]->value)->v, &names);
	for (size_t i = 0; i < p->served.n; i++)
		add_names(&a, &p->served.v[i]->v, &names);
	configs_follow(p->configs, &names);
}

/* ---- callbacks ----------------------------------------------------------- */

static void on_timer(struct source *s, short events)
{
	(void)events;
	s->due = 0;
	settle(s->ctx);
}

static void settle_soon(struct pools *p)
{
	struct loop *l = kube_loop(p->kube);

	p->timer.due = loop_now(l);
	loop_update(l, &p->timer);
}

static void pool_changed(void *ctx, struct str key, const void *before, const void *now)
{
	(void)key;
	(void)before;
	(void)now;
	settle_soon(ctx);
}

static void config_changed(void *ctx)
{
	struct pools *p = ctx;

	p->changed(p->ctx);
	settle_soon(p);
}

/* ---- outside ------------------------------------------------------------- */

struct pools *pools_start(struct kube *k, void (*changed)(void *ctx), void *ctx)
{
	struct pools *p = calloc(1, sizeof(*p));
	struct kube_cache_opts o = { .kube = k,
				     .path = POOLS,
				     .what = "machineconfigpools",
				     .make = make,
				     .changed = pool_changed,
				     .ctx = p };

	if (!p)
		abort();
	p->kube = k;
	p->changed = changed;
	p->ctx = ctx;
	p->configs = configs_new(k, config_changed, p);
	p->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = p };
	loop_add(kube_loop(k), &p->timer);
	p->cache = kube_cache_start(&o);
	return p;
}

void pools_free(struct pools *p)
{
	if (!p)
		return;
	loop_remove(kube_loop(p->kube), &p->timer);
	kube_cache_free(p->cache);
	configs_free(p->configs);
	for (size_t i = 0; i < p->served.n; i++)
		free(p->served.v[i]);
	arena_free(&p->a);
	free(p);
}

const char *pools_waits_for(const struct pools *p)
{
	struct kube_item *const *v;
	size_t n = kube_cache_all(p->cache, &v);

	if (!kube_cache_synced(p->cache))
		return POOLS;
	for (size_t i = 0; i < n; i++)
		if (!find(p, ((const struct pool *)v[i]->value)->v.name))
			return PATH_MC "machineconfigs";
	return NULL;
}

const struct serve_pool *pools_get(const struct pools *p, struct str name)
{
	struct pool **found = find(p, name);

	return found ? &(*found)->v : NULL;
}

const struct text *pools_config(const struct pools *p, struct str name)
{
	return configs_get(p->configs, name);
}
