/*
 * Validation by a schema. Every rule that applies to the type of the value is checked, regardless
 * of other faults. If all alternatives fail, the faults of the best one are reported: the one with
 * the most matches, counted as the API server's validator counts them.
 */
#include "sandbox/schema.h"

#include "base/codec.h"
#include "base/num.h"
#include "base/rfc3339.h"
#include "data/regex.h"

struct walk {
	struct arena *a;
	struct sb_causes *causes;
	size_t right;
};

static void check_value(struct walk *w, const struct json *schema, const struct json *v,
			struct str path);

bool schema_flag(const struct json *schema, const char *name)
{
	return json_is_true(json_member(schema, str_of(name)));
}

/* ---- types --------------------------------------------------------------- */

static struct str type_name(const struct json *v)
{
	if (json_kind(v) == JSON_NUMBER)
		return str_chr(json_text(v), '.') < 0 ? S("integer") : S("number");
	return json_kind(v) == JSON_BOOL ? S("boolean") : str_of(json_kind_name(v));
}

static bool has_type(const struct json *schema, const struct json *v)
{
	struct str want = json_str(schema, "type");
	struct str have = type_name(v);

	if (json_kind(v) == JSON_NULL && schema_flag(schema, "nullable"))
		return true;
	if (schema_flag(schema, "x-kubernetes-int-or-string"))
		return str_is(have, "integer") || str_is(have, "string");
	return !want.n || str_eq(want, have) || (str_is(want, "number") && str_is(have, "integer"));
}

static void check_type(struct walk *w, const struct json *schema, const struct json *v,
		       struct str path)
{
	struct str want = json_str_or(schema, "type", S("integer,string"));
	struct buf b;

	if (has_type(schema, v)) {
		w->right++;
		return;
	}
	buf_init(&b, w->a);
	go_quote(&b, type_name(v));
	cause_add(w->a, w->causes, "FieldValueTypeInvalid", path,
		  str_fmt(w->a,
			  "Invalid value: %.*s: %.*s in body must be of type "
			  "%.*s: %.*s",
			  STRF(buf_str(&b)), STRF(path), STRF(want), STRF(buf_str(&b))));
}

static void check_enum(struct walk *w, const struct json *schema, const struct json *v,
		       struct str path)
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
		  str_fmt(w->a, "Unsupported value: %.*s: supported values: %.*s",
			  STRF(buf_str(&value)), STRF(buf_str(&b))));
}

/* ---- values -------------------------------------------------------------- */

/* "%s in body should …" */
static void add_should(struct walk *w, const struct json *v, struct str path, const char *what,
		       struct str value)
{
	struct buf b;

	buf_init(&b, w->a);
	buf_addf(&b, "%.*s in body should ", STRF(path));
	buf_addf(&b, what, STRF(value));
	cause_value(w->a, w->causes, path, v, str_z(w->a, buf_str(&b)));
}

static double number(const struct json *v)
{
	double d = 0;

	(void)num_parse_float(json_text(v), &d);
	return d;
}

static void check_number(struct walk *w, const struct json *schema, const struct json *v,
			 struct str path)
{
	const struct json *min = json_member(schema, S("minimum"));
	const struct json *max = json_member(schema, S("maximum"));
	const struct json *of = json_member(schema, S("multipleOf"));
	bool over = schema_flag(schema, "exclusiveMinimum");
	bool under = schema_flag(schema, "exclusiveMaximum");
	double times = of && number(of) > 0 ? number(v) / number(of) : 0;

	if (times > -1e15 && times < 1e15 && times != (double)(int64_t)times)
		add_should(w, v, path, "be a multiple of %.*s", json_text(of));
	if (min && (over ? number(v) <= number(min) : number(v) < number(min)))
		add_should(w, v, path,
			   over ? "be greater than %.*s" : "be greater than or equal to %.*s",
			   json_text(min));
	if (max && (under ? number(v) >= number(max) : number(v) > number(max)))
		add_should(w, v, path,
			   under ? "be less than %.*s" : "be less than or equal to %.*s",
			   json_text(max));
	w->right++;
}

/* Characters, not bytes. */
static int64_t length(struct str s)
{
	int64_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	return n;
}

static bool matches_pattern(struct str pattern, struct str s)
{
	struct arena tmp = ARENA_INIT;
	struct err err = ERR_INIT(&tmp);
	struct regex *r;
	bool fits = regex_compile(&tmp, pattern, &r, &err) < 0 || regex_matches(&tmp, r, s);

	arena_free(&tmp);
	return fits;
}

