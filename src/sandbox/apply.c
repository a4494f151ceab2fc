#include "data/patch.h"
#include "data/yml.h"
#include "sandbox/write.h"

/*
 * Server-side apply. What a manager applied last is remembered in
 * metadata.managedFields as a set of fields; what it no longer names goes, and
 * a field that another manager applied with another value is a conflict
 * unless forced. Lists are one field each, but for conditions and the like,
 * whose elements are told apart by their type or name.
 */

static struct json *set_of(struct arena *a, const struct json *v);

/* "k:{\"type\":\"Ready\"}" for elements of keyed lists, or an empty str. */
static struct str element_key(struct arena *a, struct str list,
			      const struct json *v)
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
		struct str key = element_key(a, json_key(list), v);
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

	for (const struct json *m = json_kind(v) == JSON_OBJECT ? json_first(v)
								: NULL;
	     m; m = json_next(m)) {
		struct str key = str_fmt(a, "f:%.*s", STRF(json_key(m)));

		json_add(out, key,
			 json_kind(m) == JSON_ARRAY ? set_of_list(a, m)
						    : set_of(a, m));
	}
	return out;
}

/* apiVersion, kind and the identity in metadata are nobody's. */
static struct json *fields_of(struct arena *a, const struct json *applied)
{
	static const char *const none[] = { "name",
					    "namespace",
					    "uid",
					    "resourceVersion",
					    "creationTimestamp",
					    "generation",
					    "managedFields" };
	struct json *copy = json_clone(a, applied);
	struct json *meta = json_member(copy, S("metadata"));

	(void)json_remove(copy, S("apiVersion"));
	(void)json_remove(copy, S("kind"));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		(void)json_remove(meta, str_of(none[i]));
	if (!json_len(meta))
		(void)json_remove(copy, S("metadata"));
	return set_of(a, copy);
}

/* ---- merging --------------------------------------------------------------------- */

static struct json *find_like(struct arena *a, const struct json *list,
			      struct str key)
{
	struct json *v = json_first(list);

	while (v && !str_eq(element_key(a, json_key(list), v), key))
		v = json_next(v);
	return v;
}

static void merge(struct arena *a, struct json *into, const struct json *from);

static void merge_list(struct arena *a, struct json *into,
		       const struct json *from)
{
	for (const struct json *v = json_first(from); v; v = json_next(v)) {
		struct json *old =
			find_like(a, into, element_key(a, json_key(from), v));

		if (old)
			merge(a, old, v);
		else
			json_push(into, json_clone(a, v));
	}
}

static void merge(struct arena *a, struct json *into, const struct json *from)
{
	for (const struct json *m = json_first(from); m; m = json_next(m)) {
		struct json *old = json_member(into, json_key(m));
		bool keyed = json_kind(m) == JSON_ARRAY && json_first(m) &&
			     element_key(a, json_key(m), json_first(m)).n;

		if (json_kind(m) == JSON_OBJECT &&
		    json_kind(old) == JSON_OBJECT)
			merge(a, old, m);
		else if (keyed && json_kind(old) == JSON_ARRAY)
			merge_list(a, old, m);
		else
			json_set(into, json_key(m), json_clone(a, m));
	}
}

/* Takes out of object what was in the old set and is in no set any more. */
static void prune(struct arena *a, struct json *object, const struct json *old,
		  const struct json *now)
{
	struct json *next;

	for (struct json *m = json_first(object); m; m = next) {
		struct str key =
			json_kind(object) == JSON_ARRAY
				? element_key(a, json_key(object), m)
				: str_fmt(a, "f:%.*s", STRF(json_key(m)));
		const struct json *was = json_member(old, key);
		const struct json *is = json_member(now, key);

		next = json_next(m);
		if (was && !is && !json_first(was))
			json_detach(object, m);
		else if (was)
			prune(a, m, was, is);
		if (was && !is && json_first(was) && !json_first(m))
			json_detach(object, m);
	}
}

/* ---- conflicts -------------------------------------------------------------------- */

/* The first field of set in mine whose value differs between the objects. */
static bool differs(struct arena *a, const struct json *set,
		    const struct json *mine, const struct json *applied,
		    const struct json *object, struct buf *path)
{
	for (const struct json *m = json_first(set); m; m = json_next(m)) {
		const struct json *own = json_member(mine, json_key(m));
		struct str key = json_key(m);
		const struct json *x, *y;
		size_t n = path->n;

		if (!own || !str_starts(key, S("f:")))
			continue;
		key = str_from(key, 2);
		x = json_member(applied, key);
		y = json_member(object, key);
		buf_addf(path, ".%.*s", STRF(key));
		if (json_first(own) && json_first(m)) {
			if (differs(a, m, own, x, y, path))
				return true;
		} else if (!json_eq(x, y)) {
			return true;
		}
		path->n = n;
	}
	return false;
}

