/*
 * Structural schemas of CRDs: prunes unknown members, sets defaults and validates, in this order,
 * with the API server's texts.
 */
#include "base/codec.h"
#include "base/map.h"
#include "sandbox/schema.h"

struct walk {
	struct arena *a;
	struct sb_causes *causes;
};

/* ---- pruning and defaults ------------------------------------------------ */

static void shape(struct arena *a, const struct json *schema, struct json *v);

static void shape_object(struct arena *a, const struct json *schema, struct json *v)
{
	const struct json *known = json_member(schema, S("properties"));
	const struct json *rest = json_member(schema, S("additionalProperties"));
	bool open = schema_flag(schema, "x-kubernetes-preserve-unknown-fields") ||
		    json_kind(rest) != JSON_NULL;
	bool embedded = schema_flag(schema, "x-kubernetes-embedded-resource");
	struct json *next;

	for (struct json *m = json_first(v); m; m = next) {
		const struct json *s = json_member(known, json_key(m));
		struct str key = json_key(m);

		next = json_next(m);
		if (!s && json_kind(rest) == JSON_OBJECT)
			s = rest;
		/* null is as if absent, unless the field is nullable */
		if (s ? json_kind(m) == JSON_NULL && !schema_flag(s, "nullable")
		      : !open && !(embedded && (str_is(key, "metadata") || str_is(key, "kind") ||
						str_is(key, "apiVersion"))))
			json_detach(v, m);
		/* metadata is never pruned */
		else if (s && !(embedded && str_is(key, "metadata")))
			shape(a, s, m);
	}
	for (const struct json *p = json_first(known); p; p = json_next(p)) {
		const struct json *dflt = json_member(p, S("default"));

		if (dflt && !json_member(v, json_key(p)))
			json_add(v, json_key(p), json_clone(a, dflt));
	}
}

static void shape(struct arena *a, const struct json *schema, struct json *v)
{
	const struct json *each = json_member(schema, S("items"));

	if (json_kind(v) == JSON_OBJECT)
		shape_object(a, schema, v);
	for (struct json *m = json_kind(v) == JSON_ARRAY ? json_first(v) : NULL; m && each;
	     m = json_next(m))
		shape(a, each, m);
}

/* ---- lists and embedded objects ------------------------------------------ */

/* The key of a list element, as JSON. */
static struct str identity(struct walk *w, const struct json *keys, const struct json *v)
{
	struct buf b;

	buf_init(&b, w->a);
	if (!keys) {
		json_encode(&b, v, JSON_SORTED | JSON_NO_HTML);
		return buf_str(&b);
	}
	buf_addc(&b, '{');
	for (const struct json *k = json_first(keys); k; k = json_next(k)) {
		const struct json *part = json_member(v, json_text(k));

		if (!part)
			continue;
		buf_addz(&b, b.p[b.n - 1] == '{' ? "" : ",");
		go_quote(&b, json_text(k));
		buf_addc(&b, ':');
		json_encode(&b, part, JSON_NO_HTML);
	}
	buf_addc(&b, '}');
	return buf_str(&b);
}

/* Lists that are sets or maps have no duplicate elements. */
static void check_unique(struct walk *w, const struct json *schema, const struct json *v,
			 struct str path)
{
	struct str type = json_str(schema, "x-kubernetes-list-type");
	const struct json *keys = json_member(schema, S("x-kubernetes-list-map-keys"));
	struct arena tmp = ARENA_INIT;
	struct map seen;
	size_t i = 0;

	if (!str_is(type, "map") && !str_is(type, "set"))
		return;
	map_init(&seen, &tmp);
	for (const struct json *m = json_first(v); m; m = json_next(m), i++) {
		struct str id = identity(w, str_is(type, "map") ? keys : NULL, m);

		if (map_get(&seen, id))
			cause_add(w->a, w->causes, "FieldValueDuplicate",
				  str_fmt(w->a, "%.*s[%zu]", STRF(path), i),
				  str_fmt(w->a, "Duplicate value: %.*s", STRF(id)));
		(void)map_put(&seen, id, w);
	}
	arena_free(&tmp);
}

