#include "sandbox/sandbox.h"

#include "base/codec.h"
#include "base/map.h"
#include "base/num.h"
#include "base/rfc3339.h"
#include "data/regex.h"

/*
 * Structural schemas of CRDs: unknown members are pruned, defaults filled in
 * and values checked, in this order, with the words of the API server.
 */

struct walk {
	struct arena *a;
	struct sb_causes *causes;
};

static bool flag(const struct json *schema, const char *name)
{
	return json_is_true(json_member(schema, str_of(name)));
}

/* ---- pruning and defaults -------------------------------------------------------- */

static void shape(struct arena *a, const struct json *schema, struct json *v);

static void shape_object(struct arena *a, const struct json *schema,
			 struct json *v)
{
	const struct json *known = json_member(schema, S("properties"));
	const struct json *rest =
		json_member(schema, S("additionalProperties"));
	bool open = flag(schema, "x-kubernetes-preserve-unknown-fields") ||
		    json_kind(rest) != JSON_NULL;
	bool embedded = flag(schema, "x-kubernetes-embedded-resource");
	struct json *next;

	for (struct json *m = json_first(v); m; m = next) {
		const struct json *s = json_member(known, json_key(m));
		struct str key = json_key(m);

		next = json_next(m);
		if (!s && json_kind(rest) == JSON_OBJECT)
			s = rest;
		/* null asks for the default where it is no value itself */
		if (s ? json_kind(m) == JSON_NULL && !flag(s, "nullable") &&
				    json_member(s, S("default"))
		      : !open && !(embedded && (str_is(key, "metadata") ||
						str_is(key, "kind") ||
						str_is(key, "apiVersion"))))
			json_detach(v, m);
		else if (s)
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
	for (struct json *m = json_kind(v) == JSON_ARRAY ? json_first(v) : NULL;
	     m && each; m = json_next(m))
		shape(a, each, m);
}

/* ---- checks ---------------------------------------------------------------------- */

static void check(struct walk *w, const struct json *schema,
		  const struct json *v, struct str path);

static struct str type_name(const struct json *v)
{
	if (json_kind(v) == JSON_NUMBER)
		return str_chr(json_text(v), '.') < 0 ? S("integer")
						      : S("number");
	return json_kind(v) == JSON_BOOL ? S("boolean")
					 : str_of(json_kind_name(v));
}

static bool has_type(const struct json *schema, const struct json *v)
{
	struct str want = json_str(schema, "type", S(""));
	struct str have = type_name(v);

	if (flag(schema, "x-kubernetes-int-or-string"))
		return str_is(have, "integer") || str_is(have, "string");
	return !want.n || str_eq(want, have) ||
	       (str_is(want, "number") && str_is(have, "integer"));
}

static void wrong_type(struct walk *w, const struct json *schema,
		       const struct json *v, struct str path)
{
	struct str want = json_str(schema, "type", S("integer,string"));
	struct buf b;

	buf_init(&b, w->a);
	go_quote(&b, type_name(v));
	cause_add(w->a, w->causes, "FieldValueInvalid", path,
		  str_fmt(w->a,
			  "Invalid value: %.*s: %.*s in body must be of type "
			  "%.*s: %.*s",
			  STRF(buf_str(&b)), STRF(path), STRF(want),
			  STRF(buf_str(&b))));
}

/* "%s in body should …" */
static void should(struct walk *w, const struct json *v, struct str path,
		   struct str what)
{
	struct str text = str_fmt(w->a, "%.*s in body should %.*s", STRF(path),
				  STRF(what));

