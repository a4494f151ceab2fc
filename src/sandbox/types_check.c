/*
 * Validation rules of fields, one letter each:
 *
 *	r required	n not negative	p a port	a a deadline in seconds
 *	l a DNS label	s a DNS subdomain	q a label key	k labels
 *	u a list whose elements have unique names
 *	i a count or percentage; % at most 100%; 0 not zero
 *	e expressions of a selector	P a pod spec
 *	(A,B one of these	<A,B the same with another text
 */
#include "base/codec.h"
#include "base/map.h"
#include "sandbox/sandbox.h"

#define PERCENT_RULE                                                      \
	"a valid percent string must be a numeric string followed by "    \
	"an ending '%' (e.g. '1%',  or '93%', regex used for validation " \
	"is '[0-9]+%')"

struct check {
	struct arena *a;
	const struct sb_types *t;
	struct sb_causes *causes;
};

static bool is_empty(const struct json *v)
{
	switch (json_kind(v)) {
	case JSON_STRING:
		return !json_text(v).n;
	case JSON_NUMBER:
		return str_is(json_text(v), "0");
	case JSON_ARRAY:
		return !json_first(v);
	case JSON_NULL:
		return true;
	case JSON_BOOL:
	case JSON_OBJECT:
		break;
	}
	return false;
}

static struct str in(struct check *k, struct str path, struct str name)
{
	return str_fmt(k->a, "%.*s%s%.*s", STRF(path), path.n ? "." : "", STRF(name));
}

static void range(struct check *k, struct str field, const struct json *v, int64_t from, int64_t to)
{
	int64_t n = 0;

	(void)str_to_i64(json_text(v), &n);
	if (n >= from && n <= to)
		return;
	cause_value(k->a, k->causes, field, v,
		    to == INT64_MAX ? "must be greater than or equal to 0"
				    : str_z(k->a, str_fmt(k->a,
							  "must be between %lld and "
							  "%lld, inclusive",
							  (long long)from, (long long)to)));
}

void sb_check_label(struct arena *a, struct sb_causes *causes, struct str field, struct str s)
{
	if (s.n > 63)
		cause_text(a, causes, field, s, "must be no more than 63 bytes");
	if (!selector_is_subdomain(s) || str_chr(s, '.') >= 0)
		cause_text(a, causes, field, s, SB_LABEL_RULE);
}

void sb_check_labels(struct arena *a, struct sb_causes *causes, struct str field,
		     const struct json *labels)
{
	for (const struct json *m = json_first(labels); m; m = json_next(m)) {
		cause_each(a, causes, field, json_key(m), filter_bad_key(a, json_key(m)));
		cause_each(a, causes, field, json_text(m), filter_bad_value(a, json_text(m)));
	}
}

static void check_unique(struct check *k, struct str field, const struct json *list)
{
	struct map seen;
	size_t i = 0;

	map_init(&seen, k->a);
	for (const struct json *e = json_first(list); e; e = json_next(e), i++) {
		const struct json *name = json_member(e, S("name"));
		struct buf b;

		if (map_put(&seen, json_text(name), k))
			continue;
		buf_init(&b, k->a);
		buf_addz(&b, "Duplicate value: ");
		json_add_quoted(&b, json_text(name), JSON_NO_HTML);
		cause_add(k->a, k->causes, "FieldValueDuplicate",
			  str_fmt(k->a, "%.*s[%zu].name", STRF(field), i), buf_str(&b));
	}
}

static void amount(struct check *k, struct str field, const struct json *v, struct str rules)
{
	struct str s = json_text(v);
	int64_t n = -1;

	if (json_kind(v) == JSON_NUMBER) {
		range(k, field, v, 0, INT64_MAX);
		(void)str_to_i64(s, &n);
	} else if (!str_ends(s, S("%")) || !str_to_i64(str_sub(s, 0, s.n - 1), &n) || n < 0) {
		cause_value(k->a, k->causes, field, v, PERCENT_RULE);
	} else if (n > 100 && str_chr(rules, '%') >= 0) {
		cause_value(k->a, k->causes, field, v, "must not be greater than 100%");
	}
	if (n == 0 && str_chr(rules, '0') >= 0)
		cause_required(k->a, k->causes, field, "cannot be 0 when maxSurge is 0");
}

