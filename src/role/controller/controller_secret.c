/*
 * Watches the pull secret: only the one Secret that the ControllerConfig names.
 */
#include "controller_state.h"

static void secret_synced(void *ctx)
{
	struct controller *c = ctx;

	kube_queue_add(c->queue, SYNC_TEMPLATE, S(NAME_CONTROLLER));
}

/* A deleted Secret triggers no plan: it may be about to be created again. */
static void secret_changed(void *ctx, struct str key, const void *before, const void *now)
{
	(void)key;
	(void)before;
	if (now)
		secret_synced(ctx);
}

static const struct json *reference(const struct controller *c)
{
	return json_at(known_tree(c, W_CONTROLLER, NAME_CONTROLLER), "spec.pullSecret");
}

static struct str key_of(struct arena *a, const struct json *ref)
{
	return str_fmt(a, "%.*s/%.*s", STRF(json_str(ref, "namespace")),
		       STRF(json_str(ref, "name")));
}

void controller_secret(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *ref = reference(c);
	struct arena *own = &c->secret_arena;
	struct kube_cache_opts o = { .kube = c->kube,
				     .what = "the pull secret",
				     .make = kube_tree_make,
				     .drop = kube_tree_drop,
				     .changed = secret_changed,
				     .synced = secret_synced,
				     .ctx = c };
	struct buf b;

	if (json_kind(ref) != JSON_OBJECT || str_eq(key_of(&a, ref), c->secret_path))
		return;
	kube_cache_free(c->secret);
	arena_free(own);
	c->secret_path = key_of(own, ref);
	buf_init(&b, own);
	buf_addz(&b, "fieldSelector=metadata.name%3D");
	kube_escape(&b, json_str(ref, "name"));
	o.query = buf_str(&b);
	o.path = str_fmt(own, PATH_CORE "namespaces/%.*s/secrets", STRF(json_str(ref, "namespace")))
			 .p;
	c->secret = kube_cache_start(&o);
}

bool known_secret(const struct controller *c, const struct json **out)
{
	const struct kube_tree *t;

	*out = NULL;
	if (json_kind(reference(c)) != JSON_OBJECT)
		return true;
	if (!c->secret || !kube_cache_synced(c->secret))
		return false;
	t = kube_cache_get(c->secret, c->secret_path);
	*out = t ? t->tree : NULL;
	return true;
}