	cause_value(w->a, w->causes, path, v, str_z(w->a, text));
}

static void check_enum(struct walk *w, const struct json *schema,
		       const struct json *v, struct str path)
{
	const struct json *list = json_member(schema, S("enum"));
	struct buf b, value;

	if (!list)
		return;
	buf_init(&b, w->a);
	for (const struct json *e = json_first(list); e; e = json_next(e)) {
		if (json_eq(e, v))
			return;
		buf_addz(&b, b.n ? ", " : "");
		json_encode(&b, e, JSON_NO_HTML);
	}
	buf_init(&value, w->a);
	json_encode(&value, v, JSON_NO_HTML);
	cause_add(w->a, w->causes, "FieldValueNotSupported", path,
		  str_fmt(w->a,
			  "Unsupported value: %.*s: supported values: %.*s",
			  STRF(buf_str(&value)), STRF(buf_str(&b))));
}

static double number(const struct json *v)
{
	double d = 0;

	(void)num_parse_float(json_text(v), &d);
	return d;
}

static void check_number(struct walk *w, const struct json *schema,
			 const struct json *v, struct str path)
{
	const struct json *min = json_member(schema, S("minimum"));
	const struct json *max = json_member(schema, S("maximum"));
	bool over = flag(schema, "exclusiveMinimum");
	bool under = flag(schema, "exclusiveMaximum");

	if (min && (over ? number(v) <= number(min) : number(v) < number(min)))
		should(w, v, path,
		       str_fmt(w->a, "be greater than%s %.*s",
			       over ? "" : " or equal to",
			       STRF(json_text(min))));
	if (max && (under ? number(v) >= number(max) : number(v) > number(max)))
		should(w, v, path,
		       str_fmt(w->a, "be less than%s %.*s",
			       under ? "" : " or equal to",
			       STRF(json_text(max))));
}

static void check_pattern(struct walk *w, const struct json *schema,
			  const struct json *v, struct str path)
{
	struct str pattern = json_str(schema, "pattern", S(""));
	struct arena tmp = ARENA_INIT;
	struct err err = ERR_INIT(&tmp);
	struct regex *r;

	if (pattern.n && regex_compile(&tmp, pattern, &r, &err) == 0 &&
	    !regex_matches(&tmp, r, json_text(v)))
		should(w, v, path,
		       str_fmt(w->a, "match '%.*s'", STRF(pattern)));
	arena_free(&tmp);
}

static void check_string(struct walk *w, const struct json *schema,
			 const struct json *v, struct str path)
{
	int64_t min = json_i64(schema, "minLength", 0);
	int64_t max = json_i64(schema, "maxLength", INT64_MAX);
	struct str s = json_text(v), format = json_str(schema, "format", S(""));
	struct instant t;

	if ((int64_t)s.n < min)
		should(w, v, path,
		       str_fmt(w->a, "be at least %lld chars long",
			       (long long)min));
	if ((int64_t)s.n > max)
		should(w, v, path,
		       str_fmt(w->a, "be at most %lld chars long",
			       (long long)max));
	check_pattern(w, schema, v, path);
	if (str_is(format, "date-time") && !rfc3339_parse(s, &t)) {
		struct str text = str_fmt(
			w->a,
			"%.*s in body must be of type date-time: \"%.*s\"",
			STRF(path), STRF(s));

		cause_value(w->a, w->causes, path, v, str_z(w->a, text));
	}
}

/* What tells an element of a list from the others, as Go prints it. */
static struct str identity(struct walk *w, const struct json *keys,
			   const struct json *v)
{
	struct buf b;

	buf_init(&b, w->a);
	if (!keys) {
		json_encode(&b, v, JSON_SORTED | JSON_NO_HTML);
		return buf_str(&b);
	}
	buf_addz(&b, "map[string]interface {}{");
	for (const struct json *k = json_first(keys); k; k = json_next(k)) {
		const struct json *part = json_member(v, json_text(k));

		if (!part)
			continue;
		buf_addz(&b, b.p[b.n - 1] == '{' ? "" : ", ");
		go_quote(&b, json_text(k));
		buf_addc(&b, ':');
		json_encode(&b, part, JSON_NO_HTML);
	}
	buf_addc(&b, '}');
	return buf_str(&b);
}

/* Lists that are sets or maps have each element once. */
static void check_unique(struct walk *w, const struct json *schema,
			 const struct json *v, struct str path)
{
	struct str type = json_str(schema, "x-kubernetes-list-type", S(""));
	const struct json *keys =
		json_member(schema, S("x-kubernetes-list-map-keys"));
	struct arena tmp = ARENA_INIT;
	struct map seen;
	size_t i = 0;

	if (!str_is(type, "map") && !str_is(type, "set"))
		return;
	map_init(&seen, &tmp);
	for (const struct json *m = json_first(v); m; m = json_next(m), i++) {
		struct str id =
			identity(w, str_is(type, "map") ? keys : NULL, m);

		if (map_get(&seen, id))
			cause_add(w->a, w->causes, "FieldValueDuplicate",
				  str_fmt(w->a, "%.*s[%zu]", STRF(path), i),
				  str_fmt(w->a, "Duplicate value: %.*s",
					  STRF(id)));
		(void)map_put(&seen, id, w);
	}
	arena_free(&tmp);
}

static void check_array(struct walk *w, const struct json *schema,
			const struct json *v, struct str path)
{
	const struct json *each = json_member(schema, S("items"));
	int64_t min = json_i64(schema, "minItems", 0);
	int64_t max = json_i64(schema, "maxItems", INT64_MAX);

	if ((int64_t)json_len(v) < min)
		should(w, v, path,
		       str_fmt(w->a, "have at least %lld items",
			       (long long)min));
	if ((int64_t)json_len(v) > max)
		cause_add(w->a, w->causes, "FieldValueInvalid", path,
			  str_fmt(w->a,
				  "Invalid value: %zu: %.*s in body should "
				  "have at most %lld items",
				  json_len(v), STRF(path), (long long)max));
	check_unique(w, schema, v, path);
	for (const struct json *m = json_first(v); m && each; m = json_next(m))
		check(w, each, m, path);
}

static struct str member_path(struct walk *w, struct str path, struct str key)
{
	if (!path.n)
		return key;
	return str_fmt(w->a, "%.*s.%.*s", STRF(path), STRF(key));
}

/* Absent, or null where null is no value. */
static bool missing(const struct json *known, const struct json *v,
		    struct str key)
{
	const struct json *m = json_member(v, key);

