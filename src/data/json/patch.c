/*
 * JSON merge patches. A tree that is patched is a copy, so the input stays as it is;
 * members are indexed, so that patching a large object takes linear time.
 */
#include "data/patch.h"

#include "base/map.h"

/* Members by name: large objects are compared in linear time. */
static void index_of(struct arena *a, struct map *m, const struct json *object)
{
	map_init(m, a);
	for (struct json *v = json_first(object); v; v = json_next(v))
		(void)map_put(m, json_key(v), v);
}

/* Changes target, which must be a copy, and returns it or its replacement. */
static struct json *apply(struct arena *a, struct json *target, const struct json *patch)
{
	struct map members;

	if (json_kind(patch) != JSON_OBJECT)
		return json_clone(a, patch);
	if (json_kind(target) != JSON_OBJECT)
		target = json_new(a, JSON_OBJECT);
	index_of(a, &members, target);
	for (const struct json *m = json_first(patch); m; m = json_next(m)) {
		struct json *old = map_get(&members, json_key(m)), *now = NULL;

		if (json_kind(m) != JSON_NULL)
			now = apply(a, old, m);
		if (now == old)
			continue;
		if (!now)
			json_detach(target, old);
		else if (old)
			json_replace(target, old, now);
		else
			json_add(target, json_key(m), now);
		(void)map_put(&members, json_key(m), now);
	}
	return target;
}

struct json *patch_apply(struct arena *a, const struct json *target, const struct json *patch)
{
	return apply(a, target ? json_clone(a, target) : NULL, patch);
}
