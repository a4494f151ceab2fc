/*
 * The table of the lists that the operator watches, and the view of their caches.
 *
 * An object is parsed when a pass first reads it. The tree is in the arena of the pass, so the
 * actions of the pass may point into it while the cache changes.
 */
#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "io/version.h"
#include "operator_state.h"

#define IMAGES_MAX ((size_t)1 << 20)

/* What is absent from these is deleted elsewhere: MachineConfigNodes, pre-built MachineConfigs, the
 * os-builder. A list from an API server that lags behind would delete those of new objects. */
#define DECIDES(kind) ((kind) == OPERATOR_NODES || (kind) == OPERATOR_OS_CONFIGS)

static const struct kube_watch_kind kinds[OPERATOR_KINDS] = {
#define K(name, list, selector, needs)                                                 \
	[OPERATOR_##name] = { .path = (list),                                          \
			      .query = (selector),                                     \
			      .gate = sizeof(needs) > 1 ? (needs) : NULL,              \
			      .fresh = DECIDES(OPERATOR_##name),                       \
			      .early = OPERATOR_##name == OPERATOR_CLUSTER_VERSIONS || \
				       OPERATOR_##name == OPERATOR_FEATURE_GATES },
#include "plan/operator_kinds.def"
#undef K
};

/* ---- the view ------------------------------------------------------------ */

static const struct json *parse(struct op_role *op, struct arena *a, struct kept_object *o)
{
	struct err err = ERR_INIT(a);
	struct str version;

	if (!o)
		return NULL;
	if (o->pass == op->passes)
		return o->tree;
	o->pass = op->passes;
	o->tree = NULL;
	if (json_parse(a, str_dup(a, o->text), NULL, &o->tree, &err) < 0)
		return NULL;
	version = str_fmt(a, "%llu", (unsigned long long)o->version);
	json_set(json_make(a, o->tree, "metadata"), S("resourceVersion"), json_new_str(a, version));
	return o->tree;
}

/* The key of a name in a cache: "namespace/name" where the list is of a namespace. */
static struct str key_of(struct arena *a, enum operator_kind kind, struct str name)
{
	const struct str mark = S("/namespaces/");
	struct str path = str_of(kinds[kind].path), ns, plural;
	ptrdiff_t at = str_find(path, mark);

	if (at < 0 || !str_cut(str_from(path, (size_t)at + mark.n), '/', &ns, &plural))
		return name;
	return str_fmt(a, "%.*s/%.*s", STRF(ns), STRF(name));
}

static const struct json *view_get(const struct operator_view *in, enum operator_kind kind,
				   struct str name)
{
	struct op_role *op = in->ctx;
	const struct kube_cache *cache = op->watches[kind].cache;

	return cache ? parse(op, op->a, kube_cache_get(cache, key_of(op->a, kind, name))) : NULL;
}

static size_t view_list(const struct operator_view *in, enum operator_kind kind, struct arena *a,
			const struct json *const **out)
{
	struct op_role *op = in->ctx;
	const struct kube_cache *cache = op->watches[kind].cache;
	struct kube_item *const *v;
	size_t n = cache ? kube_cache_all(cache, &v) : 0;
	const struct json **list = arena_array(a, n, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = parse(op, op->a, v[i]->value);
	*out = list;
	return n;
}

static bool view_served(const struct operator_view *in, enum operator_kind kind)
{
	const struct op_role *op = in->ctx;
	const struct kube_watch *w = &op->watches[kind];

	return w->cache && kube_cache_synced(w->cache);
}

struct operator_view operator_look(struct op_role *op, struct arena *a)
{
	struct operator_view in = { .get = view_get,
				    .list = view_list,
				    .served = view_served,
				    .ctx = op,
				    .now = clock_wall(),
				    .clock_ms = clock_ms() * op->scale,
				    .raw = str_of(version_raw()),
				    .hash = str_of(version_hash()),
				    .release = op->o->release,
				    .image = op->o->image,
				    .gates = op->gates.names,
				    .bring_up = op->bring_up,
				    .standalone = op->o->standalone,
				    .api_url = op->o->api_url,
				    .service_network = op->o->service_network,
				    .cluster_dns = op->o->cluster_dns,
				    .base_domain = op->o->base_domain,
				    .root_ca = op->o->root_ca,
				    .images = op->o->images_text };
	struct err err = ERR_INIT(a);

	op->passes++;
	op->a = a;
	if (!in.images.n && file_read(a, op->o->images, IMAGES_MAX, &in.images, &err) < 0)
		in.images_error = err.msg;
	return in;
}

const struct json *operator_known(const struct op_role *op, enum operator_kind kind,
				  const char *name, struct arena *a)
{
	const struct kube_cache *cache = op->watches[kind].cache;
	const struct kept_object *o = cache ? kube_cache_get(cache, str_of(name)) : NULL;
	struct err err = ERR_INIT(a);
	struct json *tree = NULL;

	if (o)
		(void)json_parse(a, str_dup(a, o->text), NULL, &tree, &err);
	return tree;
}

struct kube_cache *operator_cache(void *ctx, struct str path)
{
	const struct op_role *op = ctx;

	return kube_watch_set_cache(&op->set, path);
}

/* ---- changes ------------------------------------------------------------- */

/* The ControllerConfig embeds these with their resourceVersion. */
static bool is_embedded(size_t kind)
{
	return kind == OPERATOR_INFRASTRUCTURES || kind == OPERATOR_DNSES;
}

static void on_changed(void *ctx, struct str key, const void *before, const void *now)
{
	const struct kube_watch *w = ctx;
	const struct kept_object *x = before, *y = now;
	struct op_role *op = w->set->ctx;

	if (kinds[w->kind].early)
		operator_gates(op);
	if (!op->running ||
	    (x && y && x->text.n == y->text.n && !memcmp(x->text.p, y->text.p, x->text.n) &&
	     (!is_embedded(w->kind) || x->version == y->version)))
		return;
	log_v(4, "%s: %.*s has changed", kinds[w->kind].path, STRF(key));
	operator_queue(op, op->rest);
}

static void on_known(struct kube_watch *w)
{
	struct op_role *op = w->set->ctx;

	if (kinds[w->kind].early)
		operator_gates(op);
	operator_ready(op);
	if (op->running)
		operator_queue(op, 0);
}

void operator_watch(struct op_role *op, bool early)
{
	struct mc_gates gates = op->gates.names;

	if (op->o->standalone)
		VEC_PUSH(&op->kept, &gates.enabled, S(OPERATOR_STANDALONE));
	if (early)
		op->set = (struct kube_watch_set){ .kube = op->kube,
						   .kinds = kinds,
						   .watches = op->watches,
						   .n = OPERATOR_KINDS,
						   .make = operator_make,
						   .changed = on_changed,
						   .known = on_known,
						   .ctx = op };
	kube_watch_set_start(&op->set, early ? NULL : &gates);
	op->watching = !early;
}

void operator_ready(struct op_role *op)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf missing;

	buf_init(&missing, &a);
	if (op->running || !op->watching || !op->crd_known ||
	    !kube_watch_set_known(&op->set, &missing))
		return;
	op->running = true;
	log_info("all caches are in sync: starting");
	operator_queue(op, 0);
	kube_queue_go(op->queue);
}

void operator_log_waits(struct op_role *op)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	(void)kube_watch_set_known(&op->set, &b);
	if (b.n)
		log_info("waiting for the server's answer to GET %.*s", STRF(buf_str(&b)));
	else if (!op->gates.known)
		operator_gates(op);
}
