/*
 * One kube_cache per name. Its first list is read from etcd: a pool's event may be newer than
 * the watch cache of MachineConfigs, and a config that exists would seem to be missing. When the
 * API server is unavailable, the caches keep what they have and retry.
 */
#include "server_configs.h"

#include <stdlib.h>

#include "kube/cache.h"
#include "mc/api.h"

struct config {
	struct config *next;
	struct arena a; /* name and query */
	struct str name;
	struct kube_cache *cache;
	bool wanted;
};

struct configs {
	struct kube *kube;
	void (*changed)(void *ctx);
	void *ctx;
	struct config *first;
};

static struct config *find(const struct configs *c, struct str name)
{
	struct config *f = c->first;

	while (f && !str_eq(f->name, name))
		f = f->next;
	return f;
}

static void on_changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct configs *c = ctx;

	(void)key;
	(void)before;
	(void)now;
	c->changed(c->ctx);
}

static void on_synced(void *ctx)
{
	struct configs *c = ctx;

	c->changed(c->ctx);
}

static void add(struct configs *c, struct str name)
{
	struct config *f = calloc(1, sizeof(*f));
	struct kube_cache_opts o = { .kube = c->kube,
				     .path = PATH_MC "machineconfigs",
				     .what = "machineconfigs",
				     .make = text_make,
				     .changed = on_changed,
				     .synced = on_synced,
				     .ctx = c,
				     .fresh = true };
	struct buf b;

	if (!f)
		abort();
	f->name = str_dup(&f->a, name);
	buf_init(&b, &f->a);
	buf_addz(&b, "fieldSelector=metadata.name%3D");
	kube_escape(&b, f->name);
	o.query = buf_str(&b);
	f->wanted = true;
	f->next = c->first;
	c->first = f;
	f->cache = kube_cache_start(&o);
}

static void drop(struct config *f)
{
	kube_cache_free(f->cache);
	arena_free(&f->a);
	free(f);
}

void configs_follow(struct configs *c, const struct strs *names)
{
	struct config **at = &c->first;

	for (struct config *f = c->first; f; f = f->next)
		f->wanted = false;
	for (size_t i = 0; i < names->n; i++) {
		struct config *f = find(c, names->v[i]);

		if (f)
			f->wanted = true;
		else
			add(c, names->v[i]);
	}
	while (*at) {
		struct config *f = *at;

		if (f->wanted) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		drop(f);
	}
}

bool configs_known(const struct configs *c, struct str name)
{
	const struct config *f = find(c, name);

	return f && kube_cache_synced(f->cache);
}

const struct text *configs_get(const struct configs *c, struct str name)
{
	const struct config *f = find(c, name);

	return f ? kube_cache_get(f->cache, name) : NULL;
}

struct configs *configs_new(struct kube *k, void (*changed)(void *ctx), void *ctx)
{
	struct configs *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	*c = (struct configs){ .kube = k, .changed = changed, .ctx = ctx };
	return c;
}

void configs_free(struct configs *c)
{
	if (!c)
		return;
	configs_follow(c, &(struct strs){ 0 });
	free(c);
}
