/*
 * Go's own functions of templates; those that print are in tmpl_printf.c.
 */
#include "tmpl_node.h"

bool tmpl_refuse(struct tmpl_call *c, struct str text)
{
	c->error = text;
	return false;
}

/* ---- comparing ----------------------------------------------------------- */

static const char *basic(const struct tmpl_value *v)
{
	if (v->ptr)
		return NULL;
	switch (v->kind) {
	case TMPL_BOOL:
	case TMPL_INT:
	case TMPL_FLOAT:
	case TMPL_STR:
		return tmpl_type(v);
	case TMPL_NONE:
	case TMPL_NIL:
	case TMPL_BYTES:
	case TMPL_LIST:
	case TMPL_MAP:
	case TMPL_STRUCT:
		break;
	}
	return NULL;
}

static bool same_kind(struct tmpl_call *c, const struct tmpl_value *x, const struct tmpl_value *y)
{
	struct buf b;

	if ((basic(x) || basic(y)) && (x->kind != y->kind || x->ptr != y->ptr))
		return tmpl_refuse(c, str_fmt(c->a,
					      "incompatible types for comparison: %s "
					      "and %s",
					      tmpl_type(x), tmpl_type(y)));
	if (basic(x))
		return true;
	buf_init(&b, c->a);
	buf_addz(&b, "non-comparable type ");
	tmpl_print(&b, y);
	buf_addf(&b, ": %s", tmpl_type(y));
	return tmpl_refuse(c, buf_str(&b));
}

static bool equal(const struct tmpl_value *x, const struct tmpl_value *y)
{
	switch (x->kind) {
	case TMPL_BOOL:
		return x->b == y->b;
	case TMPL_INT:
		return x->i == y->i;
	case TMPL_FLOAT:
		return x->f == y->f;
	default:
		return str_eq(x->s, y->s);
	}
}

static bool f_eq(struct tmpl_call *c, struct tmpl_value *out)
{
	*out = tmpl_bool(false);
	if (c->n < 2)
		return tmpl_refuse(c, S("missing argument for comparison"));
	for (size_t i = 1; i < c->n; i++) {
		if (tmpl_is_nil(&c->args[0]) || tmpl_is_nil(&c->args[i])) {
			if (tmpl_is_nil(&c->args[0]) && tmpl_is_nil(&c->args[i]))
				*out = tmpl_bool(true);
			continue;
		}
		if (!same_kind(c, &c->args[0], &c->args[i]))
			return false;
		if (equal(&c->args[0], &c->args[i])) {
			*out = tmpl_bool(true);
			return true;
		}
	}
	return true;
}

static bool f_ne(struct tmpl_call *c, struct tmpl_value *out)
{
	if (!f_eq(c, out))
		return false;
	out->b = !out->b;
	return true;
}

/* -1, 0, 1; *ok false when the values cannot be ordered. */
static int order(struct tmpl_call *c, bool *ok)
{
	const struct tmpl_value *x = &c->args[0], *y = &c->args[1];
	int r;

	*ok = false;
	if (basic(x) && basic(y) && !same_kind(c, x, y))
		return 0;
	if (!basic(x) || !basic(y) || x->kind == TMPL_BOOL) {
		(void)tmpl_refuse(c, S("invalid type for comparison"));
		return 0;
	}
	*ok = true;
	if (x->kind == TMPL_INT)
		return (x->i > y->i) - (x->i < y->i);
	if (x->kind == TMPL_FLOAT)
		return (x->f > y->f) - (x->f < y->f);
	r = str_cmp(x->s, y->s);
	return (r > 0) - (r < 0);
}

#define ORDER(name, test)                                             \
	static bool name(struct tmpl_call *c, struct tmpl_value *out) \
	{                                                             \
		bool ok;                                              \
		int r = order(c, &ok);                                \
                                                                      \
		*out = tmpl_bool(test);                               \
		return ok;                                            \
	}
ORDER(f_lt, r < 0)
ORDER(f_le, r <= 0)
ORDER(f_gt, r > 0)
ORDER(f_ge, r >= 0)

static bool f_not(struct tmpl_call *c, struct tmpl_value *out)
{
	*out = tmpl_bool(!tmpl_truth(&c->args[0]));
	return true;
}

/* ---- looking into -------------------------------------------------------- */

/* Go dereferences pointers first. */
static const char *pointed_at(const struct tmpl_value *v)
{
	const char *go = tmpl_type(v);

	return v->ptr && *go == '*' ? go + 1 : go;
}

static bool f_len(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct tmpl_value *v = &c->args[0];

	switch (v->kind) {
	case TMPL_STR:
	case TMPL_BYTES:
		*out = tmpl_int((int64_t)v->s.n);
		return true;
	case TMPL_LIST:
		*out = tmpl_int((int64_t)v->list->n);
		return true;
	case TMPL_MAP:
		*out = tmpl_int((int64_t)json_len(v->map));
		return true;
	case TMPL_NONE:
	case TMPL_NIL:
		return tmpl_refuse(c, v->go ? S("len of nil pointer")
					    : S("reflect: call of reflect.Value.Type on "
						"zero Value"));
	default:
		return tmpl_refuse(c, str_fmt(c->a, "len of type %s", pointed_at(v)));
	}
}

