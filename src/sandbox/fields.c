/*
 * Sets of fields as trees in the form of fieldsV1: "f:name" for members, "k:{…}" for elements of
 * keyed lists.
 */
#include "sandbox/fields.h"

static struct json *set_of(struct arena *a, const struct json *v);

struct str fields_key(struct arena *a, struct str list, const struct json *v)
{
	const char *key = str_is(list, "conditions") ? "type" : NULL;
	struct buf b;

	if (!key || !json_member(v, str_of(key)))
		return S("");
	buf_init(&b, a);
	buf_addf(&b, "k:{\"%s\":", key);
	json_encode(&b, json_member(v, str_of(key)), JSON_NO_HTML);
	buf_addc(&b, '}');
	return buf_str(&b);
}

static struct json *set_of_list(struct arena *a, const struct json *list)
{
	struct json *out = json_new(a, JSON_OBJECT);

	for (const struct json *v = json_first(list); v; v = json_next(v)) {
		struct str key = fields_key(a, json_key(list), v);
		struct json *sub;

		if (!key.n)
			return json_new(a, JSON_OBJECT);
		sub = set_of(a, v);
		json_add(sub, S("."), json_new(a, JSON_OBJECT));
		json_add(out, key, sub);
	}
	return out;
}

/* The fields of an applied value, in the form of fieldsV1. */
static struct json *set_of(struct arena *a, const struct json *v)
{
	struct json *out = json_new(a, JSON_OBJECT);

	for (const struct json *m = json_kind(v) == JSON_OBJECT ? json_first(v) : NULL; m;
	     m = json_next(m)) {
		struct str key = str_fmt(a, "f:%.*s", STRF(json_key(m)));

		json_add(out, key, json_kind(m) == JSON_ARRAY ? set_of_list(a, m) : set_of(a, m));
	}
	return out;
}

struct json *fields_of(struct arena *a, const struct json *applied)
{
	static const char *const none[] = {
		"name",	      "namespace",    "uid", "resourceVersion", "creationTimestamp",
		"generation", "managedFields"
	};
	struct json *copy = json_clone(a, applied);
	struct json *meta = json_member(copy, S("metadata"));

	(void)json_remove(copy, S("apiVersion"));
	(void)json_remove(copy, S("kind"));
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		(void)json_remove(meta, str_of(none[i]));
	if (!json_len(meta))
		(void)json_remove(copy, S("metadata"));
	return set_of(a, copy);
}

/* ---- merging ------------------------------------------------------------- */

static struct json *find_like(struct arena *a, const struct json *list, struct str key)
{
	struct json *v = json_first(list);

	while (v && !str_eq(fields_key(a, json_key(list), v), key))
		v = json_next(v);
	return v;
}

static void merge_list(struct arena *a, struct json *into, const struct json *from)
{
	for (const struct json *v = json_first(from); v; v = json_next(v)) {
		struct json *old = find_like(a, into, fields_key(a, json_key(from), v));

		if (old)
			fields_merge(a, old, v);
		else
			json_push(into, json_clone(a, v));
	}
}

void fields_merge(struct arena *a, struct json *into, const struct json *from)
{
	for (const struct json *m = json_first(from); m; m = json_next(m)) {
		struct json *old = json_member(into, json_key(m));
		bool keyed = json_kind(m) == JSON_ARRAY && json_first(m) &&
			     fields_key(a, json_key(m), json_first(m)).n;

		if (json_kind(m) == JSON_OBJECT && json_kind(old) == JSON_OBJECT)
			fields_merge(a, old, m);
		else if (keyed && json_kind(old) == JSON_ARRAY)
			merge_list(a, old, m);
		else
			json_set(into, json_key(m), json_clone(a, m));
	}
}

void fields_prune(struct arena *a, struct json *object, const struct json *old,
		  const struct json *now)
{
	struct json *next;

	for (struct json *m = json_first(object); m; m = next) {
		struct str key = json_kind(object) == JSON_ARRAY
					 ? fields_key(a, json_key(object), m)
					 : str_fmt(a, "f:%.*s", STRF(json_key(m)));
		const struct json *was = json_member(old, key);
		const struct json *is = json_member(now, key);

		next = json_next(m);
		if (was && !is && !json_first(was))
			json_detach(object, m);
		else if (was)
			fields_prune(a, m, was, is);
		if (was && !is && json_first(was) && !json_first(m))
			json_detach(object, m);
	}
}

void fields_unite(struct arena *a, struct json *into, const struct json *from)
{
	for (const struct json *m = json_first(from); m; m = json_next(m)) {
		struct json *old = json_member(into, json_key(m));

		if (old)
			fields_unite(a, old, m);
		else
			json_add(into, json_key(m), json_clone(a, m));
	}
}
