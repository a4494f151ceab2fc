/*
 * Runs a template. `at` is the node that errors name, as in Go's exec. Errors unwind by
 * return values, and the output so far is dropped.
 */
#include <stdlib.h>

#include "tmpl_state.h"

#define OUTPUT_MAX ((size_t)64 << 20)

int tmpl_stop(struct state *s, const char *fmt, ...)
{
	struct str before = str_sub(s->t->text, 0, s->at ? s->at->pos : 0);
	ptrdiff_t nl = str_rchr(before, '\n');
	size_t line = 1;
	struct buf b, where;
	va_list ap;

	for (size_t i = 0; i < before.n; i++)
		line += before.p[i] == '\n';
	buf_init(&b, s->a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	buf_init(&where, s->a);
	if (s->at)
		tmpl_show_node(&where, s->at);
	(void)err_set(s->err, ERR_INVALID,
		      "template: %s:%zu:%zu: executing \"%.*s\" at <%.*s>: %.*s", s->t->name, line,
		      before.n - (size_t)(nl + 1), STRF(s->current), STRF(buf_str(&where)),
		      STRF(buf_str(&b)));
	return FAILED;
}

int tmpl_limit(struct state *s, const char *what)
{
	(void)err_set(s->err, ERR_LIMIT, "template: %s: %s", s->t->name, what);
	return FAILED;
}

int tmpl_step(struct state *s, const struct tmpl_value *v)
{
	/* values live until the template is done */
	if (v && v->kind == TMPL_LIST)
		s->made += v->list->n * sizeof(*v);
	else if (v)
		s->made += v->s.n;
	if (++s->steps > STEPS_MAX)
		return tmpl_limit(s, "takes too many steps");
	if (s->made > MADE_MAX)
		return tmpl_limit(s, "takes too much memory");
	return 0;
}

static enum flow run(struct state *s, struct tmpl_value dot, const struct node *list);

static enum flow if_or_with(struct state *s, struct tmpl_value dot, const struct node *n)
{
	size_t vars = s->vars.n;
	enum flow flow = GO_ON;
	struct tmpl_value v;

	s->at = n;
	if (tmpl_eval_pipe(s, dot, n->pipe, &v) < 0)
		return FAILED;
	if (tmpl_truth(&v))
		flow = run(s, n->kind == NODE_WITH ? v : dot, n->body);
	else if (n->other)
		flow = run(s, dot, n->other);
	s->vars.n = vars;
	return flow;
}

static enum flow one_round(struct state *s, const struct node *n, struct tmpl_value key,
			   struct tmpl_value elem)
{
	size_t vars = s->vars.n;
	enum flow flow;

	if (tmpl_step(s, NULL) < 0)
		return FAILED;
	for (size_t i = 0; i < n->pipe->decl.n; i++) {
		bool is_key = n->pipe->decl.n > 1 && i == 0;
		struct variable var = { n->pipe->decl.v[i], is_key ? key : elem };

		if (!n->pipe->assign)
			VEC_PUSH(s->a, &s->vars, var);
		else if (tmpl_assign(s, var.name, var.v) < 0)
			return FAILED;
	}
	flow = run(s, elem, n->body);
	s->vars.n = vars;
	return flow;
}

static int by_key(const void *x, const void *y)
{
	return str_cmp(json_key(*(const struct json *const *)x),
		       json_key(*(const struct json *const *)y));
}

static enum flow range_map(struct state *s, const struct node *n, const struct tmpl_value *map)
{
	VEC(const struct json *) list = { 0 };
	enum flow flow = GO_ON;

	for (const struct json *m = json_first(map->map); m; m = json_next(m))
		VEC_PUSH(s->a, &list, m);
	qsort(list.v, list.n, sizeof(*list.v), by_key);
	for (size_t i = 0; i < list.n && flow != FAILED && flow != BREAK; i++) {
		struct tmpl_value v = tmpl_from_json(s->a, list.v[i]);

		v.boxed = !map->go;
		flow = one_round(s, n, tmpl_str(json_key(list.v[i])), v);
	}
	return flow;
}

static enum flow range_over(struct state *s, const struct node *n, const struct tmpl_value *v)
{
	enum flow flow = GO_ON;

	if (v->kind == TMPL_MAP)
		return range_map(s, n, v);
	if (v->kind == TMPL_LIST)
		for (size_t i = 0; i < v->list->n && flow != FAILED && flow != BREAK; i++)
			flow = one_round(s, n, tmpl_int((int64_t)i), v->list->v[i]);
	if (v->kind == TMPL_BYTES)
		for (size_t i = 0; i < v->s.n && flow != FAILED && flow != BREAK; i++)
			flow = one_round(s, n, tmpl_int((int64_t)i), tmpl_byte(v->s.p[i]));
	if (v->kind == TMPL_INT)
		for (int64_t i = 0; i < v->i && flow != FAILED && flow != BREAK; i++)
			flow = one_round(s, n, tmpl_int(i), tmpl_int(i));
	return flow;
}

static enum flow range(struct state *s, struct tmpl_value dot, const struct node *n)
{
	enum flow flow = GO_ON;
	size_t vars = s->vars.n;
	struct tmpl_value v;
	struct buf b;

	s->at = n;
	if (tmpl_run_pipe(s, dot, n->pipe, &v) < 0)
		return FAILED;
	if (v.kind == TMPL_BOOL || v.kind == TMPL_FLOAT || v.kind == TMPL_STR ||
	    v.kind == TMPL_STRUCT || (v.kind == TMPL_NIL && v.go)) {
		buf_init(&b, s->a);
		tmpl_print(&b, &v);
		return tmpl_stop(s, "range can't iterate over %.*s", STRF(buf_str(&b)));
	}
	if (tmpl_truth(&v) && !(v.kind == TMPL_INT && v.i <= 0))
		flow = range_over(s, n, &v);
	else if (n->other)
		flow = run(s, dot, n->other);
	s->vars.n = vars;
	return flow == FAILED ? FAILED : GO_ON;
}

static enum flow call_template(struct state *s, struct tmpl_value dot, const struct node *n)
{
	const struct node *body = map_get(s->t->defined, n->text);
	struct tmpl_value v = { 0 };
	struct str outer = s->current;
	struct variable root;
	size_t vars;
	enum flow flow;

	s->at = n;
	if (!body)
		return tmpl_stop(s, "template \"%.*s\" not defined", STRF(n->text));
	if (n->pipe && tmpl_eval_pipe(s, dot, n->pipe, &v) < 0)
		return FAILED;
	vars = s->vars.n;
	root = (struct variable){ S("$"), v };
	VEC_PUSH(s->a, &s->vars, root);
	s->current = n->text;
	flow = run(s, v, body);
	s->current = outer;
	s->vars.n = vars;
	return flow;
}

static enum flow print(struct state *s, struct tmpl_value dot, const struct node *n)
{
	struct tmpl_value v;

	s->at = n;
	if (tmpl_eval_pipe(s, dot, n->pipe, &v) < 0)
		return FAILED;
	if (n->pipe->decl.n)
		return GO_ON;
	if (v.kind == TMPL_NONE || (v.kind == TMPL_NIL && !v.go))
		buf_addz(s->out, "<no value>");
	else
		tmpl_print(s->out, &v);
	return GO_ON;
}

static enum flow run_one(struct state *s, struct tmpl_value dot, const struct node *n)
{
	switch (n->kind) {
	case NODE_TEXT:
		buf_add(s->out, n->text);
		return GO_ON;
	case NODE_ACTION:
		return print(s, dot, n);
	case NODE_IF:
	case NODE_WITH:
		return if_or_with(s, dot, n);
	case NODE_RANGE:
		return range(s, dot, n);
	case NODE_TEMPLATE:
		return call_template(s, dot, n);
	case NODE_BREAK:
		return BREAK;
	case NODE_CONTINUE:
		return CONTINUE;
	default:
		return run(s, dot, n); /* a list */
	}
}

static enum flow run(struct state *s, struct tmpl_value dot, const struct node *list)
{
	enum flow flow = GO_ON;

	if (s->depth++ > DEPTH_MAX)
		return tmpl_limit(s, "nested too deep");
	for (const struct node *n = list->first; n && flow == GO_ON; n = n->next) {
		if (tmpl_step(s, NULL) < 0)
			return FAILED;
		if (s->out->n > OUTPUT_MAX)
			return tmpl_limit(s, "writes too much");
		flow = run_one(s, dot, n);
	}
	s->depth--;
	return flow;
}

int tmpl_run(struct arena *a, const struct tmpl *t, struct tmpl_value data, void *ctx,
	     struct buf *b, struct err *err)
{
	struct state s = {
		.a = a, .t = t, .current = str_of(t->name), .out = b, .ctx = ctx, .err = err
	};
	struct variable root = { S("$"), data };
	size_t before = b->n;

	VEC_PUSH(a, &s.vars, root);
	if (run(&s, data, t->root) != FAILED)
		return 0;
	b->n = before;
	return -(int)err->code;
}
