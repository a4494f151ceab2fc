/*
 * Values of templates: Go's type names, truth and printing.
 */
#include <stdlib.h>

#include "tmpl_node.h"

struct tmpl_value tmpl_str(struct str s)
{
	return (struct tmpl_value){ .kind = TMPL_STR, .s = s };
}

struct tmpl_value tmpl_bytes(struct str s)
{
	return (struct tmpl_value){ .kind = TMPL_BYTES, .s = s };
}

struct tmpl_value tmpl_strs(struct arena *a, const struct strs *list)
{
	struct tmpl_value v = { .kind = TMPL_LIST };

	v.list = ARENA_NEW(a, struct tmpl_values);
	v.list->strings = true;
	for (size_t i = 0; i < list->n; i++)
		VEC_PUSH(a, v.list, tmpl_str(list->v[i]));
	return v;
}

struct tmpl_value tmpl_int(int64_t i)
{
	return (struct tmpl_value){ .kind = TMPL_INT, .i = i };
}

struct tmpl_value tmpl_bool(bool b)
{
	return (struct tmpl_value){ .kind = TMPL_BOOL, .b = b };
}

static struct tmpl_value from_array(struct arena *a, const struct json *j)
{
	struct tmpl_value v = { .kind = TMPL_LIST };

	v.list = ARENA_NEW(a, struct tmpl_values);
	v.list->strings = json_first(j) != NULL;
	for (const struct json *e = json_first(j); e; e = json_next(e)) {
		VEC_PUSH(a, v.list, tmpl_from_json(a, e));
		if (json_kind(e) != JSON_STRING)
			v.list->strings = false;
	}
	for (size_t i = 0; i < v.list->n; i++)
		v.list->v[i].boxed = !v.list->strings;
	return v;
}

struct tmpl_value tmpl_from_json(struct arena *a, const struct json *j)
{
	struct tmpl_value v = { .kind = TMPL_NIL };

	switch (json_kind(j)) {
	case JSON_NULL:
		return v;
	case JSON_BOOL:
		return tmpl_bool(json_is_true(j));
	case JSON_NUMBER:
		if (str_to_i64(json_text(j), &v.i)) {
			v.kind = TMPL_INT;
			return v;
		}
		v.kind = TMPL_FLOAT;
		(void)num_parse_float(json_text(j), &v.f);
		return v;
	case JSON_STRING:
		return tmpl_str(json_text(j));
	case JSON_ARRAY:
		return from_array(a, j);
	case JSON_OBJECT:
		v.kind = TMPL_MAP;
		v.map = j;
		return v;
	}
	return v;
}

bool tmpl_truth(const struct tmpl_value *v)
{
	if (v->ptr)
		return true;
	switch (v->kind) {
	case TMPL_NONE:
	case TMPL_NIL:
		return false;
	case TMPL_BOOL:
		return v->b;
	case TMPL_INT:
		return v->i != 0;
	case TMPL_FLOAT:
		return v->f != 0;
	case TMPL_STR:
	case TMPL_BYTES:
		return v->s.n > 0;
	case TMPL_LIST:
		return v->list->n > 0;
	case TMPL_MAP:
		return json_first(v->map) != NULL;
	case TMPL_STRUCT:
		return true;
	}
	return false;
}

const char *tmpl_type(const struct tmpl_value *v)
{
	if (v->go)
		return v->go;
	switch (v->kind) {
	case TMPL_NONE:
	case TMPL_NIL:
		return "interface {}";
	case TMPL_BOOL:
		return "bool";
	case TMPL_INT:
		return "int";
	case TMPL_FLOAT:
		return "float64";
	case TMPL_STR:
		return "string";
	case TMPL_BYTES:
		return "[]uint8";
	case TMPL_LIST:
		return v->list->strings ? "[]string" : "[]interface {}";
	case TMPL_MAP:
		return "map[string]interface {}";
	case TMPL_STRUCT:
		break; /* these have a type name */
	}
	return "";
}

/* ---- printing ------------------------------------------------------------ */

static int by_key(const void *x, const void *y)
{
	return str_cmp(json_key(*(const struct json *const *)x),
		       json_key(*(const struct json *const *)y));
}

