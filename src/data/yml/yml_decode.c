/*
 * Converts nodes to a JSON tree. Upstream does it in two steps: a YAML value with typed keys, then
 * JSON. Here duplicate keys and merges work on the text of the keys, which differs only for a
 * mapping with both 1 and "1".
 */
#include <math.h>
#include <stdarg.h>

#include "base/codec.h"
#include "yml_node.h"

int yml_fail(struct yml_decode *d, const struct yml_node *at, const char *fmt, ...)
{
	struct buf b;
	va_list ap;

	buf_init(&b, d->a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	d->fault = (struct yml_fault){
		.line = at->line + 1,
		.col = at->col + 1,
		.problem = buf_str(&b),
		.upstream = str_fmt(d->a, "yaml: %.*s", STRF(buf_str(&b))),
	};
	return err_set(d->err, ERR_INVALID, "line %zu, column %zu: %.*s", d->fault.line,
		       d->fault.col, STRF(buf_str(&b)));
}

static const char *short_tag(struct arena *a, struct str tag)
{
	if (str_starts(tag, S(YML_TAG(""))))
		return str_fmt(a, "!!%.*s", STRF(str_from(tag, sizeof(YML_TAG("")) - 1))).p;
	return str_z(a, tag);
}

static bool core_tag(struct str tag)
{
	static const char *const names[] = { "str", "bool", "int", "float", "null", "timestamp" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts(tag, S(YML_TAG(""))) &&
		    str_is(str_from(tag, sizeof(YML_TAG("")) - 1), names[i]))
			return true;
	return false;
}

/* A tag of another type than the text has. */
static int check_tag(struct yml_decode *d, const struct yml_node *n, struct yml_value *v)
{
	const char *want = short_tag(d->a, n->tag), *got;

	if (!n->tag.n || str_is(n->tag, YML_TAG("str")))
		return 0;
	got = yml_type_name(v->type);
	if (strcmp(want, got) == 0)
		return 0;
	if (strcmp(want, "!!float") == 0 && v->type == YML_INT &&
	    (v->i.neg || v->i.abs <= INT64_MAX)) {
		v->type = YML_FLOAT;
		v->f = v->i.neg ? -(double)v->i.abs : (double)v->i.abs;
		return 0;
	}
	return yml_fail(d, n, "cannot decode %s `%.*s` as a %s", got, STRF(n->value), want);
}

int yml_scalar_value(struct yml_decode *d, const struct yml_node *n, struct yml_value *v,
		     struct str *text)
{
	struct err ignored = ERR_INIT(d->a);

	*v = (struct yml_value){ .type = YML_STR };
	*text = n->value;
	if (!n->tag.n && !n->implicit)
		return 0;
	if (n->tag.n && !core_tag(n->tag)) {
		if (str_is(n->tag, YML_TAG("binary")) &&
		    base64_decode(d->a, n->value, text, &ignored) < 0)
			return yml_fail(d, n,
					"!!binary value contains invalid "
					"base64 data");
		return 0;
	}
	*v = yml_resolve(n->tag, n->value);
	return check_tag(d, n, v);
}

struct json *yml_scalar_json(struct arena *a, const struct yml_value *v, struct str text)
{
	struct buf b;

	buf_init(&b, a);
	switch (v->type) {
	case YML_STR:
	case YML_TIMESTAMP:
		return json_new_str(a, text);
	case YML_NULL:
		return json_new(a, JSON_NULL);
	case YML_BOOL:
		return json_new_bool(a, v->truth);
	case YML_INT:
		num_add_int(&b, v->i);
		break;
	case YML_FLOAT:
		if (isfinite(v->f))
			num_add_float_json(&b, v->f);
		else /* refused at the end, if it is still in the tree */
			num_add_float_g(&b, v->f, 64);
		break;
	}
	return json_new_num(a, buf_str(&b));
}

static int scalar(struct yml_decode *d, const struct yml_node *n, struct json **out)
{
	struct yml_value v;
	struct str text;
	int rc = yml_scalar_value(d, n, &v, &text);

	if (rc == 0)
		*out = yml_scalar_json(d->a, &v, text);
	return rc;
}

/*
 * Upstream's protection against alias bombs: the larger the document, the smaller the share that
 * may come from aliases.
 */
static int count_node(struct yml_decode *d, const struct yml_node *n)
{
	const double low = 400000, high = 4000000;
	double total, allowed = 0.99;

	d->decoded++;
	if (d->alias_depth)
		d->aliased++;
	if (d->aliased <= 100 || d->decoded <= 1000)
		return 0;
	total = (double)d->decoded;
	if (total >= high)
		allowed = 0.10;
	else if (total > low)
		allowed = 0.99 - 0.89 * ((total - low) / (high - low));
	if ((double)d->aliased / total > allowed)
		return yml_fail(d, n, "document contains excessive aliasing");
	return 0;
}

/* ---- keys ---------------------------------------------------------------- */

static int bad_key(struct yml_decode *d, const struct yml_node *n)
{
	struct buf b;

	buf_init(&b, d->a);
	yml_show(d, &b, n);
	return yml_fail(d, n, "invalid map key: %.*s", STRF(buf_str(&b)));
}

static void float_key(struct buf *b, double f)
{
	if (isnan(f))
		buf_addz(b, ".nan");
	else if (isinf(f) || isinf((float)f))
		buf_addz(b, f < 0 ? "-.inf" : ".inf");
	else
		num_add_float_g(b, f, 32);
}

static void odd_key(struct yml_decode *d, const struct yml_node *key, const struct yml_node *value)
{
	if (d->odd_key && !str_eq(d->odd_key->value, key->value) &&
	    (d->odd_key->value.n > 4 || key->value.n > 4))
		return; /* another key; of several nulls the last value counts */
	d->odd_key = key;
	d->odd_value = value;
}

static int key_text(struct yml_decode *d, struct yml_node *n, const struct yml_node *value,
		    struct str *out)
{
	struct yml_value v;
	struct buf b;
	int rc = count_node(d, n);

	if (rc == 0 && n->kind == YML_ALIAS) {
		n = n->target;
		d->alias_depth++;
		rc = count_node(d, n);
		d->alias_depth--;
	}
	if (rc == 0 && n->kind != YML_SCALAR)
		rc = bad_key(d, n);
	if (rc == 0)
		rc = yml_scalar_value(d, n, &v, out);
	if (rc < 0)
		return rc;
	buf_init(&b, d->a);
	switch (v.type) {
	case YML_STR:
	case YML_TIMESTAMP:
		return 0;
	case YML_NULL:
		odd_key(d, n, value);
		*out = S("");
		return 0;
	case YML_BOOL:
		*out = v.truth ? S("true") : S("false");
		return 0;
	case YML_INT:
		num_add_int(&b, v.i);
		if (!v.i.neg && v.i.abs > INT64_MAX)
			odd_key(d, n, value);
		break;
	case YML_FLOAT:
		float_key(&b, v.f);
		break;
	}
	*out = buf_str(&b);
	return 0;
}

/* ---- collections --------------------------------------------------------- */

#define SMALL 8

struct json *yml_find(struct arena *a, struct yml_target *t, struct str key)
{
	if (t->n <= SMALL)
		return json_member(t->object, key);
	if (!t->index.a) {
		map_init(&t->index, a);
		for (struct json *m = json_first(t->object); m; m = json_next(m))
			(void)map_put(&t->index, json_key(m), m);
	}
	return map_get(&t->index, key);
}

void yml_put(struct yml_target *t, struct str key, struct json *v)
{
	json_add(t->object, key, v);
	t->n++;
	if (t->index.a)
		(void)map_put(&t->index, key, v);
}

static int put_member(struct yml_decode *d, struct yml_target *t, const struct yml_node *n,
		      struct str key, struct json *v)
{
	struct json *old = yml_find(d->a, t, key);

	if (old && (d->flags & JSON_DUP_ERROR)) {
		struct buf b;
		int rc;

		buf_init(&b, d->a);
		json_add_quoted(&b, key, JSON_NO_HTML);
		rc = yml_fail(d, n, "key %s already set in map", b.p);
		d->fault.upstream = str_fmt(d->a, "yaml: unmarshal errors:\n  line %zu: %.*s",
					    d->fault.line, STRF(d->fault.problem));
		return rc;
	}
	if (old) {
		if (d->twice && !d->twice->line)
			*d->twice = (struct yml_fault){ .line = n->line + 1,
							.col = n->col + 1,
							.problem = key };
		json_detach(t->object, old);
		t->n--;
	}
	yml_put(t, key, v);
	return 0;
}

static int value(struct yml_decode *d, struct yml_node *n, struct json **out);
static int fill_mapping(struct yml_decode *d, struct yml_node *n, struct yml_target *t);

static bool is_merge(const struct yml_node *n)
{
	return n->kind == YML_SCALAR && str_is(n->value, "<<") &&
	       (n->implicit || str_is(n->tag, YML_TAG("merge")));
}

static int enter_alias(struct yml_decode *d, struct yml_node *n)
{
	if (n->expanding)
		return yml_fail(d, n, "anchor '%.*s' value contains itself", STRF(n->value));
	n->expanding = true;
	d->alias_depth++;
	return 0;
}

static void leave_alias(struct yml_decode *d, struct yml_node *n)
{
	d->alias_depth--;
	n->expanding = false;
}

static int merge_one(struct yml_decode *d, struct yml_node *n, struct yml_target *t)
{
	struct yml_node *map = n->kind == YML_ALIAS ? n->target : n;
	int rc;

	if (map->kind != YML_MAPPING)
		return yml_fail(d, n,
				"map merge requires map or sequence of maps "
				"as the value");
	rc = count_node(d, n);
	if (rc < 0 || n->kind != YML_ALIAS)
		return rc < 0 ? rc : fill_mapping(d, map, t);
	rc = enter_alias(d, n);
	if (rc < 0)
		return rc;
	rc = count_node(d, map);
	if (rc == 0)
		rc = fill_mapping(d, map, t);
	leave_alias(d, n);
	return rc;
}

/* The first of several maps wins, so they are merged from last to first. */
static int merge_mappings(struct yml_decode *d, struct yml_node *n, struct yml_target *t)
{
	struct yml_node **list;
	size_t i = 0;
	int rc = 0;

	if (n->kind != YML_SEQUENCE)
		return merge_one(d, n, t);
	list = arena_array(d->a, n->n, sizeof(*list));
	for (struct yml_node *c = n->first; c; c = c->next)
		list[i++] = c;
	while (i-- > 0 && rc == 0)
		rc = merge_one(d, list[i], t);
	return rc;
}

/* Bounds the joint recursion of fill_mapping, value and merge_mappings. */
static int enter_depth(struct yml_decode *d, const struct yml_node *n)
{
	if (d->depth++ < 2 * YML_DEPTH_MAX)
		return 0;
	return err_set(d->err, ERR_LIMIT, "line %zu: nested more than %d levels deep", n->line + 1,
		       2 * YML_DEPTH_MAX);
}

static int fill_mapping(struct yml_decode *d, struct yml_node *n, struct yml_target *t)
{
	int rc = enter_depth(d, n);

	for (struct yml_node *k = n->first; k && rc == 0; k = k->next->next) {
		struct json *v;
		struct str key;

		if (is_merge(k)) {
			rc = merge_mappings(d, k->next, t);
			continue;
		}
		rc = key_text(d, k, k->next, &key);
		if (rc == 0)
			rc = value(d, k->next, &v);
		if (rc == 0)
			json_set_span(v, k->start, k->next->start, k->next->end);
		if (rc == 0)
			rc = put_member(d, t, k->next, key, v);
	}
	d->depth--;
	return rc;
}

static int sequence(struct yml_decode *d, struct yml_node *n, struct json **out)
{
	struct json *list = json_new(d->a, JSON_ARRAY), *v;
	int rc = enter_depth(d, n);

	for (n = n->first; n && rc == 0; n = n->next) {
		rc = value(d, n, &v);
		if (rc == 0)
			json_push(list, v);
	}
	d->depth--;
	*out = list;
	return rc;
}

static int value(struct yml_decode *d, struct yml_node *n, struct json **out)
{
	struct yml_target t = { 0 };
	int rc = count_node(d, n);

	if (rc < 0)
		return rc;
	switch (n->kind) {
	case YML_SCALAR:
		rc = scalar(d, n, out);
		break;
	case YML_SEQUENCE:
		rc = sequence(d, n, out);
		break;
	case YML_MAPPING:
		t.object = *out = json_new(d->a, JSON_OBJECT);
		rc = fill_mapping(d, n, &t);
		break;
	case YML_ALIAS:
		rc = enter_alias(d, n);
		if (rc < 0)
			return rc;
		rc = value(d, n->target, out);
		leave_alias(d, n);
		return rc;
	}
	if (rc == 0)
		json_set_span(*out, n->start, n->start, n->end);
	return rc;
}

/* Null, and unsigned numbers above int64, cannot be keys of a JSON object. */
static int refuse_key(struct yml_decode *d)
{
	struct yml_value v = yml_resolve(d->odd_key->tag, d->odd_key->value);
	struct buf b;
	int rc;

	buf_init(&b, d->a);
	if (v.type == YML_INT)
		buf_addf(&b, "uint64, key: 0x%llx, value: ", (unsigned long long)v.i.abs);
	else
		buf_addz(&b, "%!s(<nil>), key: <nil>, value: ");
	yml_show(d, &b, d->odd_value);
	/* Go prints a top-level nil differently */
	if (str_ends(buf_str(&b), S("value: interface {}(nil)"))) {
		b.n -= strlen("interface {}(nil)");
		buf_addz(&b, "<nil>");
	}
	rc = yml_fail(d, d->odd_key, "unsupported map key of type: %.*s", STRF(buf_str(&b)));
	d->fault.upstream = d->fault.problem;
	return rc;
}

/* JSON has no such numbers; upstream fails when it writes JSON. */
static const struct json *find_infinite(const struct json *j)
{
	const struct json *found = NULL;

	if (json_kind(j) == JSON_NUMBER) {
		struct str t = json_text(j);

		return str_is(t, "NaN") || str_ends(t, S("Inf")) ? j : NULL;
	}
	for (const struct json *m = json_first(j); m && !found; m = json_next(m))
		found = find_infinite(m);
	return found;
}

static int refuse_number(struct yml_decode *d, struct str text, const struct json *bad)
{
	struct yml_node at = { 0 };
	size_t start, end;
	int rc;

	json_span(bad, &start, &end);
	json_line_col(text, start, &at.line, &at.col);
	at.line--;
	at.col--;
	rc = yml_fail(d, &at, "unsupported value: %.*s", STRF(json_text(bad)));
	d->fault.upstream = str_fmt(d->a, "json: %.*s", STRF(d->fault.problem));
	return rc;
}

int yml_decode(struct yml_decode *d, struct str text, struct yml_node *root, struct json **out)
{
	const struct json *bad;
	struct json *v = NULL;
	int rc = value(d, root, &v);

	if (rc < 0)
		return rc;
	if (d->odd_key)
		return refuse_key(d);
	bad = find_infinite(v);
	if (bad)
		return refuse_number(d, text, bad);
	*out = v;
	return 0;
}