/* As the API server accepts bytes: without line breaks, and not empty. */
static bool is_base64(struct arena *a, struct str s)
{
	struct err ignored = ERR_INIT(a);

	return s.n && str_chr(s, '\n') < 0 && str_chr(s, '\r') < 0 &&
	       base64_check(s, &ignored) == 0;
}

static void check_string(struct walk *w, const struct json *schema, const struct json *v,
			 struct str path)
{
	const struct json *min = json_member(schema, S("minLength"));
	const struct json *max = json_member(schema, S("maxLength"));
	struct str s = json_text(v), format = json_str(schema, "format");
	struct str pattern = json_str(schema, "pattern");
	struct instant t;

	/* only the first fault of these is reported */
	if (max && (double)length(s) > number(max))
		cause_add(w->a, w->causes, "FieldValueTooLong", path,
			  str_fmt(w->a, "Too long: may not be more than %.*s bytes",
				  STRF(json_text(max))));
	else if (min && (double)length(s) < number(min))
		add_should(w, v, path, "be at least %.*s chars long", json_text(min));
	else if (pattern.n && !matches_pattern(pattern, s))
		add_should(w, v, path, "match '%.*s'", pattern);
	if ((str_is(format, "date-time") && !rfc3339_parse(s, &t)) ||
	    (str_is(format, "byte") && !is_base64(w->a, s))) {
		struct str quoted = go_quoted(w->a, s);

		cause_add(w->a, w->causes, "FieldValueTypeInvalid", path,
			  str_fmt(w->a,
				  "Invalid value: %.*s: %.*s in body must be of type %.*s: %.*s",
				  STRF(quoted), STRF(path), STRF(format), STRF(quoted)));
	}
}

/* ---- lists and objects --------------------------------------------------- */

static void check_size(struct walk *w, const struct json *schema, const struct json *v,
		       struct str path, const char *min, const char *max, const char *less)
{
	const struct json *least = json_member(schema, str_of(min));
	const struct json *most = json_member(schema, str_of(max));
	double n = (double)json_len(v);

	if (least && n < number(least))
		add_should(w, json_new_i64(w->a, (int64_t)json_len(v)), path, less,
			   json_text(least));
	else if (most && n > number(most))
		cause_add(w->a, w->causes, "FieldValueTooMany", path,
			  str_fmt(w->a, "Too many: %zu: must have at most %.*s items", json_len(v),
				  STRF(json_text(most))));
}

static void check_array(struct walk *w, const struct json *schema, const struct json *v,
			struct str path)
{
	const struct json *each = json_member(schema, S("items"));

	size_t i = 0;

	for (const struct json *m = json_first(v); m && each; m = json_next(m), i++)
		check_value(w, each, m, str_fmt(w->a, "%.*s[%zu]", STRF(path), i));
	check_size(w, schema, v, path, "minItems", "maxItems", "have at least %.*s items");
	w->right++;
}

static struct str member_path(struct walk *w, struct str path, struct str key)
{
	if (!path.n)
		return key;
	return str_fmt(w->a, "%.*s.%.*s", STRF(path), STRF(key));
}

/* Absent, or null in a field that is not nullable. */
static bool is_missing(const struct json *known, const struct json *v, struct str key)
{
	const struct json *m = json_member(v, key);

	return !m ||
	       (json_kind(m) == JSON_NULL && !schema_flag(json_member(known, key), "nullable"));
}

static bool is_needed(const struct json *schema, struct str key)
{
	const struct json *r = json_first(json_member(schema, S("required")));

	while (r && !str_eq(json_text(r), key))
		r = json_next(r);
	return r != NULL;
}

static void check_object(struct walk *w, const struct json *schema, const struct json *v,
			 struct str path)
{
	const struct json *known = json_member(schema, S("properties"));
	const struct json *rest = json_member(schema, S("additionalProperties"));
	size_t before = w->causes->n;