	return !m || (json_kind(m) == JSON_NULL &&
		      !flag(json_member(known, key), "nullable"));
}

static bool needed(const struct json *schema, struct str key)
{
	const struct json *r = json_first(json_member(schema, S("required")));

	while (r && !str_eq(json_text(r), key))
		r = json_next(r);
	return r != NULL;
}

static void check_object(struct walk *w, const struct json *schema,
			 const struct json *v, struct str path)
{
	const struct json *known = json_member(schema, S("properties"));
	const struct json *rest =
		json_member(schema, S("additionalProperties"));

	for (const struct json *r =
		     json_first(json_member(schema, S("required")));
	     r; r = json_next(r))
		if (missing(known, v, json_text(r)))
			cause_required(w->a, w->causes,
				       member_path(w, path, json_text(r)), "");
	for (const struct json *m = json_first(v); m; m = json_next(m)) {
		const struct json *s = json_member(known, json_key(m));

		if (!s && json_kind(rest) == JSON_OBJECT)
			s = rest;
		if (s && !(json_kind(m) == JSON_NULL &&
			   missing(known, v, json_key(m)) &&
			   needed(schema, json_key(m))))
			check(w, s, m, member_path(w, path, json_key(m)));
	}
}

static void check(struct walk *w, const struct json *schema,
		  const struct json *v, struct str path)
{
	if (json_kind(v) == JSON_NULL && flag(schema, "nullable"))
		return;
	if (!has_type(schema, v)) {
		wrong_type(w, schema, v, path);
		return;
	}
	check_enum(w, schema, v, path);
	switch (json_kind(v)) {
	case JSON_NUMBER:
		check_number(w, schema, v, path);
		break;
	case JSON_STRING:
		check_string(w, schema, v, path);
		break;
	case JSON_ARRAY:
		check_array(w, schema, v, path);
		break;
	case JSON_OBJECT:
		check_object(w, schema, v, path);
		break;
	case JSON_NULL:
	case JSON_BOOL:
		break;
	}
}

/* ---- the whole object -------------------------------------------------------------- */

void schema_apply(struct arena *a, const struct json *schema,
		  struct json *object, struct sb_causes *causes)
{
	struct walk w = { a, causes };
	struct json *meta = json_member(object, S("metadata"));
	struct json *kept = meta ? json_clone(a, meta) : NULL;
	struct str kind = json_str(object, "kind", S(""));
	struct str version = json_str(object, "apiVersion", S(""));

	shape(a, schema, object);
	/* These are the server's, whatever the schema says of them. */
	if (kept)
		json_set(object, S("metadata"), kept);
	json_set(object, S("kind"), json_new_str(a, kind));
	json_set(object, S("apiVersion"), json_new_str(a, version));
	check(&w, schema, object, S(""));
}