/* The length of values that are indexed by number; else -1. */
static int64_t length(const struct tmpl_value *v)
{
	if (v->kind == TMPL_STR || v->kind == TMPL_BYTES)
		return (int64_t)v->s.n;
	return v->kind == TMPL_LIST ? (int64_t)v->list->n : -1;
}

static bool index_one(struct tmpl_call *c, struct tmpl_value *v, const struct tmpl_value *k)
{
	int64_t n = length(v);

	if (v->kind == TMPL_MAP) {
		if (k->kind != TMPL_STR)
			return tmpl_refuse(c, str_fmt(c->a,
						      "value has type %s; should be "
						      "string",
						      tmpl_type(k)));
		*v = json_member(v->map, k->s) ? tmpl_from_json(c->a, json_member(v->map, k->s))
					       : (struct tmpl_value){ 0 };
		return true;
	}
	if (n < 0)
		return tmpl_refuse(c, tmpl_is_nil(v) ? S("index of untyped nil")
						     : str_fmt(c->a,
							       "can't index item of type "
							       "%s",
							       pointed_at(v)));
	if (k->kind != TMPL_INT)
		return tmpl_refuse(c, tmpl_is_nil(k) ? S("cannot index slice/array with nil")
						     : str_fmt(c->a,
							       "cannot index slice/array with "
							       "type %s",
							       tmpl_type(k)));
	if (k->i < 0 || k->i >= n)
		return tmpl_refuse(c, str_fmt(c->a, "index out of range: %lld", (long long)k->i));
	*v = v->kind == TMPL_LIST ? v->list->v[k->i] : tmpl_byte(v->s.p[k->i]);
	return true;
}

static bool f_index(struct tmpl_call *c, struct tmpl_value *out)
{
	if (tmpl_is_nil(&c->args[0]))
		return tmpl_refuse(c, c->args[0].go ? S("index of nil pointer")
						    : S("index of untyped nil"));
	*out = c->args[0];
	for (size_t i = 1; i < c->n; i++)
		if (!index_one(c, out, &c->args[i]))
			return false;
	return true;
}

static bool f_slice(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct tmpl_value *v = &c->args[0];
	int64_t n = length(v);
	int64_t at[2] = { 0, n };

	if (tmpl_is_nil(v))
		return tmpl_refuse(c, S("slice of untyped nil"));
	if (n < 0)
		return tmpl_refuse(c, str_fmt(c->a, "can't slice item of type %s", tmpl_type(v)));
	if (c->n > 3)
		return tmpl_refuse(c, S("cannot 3-index slice a string"));
	for (size_t i = 1; i < c->n; i++) {
		if (c->args[i].kind != TMPL_INT)
			return tmpl_refuse(c, str_fmt(c->a,
						      "cannot index slice/array with "
						      "type %s",
						      tmpl_type(&c->args[i])));
		at[i - 1] = c->args[i].i;
		if (at[i - 1] < 0 || at[i - 1] > n)
			return tmpl_refuse(
				c, str_fmt(c->a, "index out of range: %lld", (long long)at[i - 1]));
	}
	if (at[0] > at[1])
		return tmpl_refuse(c, str_fmt(c->a, "invalid slice index: %lld > %lld",
					      (long long)at[0], (long long)at[1]));
	*out = *v;
	if (v->kind != TMPL_LIST) {
		out->s = str_sub(v->s, (size_t)at[0], (size_t)at[1]);
		return true;
	}
	out->list = ARENA_NEW(c->a, struct tmpl_values);
	out->list->strings = v->list->strings;
	for (int64_t i = at[0]; i < at[1]; i++)
		VEC_PUSH(c->a, out->list, v->list->v[i]);
	return true;
}

const struct tmpl_func tmpl_builtins[] = {
	{ "and", "aa*", NULL },
	{ "or", "aa*", NULL },
	{ "not", "a", f_not },
	{ "len", "a", f_len },
	{ "index", "aa*", f_index },
	{ "slice", "aa*", f_slice },
	{ "print", "a*", tmpl_f_print },
	{ "println", "a*", tmpl_f_println },
	{ "printf", "sa*", tmpl_f_printf },
	{ "html", "a*", tmpl_f_html },
	{ "js", "a*", tmpl_f_js },
	{ "urlquery", "a*", tmpl_f_urlquery },
	{ "eq", "aa*", f_eq },
	{ "ne", "aa", f_ne },
	{ "lt", "aa", f_lt },
	{ "le", "aa", f_le },
	{ "gt", "aa", f_gt },
	{ "ge", "aa", f_ge },
	{ 0 },
};
