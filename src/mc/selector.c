/*
 * Label selectors, checked and matched as the API machinery does. Requirements are
 * sorted by key, values too.
 */
#include "mc/selector.h"

#include <stdlib.h>

static bool alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Whether s starts and ends with a letter or digit, with '-', '_' and '.' between. */
static bool is_name(struct str s)
{
	if (!s.n || !alnum(s.p[0]) || !alnum(s.p[s.n - 1]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_' && s.p[i] != '.')
			return false;
	return true;
}

/* A DNS subdomain: labels of lower-case letters, digits and '-'. */
bool selector_is_subdomain(struct str s)
{
	bool more = true;

	if (!s.n || s.n > 253)
		return false;
	while (more) {
		struct str part;

		more = str_cut(s, '.', &part, &s);
		if (!more)
			part = s;
		if (!part.n || part.p[0] == '-' || part.p[part.n - 1] == '-')
			return false;
		for (size_t i = 0; i < part.n; i++)
			if (!(alnum(part.p[i]) || part.p[i] == '-') ||
			    (part.p[i] >= 'A' && part.p[i] <= 'Z'))
				return false;
	}
	return true;
}

#define NAME_RULE                                                             \
	"must consist of alphanumeric characters, '-', '_' or '.', and must " \
	"start and end with an alphanumeric character (e.g. 'MyName',  or "   \
	"'my.name',  or '123-abc', regex used for validation is "             \
	"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_RULE                                                          \
	"a valid label must be an empty string or consist of alphanumeric " \
	"characters, '-', '_' or '.', and must start and end with an "      \
	"alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "      \
	"'12345', regex used for validation is "                            \
	"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

static void complain(struct buf *b, const char *text)
{
	buf_addf(b, "%s%s", b->n ? "; " : "", text);
}

/* The fault of a key, or "". */
struct str selector_bad_key(struct arena *a, struct str key)
{
	struct str prefix = S(""), name = key;
	bool prefixed = str_cut(key, '/', &prefix, &name);
	struct buf b;

	buf_init(&b, a);
	if (prefixed && str_chr(name, '/') >= 0)
		complain(&b, "a qualified name " NAME_RULE
			     " with an optional DNS subdomain prefix and '/' "
			     "(e.g. 'example.com/MyName')");
	else if (prefixed && !prefix.n)
		complain(&b, "prefix part must be non-empty");
	else if (prefixed && !selector_is_subdomain(prefix))
		complain(&b, "prefix part " SELECTOR_SUBDOMAIN_RULE);
	if (b.n && prefixed && str_chr(name, '/') >= 0)
		return buf_str(&b);
	if (!name.n)
		complain(&b, "name part must be non-empty");
	else if (name.n > 63)
		complain(&b, "name part must be no more than 63 bytes");
	if (!is_name(name))
		complain(&b, "name part " NAME_RULE);
	return buf_str(&b);
}

struct str selector_bad_value(struct arena *a, struct str value)
{
	struct buf b;

	buf_init(&b, a);
	if (value.n > 63)
		complain(&b, "must be no more than 63 bytes");
	if (value.n && !is_name(value))
		complain(&b, VALUE_RULE);
	return buf_str(&b);
}

static void quoted_list(struct buf *b, const struct strs *values)
{
	buf_addc(b, '[');
	for (size_t i = 0; i < values->n; i++) {
		buf_addz(b, i ? "," : "");
		json_add_quoted(b, values->v[i], 0);
	}
	buf_addc(b, ']');
}

static int check_requirement(struct arena *a, const struct requirement *r, struct err *err)
{
	struct str bad = selector_bad_key(a, r->key);
	struct buf b;

	buf_init(&b, a);
	if (bad.n) {
		json_add_quoted(&b, r->key, JSON_NO_HTML);
		return err_set(err, ERR_INVALID, "key: Invalid value: %s: %.*s", b.p, STRF(bad));
	}
	if (r->op == SELECT_IN || r->op == SELECT_NOT_IN) {
		if (!r->values.n)
			return err_set(err, ERR_INVALID,
				       "values: Invalid value: null: for 'in', "
				       "'notin' operators, values set can't be "
				       "empty");
	} else if (r->values.n) {
		quoted_list(&b, &r->values);
		return err_set(err, ERR_INVALID,
			       "values: Invalid value: %s: values set must be "
			       "empty for exists and does not exist",
			       b.p);
	}
	for (size_t i = 0; i < r->values.n; i++) {
		bad = selector_bad_value(a, r->values.v[i]);
		if (!bad.n)
			continue;
		json_add_quoted(&b, r->values.v[i], JSON_NO_HTML);
		return err_set(err, ERR_INVALID, "values[%zu][%.*s]: Invalid value: %s: %.*s", i,
			       STRF(r->key), b.p, STRF(bad));
	}
	return 0;
}

static int by_value(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static int by_key(const void *x, const void *y)
{
	const struct requirement *p = x, *q = y;

	return str_cmp(p->key, q->key);
}

/* Checks the key and values of a requirement, sorts the values, and adds it. */
static int add_requirement(struct arena *a, struct selector *s, struct requirement r,
			   struct err *err)
{
	int rc = check_requirement(a, &r, err);

	if (rc < 0)
		return rc;
	if (r.values.n > 1)
		qsort(r.values.v, r.values.n, sizeof(*r.values.v), by_value);
	VEC_PUSH(a, s, r);
	return 0;
}

static bool op_of(struct str name, enum selector_op *op)
{
	static const char *const names[] = {
		[SELECT_IN] = "In",
		[SELECT_NOT_IN] = "NotIn",
		[SELECT_EXISTS] = "Exists",
		[SELECT_NOT_EXISTS] = "DoesNotExist",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i])) {
			*op = (enum selector_op)i;
			return true;
		}
	return false;
}

static int expression(struct arena *a, const struct json *j, struct selector *s, struct err *err)
{
	struct requirement r = { .key = json_str(j, "key") };
	struct str op = json_str(j, "operator");
	const struct json *values = json_at(j, "values");

	if (!op_of(op, &r.op)) {
		struct buf b;

		buf_init(&b, a);
		json_add_quoted(&b, op, JSON_NO_HTML);
		return err_set(err, ERR_INVALID, "%s is not a valid label selector operator", b.p);
	}
	for (const struct json *v = json_first(values); v; v = json_next(v))
		VEC_PUSH(a, &r.values, json_text(v));
	return add_requirement(a, s, r, err);
}

int selector_make(struct arena *a, const struct json *j, struct selector *out, struct err *err)
{
	struct selector s = { 0 };
	int rc = 0;

	for (const struct json *m = json_first(json_at(j, "matchLabels")); m && rc == 0;
	     m = json_next(m)) {
		struct requirement r = { .key = json_key(m), .op = SELECT_IN };

		VEC_PUSH(a, &r.values, json_text(m));
		rc = add_requirement(a, &s, r, err);
	}
	for (const struct json *m = json_first(json_at(j, "matchExpressions")); m && rc == 0;
	     m = json_next(m))
		rc = expression(a, m, &s, err);
	if (rc < 0)
		return rc;
	if (s.n > 1)
		qsort(s.v, s.n, sizeof(*s.v), by_key);
	*out = s;
	return 0;
}

/* label is NULL when no label has the requirement's key. */
static bool holds(const struct requirement *r, const struct str *label)
{
	bool listed = false;
	int64_t have, than;

	for (size_t i = 0; label && i < r->values.n; i++)
		listed = listed || str_eq(*label, r->values.v[i]);
	switch (r->op) {
	case SELECT_IN:
		return listed;
	case SELECT_NOT_IN:
		return !listed;
	case SELECT_EXISTS:
		return label != NULL;
	case SELECT_NOT_EXISTS:
		return label == NULL;
	case SELECT_GT:
	case SELECT_LT:
		return label && str_to_i64(*label, &have) && str_to_i64(r->values.v[0], &than) &&
		       (r->op == SELECT_GT ? have > than : have < than);
	}
	return false;
}

bool selector_matches(const struct selector *s, const struct json *labels)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct json *m = json_member(labels, s->v[i].key);
		struct str value = json_text(m);

		if (!holds(&s->v[i], m ? &value : NULL))
			return false;
	}
	return true;
}

