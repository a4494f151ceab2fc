/*
 * Starts the caches of a table of kinds and tracks which are known. A watch does not
 * move: caches and requests hold pointers to it.
 */
#include "kube/watch_set.h"

#include "io/log.h"

static const char *path_of(const struct kube_watch *w)
{
	return w->set->kinds[w->kind].path;
}

static void on_synced(void *ctx)
{
	struct kube_watch *w = ctx;

	kube_discovery_found(&w->discovery);
	log_v(4, "watching %s", path_of(w));
	w->set->known(w);
}

static void on_absent(void *ctx)
{
	struct kube_watch *w = ctx;

	kube_discovery_ask(&w->discovery);
}

static void on_lacks(void *ctx)
{
	struct kube_watch *w = ctx;

	w->set->known(w);
}

static void start(struct kube_watch *w)
{
	struct kube_watch_set *s = w->set;
	const struct kube_watch_kind *k = &s->kinds[w->kind];
	struct kube_cache_opts o = {
		.kube = s->kube,
		.path = k->path,
		.what = k->path,
		.query = k->query ? str_of(k->query) : S(""),
		.make = k->make ? k->make : s->make,
		.drop = k->make ? k->drop : s->drop,
		.changed = s->changed,
		.synced = on_synced,
		.absent = str_starts(str_of(k->path), S("/apis/")) ? on_absent : NULL,
		.index = k->index,
		.resync_ms = s->resync_ms,
		.fresh = k->fresh,
		.ctx = w,
	};

	w->discovery = (struct kube_discovery){
		.kube = s->kube, .path = k->path, .lacks = on_lacks, .ctx = w
	};
	w->cache = kube_cache_start(&o);
}

void kube_watch_set_start(struct kube_watch_set *s, const struct mc_gates *gates)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct kube_watch_kind *k = &s->kinds[i];

		if (k->early != !gates)
			continue;
		s->watches[i] = (struct kube_watch){ .set = s, .kind = i };
		if (!k->gate || mc_gate(gates, k->gate))
			start(&s->watches[i]);
	}
}

void kube_watch_set_free(struct kube_watch_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct kube_watch *w = &s->watches[i];

		if (w->cache) {
			kube_cache_free(w->cache);
			kube_discovery_end(&w->discovery);
		}
		*w = (struct kube_watch){ 0 };
	}
}

bool kube_watch_known(const struct kube_watch *w)
{
	return w->cache && (w->discovery.absent || kube_cache_synced(w->cache));
}

bool kube_watch_set_known(const struct kube_watch_set *s, struct buf *b)
{
	bool all = true;

	for (size_t i = 0; i < s->n; i++) {
		const struct kube_watch *w = &s->watches[i];

		if (!w->cache || kube_watch_known(w))
			continue;
		buf_addf(b, "%s%s", b->n ? ", " : "", path_of(w));
		all = false;
	}
	return all;
}

struct kube_cache *kube_watch_set_cache(const struct kube_watch_set *s, struct str path)
{
	for (size_t i = 0; i < s->n; i++) {
		struct str p = str_of(s->kinds[i].path);

		if (s->watches[i].cache && str_starts(path, p) &&
		    (path.n == p.n || path.p[p.n] == '/'))
			return s->watches[i].cache;
	}
	return NULL;
}