static void print_map(struct buf *b, const struct json *map)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	VEC(const struct json *) list = { 0 };

	for (const struct json *m = json_first(map); m; m = json_next(m))
		VEC_PUSH(&a, &list, m);
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_key);
	buf_addz(b, "map[");
	for (size_t i = 0; i < list.n; i++) {
		struct tmpl_value v = tmpl_from_json(&a, list.v[i]);

		buf_addf(b, "%s%.*s:", i ? " " : "", STRF(json_key(list.v[i])));
		tmpl_print(b, &v);
	}
	buf_addc(b, ']');
}

void tmpl_print(struct buf *b, const struct tmpl_value *v)
{
	switch (v->kind) {
	case TMPL_NONE:
	case TMPL_NIL:
		buf_addz(b, "<nil>");
		return;
	case TMPL_BOOL:
		buf_addz(b, v->b ? "true" : "false");
		return;
	case TMPL_INT:
		buf_addf(b, "%lld", (long long)v->i);
		return;
	case TMPL_FLOAT:
		num_add_float_g(b, v->f, 64);
		return;
	case TMPL_STR:
		buf_add(b, v->s);
		return;
	case TMPL_BYTES:
		buf_addc(b, '[');
		for (size_t i = 0; i < v->s.n; i++)
			buf_addf(b, "%s%u", i ? " " : "", (unsigned char)v->s.p[i]);
		buf_addc(b, ']');
		return;
	case TMPL_LIST:
		buf_addc(b, '[');
		for (size_t i = 0; i < v->list->n; i++) {
			buf_addz(b, i ? " " : "");
			tmpl_print(b, &v->list->v[i]);
		}
		buf_addc(b, ']');
		return;
	case TMPL_MAP:
		print_map(b, v->map);
		return;
	case TMPL_STRUCT:
		buf_addc(b, '{');
		v->class->print(b, v);
		buf_addc(b, '}');
		return;
	}
}

/* ---- nodes in messages --------------------------------------------------- */

static void show_fields(struct buf *b, const struct node *n)
{
	for (size_t i = 0; i < n->fields.n; i++)
		buf_addf(b, ".%.*s", STRF(n->fields.v[i]));
}

static void show_pipe(struct buf *b, const struct node *n)
{
	for (size_t i = 0; i < n->decl.n; i++)
		buf_addf(b, "%s%.*s", i ? ", " : "", STRF(n->decl.v[i]));
	if (n->decl.n)
		buf_addz(b, n->assign ? " = " : " := ");
	for (const struct node *c = n->first; c; c = c->next) {
		tmpl_show_node(b, c);
		buf_addz(b, c->next ? " | " : "");
	}
}

void tmpl_show_node(struct buf *b, const struct node *n)
{
	switch (n->kind) {
	case NODE_PIPE:
		show_pipe(b, n);
		return;
	case NODE_COMMAND:
		for (const struct node *c = n->first; c; c = c->next) {
			bool pipe = c->kind == NODE_PIPE;

			buf_addz(b, pipe ? "(" : "");
			tmpl_show_node(b, c);
			buf_addf(b, "%s%s", pipe ? ")" : "", c->next ? " " : "");
		}
		return;
	case NODE_CHAIN:
		if (n->pipe->kind == NODE_PIPE) {
			buf_addc(b, '(');
			tmpl_show_node(b, n->pipe);
			buf_addc(b, ')');
		} else {
			tmpl_show_node(b, n->pipe);
		}
		show_fields(b, n);
		return;
	case NODE_FIELD:
		show_fields(b, n);
		return;
	case NODE_VARIABLE:
		buf_add(b, n->text);
		show_fields(b, n);
		return;
	case NODE_DOT:
		buf_addc(b, '.');
		return;
	case NODE_NIL:
		buf_addz(b, "nil");
		return;
	case NODE_ACTION:
		buf_addz(b, "{{");
		tmpl_show_node(b, n->pipe);
		buf_addz(b, "}}");
		return;
	case NODE_TEMPLATE:
		buf_addf(b, "{{template \"%.*s\"", STRF(n->text));
		if (n->pipe) {
			buf_addc(b, ' ');
			tmpl_show_node(b, n->pipe);
		}
		buf_addz(b, "}}");
		return;
	default:
		buf_add(b, n->shown);
	}
}