bool selector_matches_labels(const struct selector *s, struct labels labels)
{
	for (size_t i = 0; i < s->n; i++) {
		struct str value;
		bool found = labels_get(labels, s->v[i].key, &value);

		if (!holds(&s->v[i], found ? &value : NULL))
			return false;
	}
	return true;
}

struct str selector_text(struct arena *a, const struct selector *s)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < s->n; i++) {
		const struct requirement *r = &s->v[i];
		bool set = r->op == SELECT_NOT_IN || (r->op == SELECT_IN && r->values.n > 1);

		buf_addf(&b, "%s%s%.*s", i ? "," : "", r->op == SELECT_NOT_EXISTS ? "!" : "",
			 STRF(r->key));
		if (set)
			buf_addz(&b, r->op == SELECT_IN ? " in (" : " notin (");
		else if (r->op == SELECT_GT || r->op == SELECT_LT)
			buf_addc(&b, r->op == SELECT_GT ? '>' : '<');
		else if (r->op == SELECT_IN)
			buf_addc(&b, '=');
		for (size_t k = 0; k < r->values.n; k++)
			buf_addf(&b, "%s%.*s", k ? "," : "", STRF(r->values.v[k]));
		buf_addz(&b, set ? ")" : "");
	}
	return buf_str(&b);
}