	check_size(w, schema, v, path, "minProperties", "maxProperties",
		   "have at least %.*s properties");
	if (w->causes->n > before)
		return;
	for (const struct json *r = json_first(json_member(schema, S("required"))); r;
	     r = json_next(r))
		if (is_missing(known, v, json_text(r)))
			cause_required(w->a, w->causes, member_path(w, path, json_text(r)), "");
	for (const struct json *m = json_first(v); m; m = json_next(m)) {
		const struct json *s = json_member(known, json_key(m));

		if (!s && json_kind(rest) == JSON_OBJECT)
			s = rest;
		if (s && !(json_kind(m) == JSON_NULL && is_missing(known, v, json_key(m)) &&
			   is_needed(schema, json_key(m))))
			check_value(w, s, m, member_path(w, path, json_key(m)));
	}
}

/* ---- alternatives -------------------------------------------------------- */

static void check_composed(struct walk *w, struct str path, const char *what)
{
	struct buf b;

	buf_init(&b, w->a);
	go_quote(&b, path);
	buf_addf(&b, " must %s", what);
	cause_text(w->a, w->causes, S("<nil>"), S(""), str_z(w->a, buf_str(&b)));
}

static void merge_walk(struct walk *w, const struct walk *from)
{
	w->right += from->right;
	for (size_t i = 0; from->causes && i < from->causes->n; i++)
		VEC_PUSH(w->a, w->causes, from->causes->v[i]);
}

struct tried {
	size_t n, valid;
	struct walk first; /* the first valid one */
	struct walk best; /* the best of those that fail */
};

/* Tries the schemas of a list; all: continues after a match and merges each. */
static struct tried try_schemas(struct walk *w, const struct json *list, const struct json *v,
				struct str path, bool all)
{
	struct tried t = { 0 };

	for (const struct json *s = json_first(list); s; s = json_next(s)) {
		struct walk one = { w->a, arena_array(w->a, 1, sizeof(*one.causes)), 0 };

		*one.causes = (struct sb_causes){ 0 };
		check_value(&one, s, v, path);
		t.n++;
		if (all)
			merge_walk(w, &one);
		if (!one.causes->n && !t.valid++)
			t.first = one;
		if (one.causes->n && (!t.best.causes || one.right > t.best.right))
			t.best = one;
	}
	return t;
}

static void check_alternatives(struct walk *w, const struct json *schema, const struct json *v,
			       struct str path)
{
	struct tried any = try_schemas(w, json_member(schema, S("anyOf")), v, path, false);
	struct tried one = try_schemas(w, json_member(schema, S("oneOf")), v, path, false);
	struct tried all = try_schemas(w, json_member(schema, S("allOf")), v, path, true);
	const struct json *not = json_member(schema, S("not"));

	if (any.n && !any.valid)
		check_composed(w, path, "validate at least one schema (anyOf)");
	merge_walk(w, any.valid ? &any.first : &any.best);
	if (one.n && one.valid != 1)
		check_composed(w, path,
			       str_z(w->a, one.valid ? str_fmt(w->a,
							       "validate one and only one "
							       "schema (oneOf). Found %zu "
							       "valid alternatives",
							       one.valid)
						     : S("validate one and only one schema "
							 "(oneOf). Found none valid")));
	if (one.valid < 2)
		merge_walk(w, one.valid ? &one.first : &one.best);
	if (all.valid < all.n)
		check_composed(w, path,
			       all.valid ? "validate all the schemas (allOf)"
					 : "validate all the schemas (allOf). None "
					   "validated");
	if (not ) {
		struct sb_causes causes = { 0 };
		struct walk other = { w->a, &causes, 0 };

		check_value(&other, not, v, path);
		if (!causes.n)
			check_composed(w, path, "not validate the schema (not)");
	}
	w->right++;
}

/* ---- a value ------------------------------------------------------------- */

static void check_value(struct walk *w, const struct json *schema, const struct json *v,
			struct str path)
{
	bool typed =
		json_str(schema, "type").n || schema_flag(schema, "x-kubernetes-int-or-string");

	if (typed) {
		check_type(w, schema, v, path);
		w->right++;
	}
	if (json_kind(v) == JSON_NULL) {
		check_enum(w, schema, v, path);
		return;
	}
	check_alternatives(w, schema, v, path);
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
	check_enum(w, schema, v, path);
	/* every checked part counts, and the whole */
	w->right += json_kind(v) == JSON_BOOL ? 3 : 4;
}

void schema_check(struct arena *a, const struct json *schema, const struct json *v,
		  struct sb_causes *causes)
{
	struct walk w = { a, causes, 0 };

	check_value(&w, schema, v, S(""));
}