static bool conflicts(struct sb_call *c, const struct json *entries,
		      struct str manager, const struct json *mine,
		      const struct json *applied, const struct json *object)
{
	for (const struct json *e = json_first(entries); e; e = json_next(e)) {
		struct str other = json_str(e, "manager", S(""));
		struct buf path;

		buf_init(&path, c->a);
		if (str_eq(other, manager) ||
		    !differs(c->a, json_at(e, "fieldsV1"), mine, applied,
			     object, &path))
			continue;
		reply_status(c->a, c->out, 409, "Conflict",
			     str_fmt(c->a,
				     "Apply failed with 1 conflict: conflict "
				     "with \"%.*s\": %.*s",
				     STRF(other), STRF(buf_str(&path))));
		return true;
	}
	return false;
}

/* ---- the request -------------------------------------------------------------------- */

static struct json *my_entry(const struct json *entries, struct str manager)
{
	struct json *e = json_first(entries);

	while (e && !str_eq(json_str(e, "manager", S("")), manager))
		e = json_next(e);
	return e;
}

/* The entries with the manager's new one. */
static struct json *remember(struct sb_call *c, const struct json *entries,
			     struct str manager, struct json *set)
{
	struct json *list = entries ? json_clone(c->a, entries)
				    : json_new(c->a, JSON_ARRAY);
	struct json *old = my_entry(list, manager), *e;

	if (old)
		json_detach(list, old);
	e = json_new(c->a, JSON_OBJECT);
	json_add(e, S("manager"), json_new_str(c->a, manager));
	json_add(e, S("operation"), json_new_str(c->a, S("Apply")));
	json_add(e, S("apiVersion"),
		 json_new_str(c->a, kinds_api_version(c->a, c->r->kind,
						      c->r->version)));
	sb_set_time(c->a, e, S("time"), c->r->now);
	json_add(e, S("fieldsType"), json_new_str(c->a, S("FieldsV1")));
	json_add(e, S("fieldsV1"), set);
	json_push(list, e);
	return list;
}

static struct json *applied_body(struct sb_call *c)
{
	struct err err = ERR_INIT(c->a);
	struct json *j = NULL;

	if (yml_parse(c->a, c->r->body, NULL, &j, &err) < 0 ||
	    json_kind(j) != JSON_OBJECT) {
		reply_bad(c->a, c->out, "error decoding YAML: %.*s",
			  STRF(err.msg));
		return NULL;
	}
	if (json_at(j, "metadata.managedFields")) {
		reply_bad(c->a, c->out, "metadata.managedFields must be nil");
		return NULL;
	}
	return j;
}

void sb_apply(struct sb_call *c)
{
	struct str manager = request_param(c->r, "fieldManager");
	struct sb_object *o = store_get(&c->r->kind->objects,
					request_key(c->a, c->r, c->r->name));
	struct json *applied, *set, *now, *old, *entry, *entries;

	if (!manager.n) {
		reply_bad(c->a, c->out,
			  "PatchOptions.meta.k8s.io \"\" is "
			  "invalid: fieldManager: Required "
			  "value: is required for apply patch");
		return;
	}
	applied = applied_body(c);
	if (!applied)
		return;
	set = fields_of(c->a, applied);
	if (!o) {
		json_set(sb_meta(c->a, applied), S("name"),
			 json_new_str(c->a, c->r->name));
		c->r->verb = SB_CREATE;
		c->fields = remember(c, NULL, manager, set);
		sb_insert(c, applied);
		return;
	}
	old = sb_tree(c->a, o);
	entries = json_at(old, "metadata.managedFields");
	entry = my_entry(entries, manager);
	if (!request_flag(c->r, "force") &&
	    conflicts(c, entries, manager, set, applied, old))
		return;
	now = json_clone(c->a, old);
	if (entry)
		prune(c->a, now, json_at(entry, "fieldsV1"), set);
	(void)json_remove(json_member(applied, S("metadata")),
			  S("resourceVersion"));
	merge(c->a, now, applied);
	c->fields = remember(c, entries, manager, set);
	sb_replace(c, now, old);
}