static void expressions(struct check *k, struct str field, const struct json *list)
{
	size_t i = 0;

	for (const struct json *e = json_first(list); e; e = json_next(e), i++) {
		struct str path = str_fmt(k->a, "%.*s[%zu]", STRF(field), i);
		struct str op = json_str(e, "operator");
		size_t n = json_len(json_at(e, "values"));

		if (str_is(op, "In") || str_is(op, "NotIn")) {
			if (!n)
				cause_required(k->a, k->causes, in(k, path, S("values")),
					       "must be specified when "
					       "`operator` is 'In' or "
					       "'NotIn'");
		} else if (str_is(op, "Exists") || str_is(op, "DoesNotExist")) {
			if (n)
				cause_add(k->a, k->causes, "FieldValueForbidden",
					  in(k, path, S("values")),
					  S("Forbidden: may not be specified "
					    "when `operator` is 'Exists' or "
					    "'DoesNotExist'"));
		} else {
			cause_text(k->a, k->causes, in(k, path, S("operator")), op,
				   "not a valid selector operator");
		}
	}
}

/* One of a list of words, with one of two texts. */
static void one_of(struct check *k, struct str field, const struct json *v, struct str words,
		   bool supported)
{
	struct buf b;
	struct str rest = words, one;
	bool more = true;

	buf_init(&b, k->a);
	buf_addz(&b, supported ? "Unsupported value: " : "Invalid value: ");
	json_add_quoted(&b, json_text(v), JSON_NO_HTML);
	buf_addz(&b, supported ? ": supported values: " : ": must be ");
	while (more) {
		more = str_cut(rest, ',', &one, &rest);
		if (!more)
			one = rest;
		if (str_eq(one, json_text(v)))
			return;
		buf_addf(&b, supported ? "\"%.*s\"%s" : "'%.*s'%s", STRF(one),
			 !more	     ? ""
			 : supported ? ", "
				     : " or ");
	}
	cause_add(k->a, k->causes, supported ? "FieldValueNotSupported" : "FieldValueInvalid",
		  field, buf_str(&b));
}

static void apply_rules(struct check *k, struct str rules, struct str field, const struct json *v)
{
	if (is_empty(v) && rules.p[0] == 'r') {
		cause_required(k->a, k->causes, field, "");
		return;
	}
	for (size_t i = 0; i < rules.n && v; i++)
		switch (rules.p[i]) {
		case 'n':
			range(k, field, v, 0, INT64_MAX);
			break;
		case 'p':
			range(k, field, v, 1, 65535);
			break;
		case 'a':
			range(k, field, v, 1, INT32_MAX);
			break;
		case 'l':
			sb_check_label(k->a, k->causes, field, json_text(v));
			break;
		case 's':
			if (!selector_is_subdomain(json_text(v)))
				cause_text(k->a, k->causes, field, json_text(v),
					   SELECTOR_SUBDOMAIN_RULE);
			break;
		case 'q':
			cause_each(k->a, k->causes, field, json_text(v),
				   filter_bad_key(k->a, json_text(v)));
			break;
		case 'k':
			sb_check_labels(k->a, k->causes, field, v);
			break;
		case 'u':
			check_unique(k, field, v);
			break;
		case 'i':
			amount(k, field, v, rules);
			return;
		case 'P':
			sb_check_pod(k->a, v, field, k->causes);
			break;
		case 'e':
			expressions(k, field, v);
			break;
		case '(':
		case '<':
			one_of(k, field, v, str_from(rules, i + 1), rules.p[i] == '(');
			return;
		default: /* r */
			break;
		}
}

static void check_struct(struct check *k, uint16_t type, const struct json *object, struct str path)
{
	const struct shapes *s = &k->t->shapes;

	for (uint16_t i = type + 1; i < s->n && !(s->rows[i].flags & SHAPE_OPEN); i++) {
		const struct shape_row *row = &s->rows[i];
		struct str name = str_of(s->pool + row->name);
		const struct json *v = json_member(object, name);
		size_t n = 0;

		if (k->t->rules[i].must.n)
			apply_rules(k, k->t->rules[i].must, in(k, path, name), v);
		if (row->kind != SHAPE_STRUCT || !v)
			continue;
		if (!(row->flags & SHAPE_LIST))
			check_struct(k, row->type, v, in(k, path, name));
		else
			for (const struct json *e = json_first(v); e; e = json_next(e))
				check_struct(
					k, row->type, e,
					str_fmt(k->a, "%.*s[%zu]", STRF(in(k, path, name)), n++));
	}
}

void types_check(struct arena *a, const struct sb_types *t, uint16_t type,
		 const struct json *object, struct str path, struct sb_causes *causes)
{
	struct check k = { a, t, causes };

	check_struct(&k, type, object, path);
}
