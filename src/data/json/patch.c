#include "data/patch.h"

#include "base/map.h"

/* Members by name: large objects are compared in linear time. */
static void index_of(struct arena *a, struct map *m, const struct json *object)
{
	map_init(m, a);
	for (struct json *v = json_first(object); v; v = json_next(v))
		(void)map_put(m, json_key(v), v);
}

/* Changes target, which is ours, and returns it, or what replaces it. */
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

struct json *patch_make(struct arena *a, const struct json *from, const struct json *to)
{
	struct map in_from, in_to;
	struct json *patch;

	if (json_eq(from, to))
		return NULL;
	if (json_kind(from) != JSON_OBJECT || json_kind(to) != JSON_OBJECT)
		return json_clone(a, to);
	index_of(a, &in_from, from);
	index_of(a, &in_to, to);
	patch = json_new(a, JSON_OBJECT);
	for (size_t i = 0; i < in_from.n; i++)
		if (!map_find(&in_to, in_from.v[i].key))
			json_add(patch, in_from.v[i].key, json_new(a, JSON_NULL));
	for (size_t i = 0; i < in_to.n; i++) {
		const struct json *old = map_get(&in_from, in_to.v[i].key);
		struct json *sub;

		if (old)
			sub = patch_make(a, old, in_to.v[i].value);
		else
			sub = json_clone(a, in_to.v[i].value);
		if (sub)
			json_add(patch, in_to.v[i].key, sub);
	}
	return patch;
}

/* ---- differences --------------------------------------------------------- */

struct walk {
	struct arena *a;
	struct patch_diffs *out;
	struct buf path;
};

static void walk(struct walk *w, const struct json *from, const struct json *to);

static void leaf(struct walk *w, const struct json *from, const struct json *to)
{
	struct patch_diff d = {
		.change = !from ? PATCH_ADDED
			  : !to ? PATCH_REMOVED
				: PATCH_CHANGED,
		.path = str_dup(w->a, buf_str(&w->path)),
		.before = from,
		.after = to,
	};

	VEC_PUSH(w->a, w->out, d);
}

static void step(struct walk *w, struct str key, const struct json *from, const struct json *to)
{
	size_t n = w->path.n;

	if (n)
		buf_addc(&w->path, '.');
	buf_add(&w->path, key);
	walk(w, from, to);
	w->path.n = n;
}

static void walk_objects(struct walk *w, const struct json *from, const struct json *to)
{
	struct map in_from, in_to;

	index_of(w->a, &in_from, from);
	index_of(w->a, &in_to, to);
	for (size_t i = 0; i < in_from.n; i++)
		step(w, in_from.v[i].key, in_from.v[i].value, map_get(&in_to, in_from.v[i].key));
	for (size_t i = 0; i < in_to.n; i++)
		if (!map_find(&in_from, in_to.v[i].key))
			step(w, in_to.v[i].key, NULL, in_to.v[i].value);
}

static void walk_arrays(struct walk *w, const struct json *from, const struct json *to)
{
	const struct json *p = json_first(from), *q = json_first(to);
	size_t n = w->path.n;

	for (size_t i = 0; p || q; i++) {
		buf_addf(&w->path, "[%zu]", i);
		walk(w, p, q);
		w->path.n = n;
		p = p ? json_next(p) : NULL;
		q = q ? json_next(q) : NULL;
	}
}

static void walk(struct walk *w, const struct json *from, const struct json *to)
{
	if (!from || !to || json_kind(from) != json_kind(to)) {
		leaf(w, from, to);
		return;
	}
	if (json_kind(from) == JSON_OBJECT)
		walk_objects(w, from, to);
	else if (json_kind(from) == JSON_ARRAY)
		walk_arrays(w, from, to);
	else if (!json_eq(from, to))
		leaf(w, from, to);
}

void patch_diff(struct arena *a, const struct json *from, const struct json *to,
		struct patch_diffs *out)
{
	struct walk w = { .a = a, .out = out };

	buf_init(&w.path, a);
	walk(&w, from, to);
}