static struct str encoded(struct arena *a, const struct json *v)
{
	return json_format(a, v, JSON_NO_HTML);
}

/* An embedded object must have kind and apiVersion as strings; a cause without a reason means
 * that it cannot be decoded. */
static void check_embedded(struct walk *w, const struct json *v, struct str path)
{
	static const char *const names[] = { "apiVersion", "kind" };

	for (int i = 0; i < 2; i++) {
		const struct json *m = json_member(v, str_of(names[i]));
		struct str at = str_fmt(w->a, "%.*s.%s", STRF(path), names[i]);

		if (!m)
			cause_required(w->a, w->causes, at, "");
		else if (json_kind(m) != JSON_STRING)
			cause_add(w->a, w->causes, "", at,
				  str_fmt(w->a,
					  "Invalid value: %.*s: must be a "
					  "string",
					  STRF(encoded(w->a, m))));
		else if (!json_text(m).n)
			cause_value(w->a, w->causes, at, m, "must not be empty");
	}
}

static void check_beside(struct walk *w, const struct json *schema, const struct json *v,
			 struct str path)
{
	const struct json *known = json_member(schema, S("properties"));
	const struct json *rest = json_member(schema, S("additionalProperties"));
	const struct json *each = json_member(schema, S("items"));
	bool list = json_kind(v) == JSON_ARRAY;
	size_t i = 0;

	if (list)
		check_unique(w, schema, v, path);
	else if (json_kind(v) != JSON_OBJECT)
		return;
	else if (schema_flag(schema, "x-kubernetes-embedded-resource"))
		check_embedded(w, v, path);
	for (const struct json *m = json_first(v); m; m = json_next(m), i++) {
		struct str key = json_key(m);
		const struct json *s = list ? each : json_member(known, key);

		if (list)
			check_beside(w, s, m, str_fmt(w->a, "%.*s[%zu]", STRF(path), i));
		else if (s)
			check_beside(w, s, m,
				     path.n ? str_fmt(w->a, "%.*s.%.*s", STRF(path), STRF(key))
					    : key);
		else if (json_kind(rest) == JSON_OBJECT)
			check_beside(w, rest, m,
				     str_fmt(w->a, "%.*s[%.*s]", STRF(path), STRF(key)));
	}
}

/* ---- the whole object ---------------------------------------------------- */

static bool has_rules(const struct json *schema)
{
	const struct json *m = json_first(schema);

	while (m && !str_is(json_key(m), "x-kubernetes-validations") && !has_rules(m))
		m = json_next(m);
	return m != NULL;
}

/* Rules in CEL are not evaluated here; an API server says so when other faults prevent it. */
static void add_unchecked(struct walk *w, const struct json *schema, size_t before)
{
	static const char *const blocking[] = { "FieldValueRequired", "FieldValueNotSupported",
						"FieldValueTooLong", "FieldValueTooMany",
						"FieldValueTypeInvalid" };
	bool blocked = false;

	for (size_t i = before; i < w->causes->n; i++)
		for (size_t b = 0; b < ARRAY_LEN(blocking); b++)
			blocked = blocked || !strcmp(w->causes->v[i].reason, blocking[b]);
	if (blocked && has_rules(schema))
		cause_value(w->a, w->causes, S("<nil>"), json_new(w->a, JSON_NULL),
			    "some validation rules were not checked because the object was "
			    "invalid; correct the existing errors to complete validation");
}

void schema_apply(struct arena *a, const struct json *schema, struct json *object,
		  struct sb_causes *causes)
{
	struct walk w = { a, causes };
	struct json *meta = json_member(object, S("metadata"));
	struct json *kept = meta ? json_clone(a, meta) : NULL;
	struct str kind = json_str(object, "kind");
	struct str version = json_str(object, "apiVersion");
	size_t before = causes->n;

	shape(a, schema, object);
	/* the server owns these, whatever the schema says */
	if (kept)
		json_set(object, S("metadata"), kept);
	json_set(object, S("kind"), json_new_str(a, kind));
	json_set(object, S("apiVersion"), json_new_str(a, version));
	schema_check(a, schema, object, causes);
	check_beside(&w, schema, object, S(""));
	add_unchecked(&w, schema, before);
}
