/*
 * Running a template. `at` is the node a failure is told of, as Go's exec keeps
 * it; a failure unwinds by return values, and what was written is dropped.
 */
#include <stdlib.h>

#include "base/codec.h"
#include "tmpl_node.h"

#define DEPTH_MAX 500
#define STEPS_MAX 1000000
#define OUTPUT_MAX ((size_t)64 << 20)

struct variable {
	struct str name;
	struct tmpl_value v;
};

struct state {
	struct arena *a;
	const struct tmpl *t;
	struct str current; /* the template being run */
	struct buf *out;
	VEC(struct variable) vars;
	const struct node *at;
	unsigned depth;
	size_t steps;
	void *ctx;
	struct err *err;
};

enum flow { FAILED = -1, GO_ON, BREAK, CONTINUE };

static int fail(struct state *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct state *s, const char *fmt, ...)
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
	(void)err_set(
		s->err, ERR_INVALID,
		"template: %s:%zu:%zu: executing \"%.*s\" at <%.*s>: %.*s",
		s->t->name, line, before.n - (size_t)(nl + 1), STRF(s->current),
		STRF(buf_str(&where)), STRF(buf_str(&b)));
	return FAILED;
}

static int limit(struct state *s, const char *what)
{
	(void)err_set(s->err, ERR_LIMIT, "template: %s: %s", s->t->name, what);
	return FAILED;
}

static int eval_pipe(struct state *s, struct tmpl_value dot,
		     const struct node *pipe, struct tmpl_value *out);
static int eval_arg(struct state *s, struct tmpl_value dot, char type,
		    const struct node *n, struct tmpl_value *out);

/* ---- fields and variables ----------------------------------------------------------- */

static int field(struct state *s, struct str name, struct tmpl_value from,
		 struct tmpl_value *out)
{
	const struct json *m;

	*out = (struct tmpl_value){ 0 };
	if (from.kind == TMPL_NONE)
		return 0; /* of nothing comes nothing */
	if (from.kind == TMPL_NIL)
		return fail(s, "nil pointer evaluating interface {}.%.*s",
			    STRF(name));
	if (from.kind != TMPL_MAP)
		return fail(s, "can't evaluate field %.*s in type %s",
			    STRF(name),
			    from.boxed ? "interface {}" : tmpl_type(&from));
	m = json_member(from.map, name);
	if (m) {
		*out = tmpl_from_json(s->a, m);
		out->boxed = true;
	}
	return 0;
}

static int fields(struct state *s, const struct node *n, struct tmpl_value v,
		  struct tmpl_value *out)
{
	int rc = 0;

	*out = v;
	for (size_t i = 0; i < n->fields.n && rc == 0; i++) {
		s->at = n;
		rc = field(s, n->fields.v[i], *out, out);
	}
	return rc;
}

/* The innermost of that name. One that is declared but not set yet is none. */
static struct tmpl_value *variable(struct state *s, struct str name)
{
	for (size_t i = s->vars.n; i-- > 0;)
		if (str_eq(s->vars.v[i].name, name))
			return &s->vars.v[i].v;
	(void)fail(s, "undefined variable: %.*s", STRF(name));
	return NULL;
}

static int assign(struct state *s, struct str name, struct tmpl_value v)
{
	struct tmpl_value *var = variable(s, name);

	if (!var)
		return FAILED;
	*var = v;
	return 0;
}

/* ---- calls ----------------------------------------------------------------------------- */

static int arg_count(struct state *s, const struct tmpl_func *f, size_t got)
{
	size_t want = strcspn(f->args, "*");
	bool more = f->args[want] == '*';

	if (more && got + 1 < want)
		return fail(s,
			    "wrong number of args for %s: want at least %zu "
			    "got %zu",
			    f->name, want - 1, got);
	if (!more && got != want)
		return fail(s, "wrong number of args for %s: want %zu got %zu",
			    f->name, want, got);
	return 0;
}

static char arg_type(const struct tmpl_func *f, size_t i)
{
	size_t n = strcspn(f->args, "*");

	return f->args[i < n ? i : n - 1];
}

/* A value where a type is asked for. */
static int check_type(struct state *s, char type, const struct tmpl_value *v)
{
	static const struct {
		char type;
		enum tmpl_kind kind;
		const char *go;
	} types[] = {
		{ 's', TMPL_STR, "string" },
		{ 'i', TMPL_INT, "int" },
		{ 'l', TMPL_LIST, "[]string" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].type != type || v->kind == types[i].kind)
			continue;
		if (v->kind == TMPL_NONE || v->kind == TMPL_NIL)
			return fail(s, "invalid value; expected %s",
				    types[i].go);
		return fail(s, "wrong type for value; expected %s; got %s",
			    types[i].go, tmpl_type(v));
	}
	return 0;
}

/* and, or: they stop at the first argument that decides. */
static int lazy(struct state *s, struct tmpl_value dot, const struct node *cmd,
		const struct tmpl_value *final, struct tmpl_value *out)
{
	bool is_and = str_is(cmd->first->text, "and");

	for (const struct node *n = cmd->first->next; n; n = n->next) {
		int rc = eval_arg(s, dot, 'a', n, out);

		if (rc < 0)
			return rc;
		if (tmpl_truth(out) != is_and)
			return 0;
	}
	if (final)
		*out = *final;
	return 0;
}

static int call(struct state *s, struct tmpl_value dot, const struct node *cmd,
		const struct tmpl_value *final, struct tmpl_value *out)
{
	const struct tmpl_func *f = cmd->first->func;
	VEC(struct tmpl_value) args = { 0 };
	struct tmpl_call c = { .a = s->a, .ctx = s->ctx };
	size_t got = final != NULL;
	int rc;

	s->at = cmd->first;
	for (const struct node *n = cmd->first->next; n; n = n->next)
		got++;
	rc = arg_count(s, f, got);
	if (rc < 0)
		return rc;
	if (!f->call)
		return lazy(s, dot, cmd, final, out);
	for (const struct node *n = cmd->first->next; n; n = n->next) {
		struct tmpl_value v;

		rc = eval_arg(s, dot, arg_type(f, args.n), n, &v);
		if (rc < 0)
			return rc;
		VEC_PUSH(s->a, &args, v);
	}
	if (final) {
		rc = check_type(s, arg_type(f, args.n), final);
		if (rc < 0)
			return rc;
		VEC_PUSH(s->a, &args, *final);
	}
	c.args = args.v;
	c.n = args.n;
	*out = (struct tmpl_value){ 0 };
	if (f->call(&c, out))
		return 0;
	s->at = cmd;
	return fail(s, "error calling %s: %.*s", f->name, STRF(c.error));
}

/* ---- arguments ---------------------------------------------------------------------------- */

/* A number is a float when it is written like one: 1e3, 2.0. */
static bool looks_float(struct str text)
{
	if (str_starts(text, S("'")) || str_starts(text, S("0x")) ||
	    str_starts(text, S("0X")))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] && strchr(".eEpP", text.p[i]))
			return true;
	return false;
}

static struct tmpl_value constant(const struct node *n)
{
	if (n->kind == NODE_BOOL)
		return tmpl_bool(n->i);
	if (n->kind == NODE_STRING)
		return tmpl_str(n->text);
	if (n->is_int && !looks_float(n->shown))
		return tmpl_int(n->i);
	return (struct tmpl_value){ .kind = TMPL_FLOAT, .f = n->f };
}

/* A literal where a type is asked for says what it is itself. */
static int check_literal(struct state *s, char type, const struct node *n)
{
	struct buf b;

	if (type == 'a' || (type == 's' && n->kind == NODE_STRING) ||
	    (type == 'i' && n->kind == NODE_NUMBER && n->is_int))
		return 0;
	buf_init(&b, s->a);
	tmpl_show_node(&b, n);
	return fail(s, "expected %s; found %.*s",
		    type == 's'	  ? "string"
		    : type == 'i' ? "integer"
				  : "list",
		    STRF(buf_str(&b)));
}

static int eval_arg(struct state *s, struct tmpl_value dot, char type,
		    const struct node *n, struct tmpl_value *out)
{
	struct node cmd = { .kind = NODE_COMMAND, .pos = n->pos };
	const struct tmpl_value *var;
	struct node only;
	int rc = 0;

	s->at = n;
	*out = (struct tmpl_value){ 0 };
	switch (n->kind) {
	case NODE_DOT:
		*out = dot;
		break;
	case NODE_NIL:
		if (type != 'a')
			return fail(s, "cannot assign nil to %s",
				    type == 's' ? "string" : "int");
		return 0;
	case NODE_FIELD:
		rc = fields(s, n, dot, out);
		break;
	case NODE_VARIABLE:
		var = variable(s, n->text);
		if (!var)
			return FAILED;
		rc = fields(s, n, *var, out);
		break;
	case NODE_PIPE:
		rc = eval_pipe(s, dot, n, out);
		break;
	case NODE_CHAIN:
		rc = eval_arg(s, dot, 'a', n->pipe, out);
		if (rc == 0)
			rc = fields(s, n, *out, out);
		break;
	case NODE_IDENT:
		only = *n;
		only.next = NULL;
		cmd.first = cmd.last = &only;
		rc = call(s, dot, &cmd, NULL, out);
		break;
	default:
		rc = check_literal(s, type, n);
		if (rc == 0)
			*out = constant(n);
		return rc;
	}
	return rc < 0 ? rc : check_type(s, type, out);
}

/* ---- pipes -------------------------------------------------------------------------------- */

static int eval_command(struct state *s, struct tmpl_value dot,
			const struct node *cmd, const struct tmpl_value *final,
			struct tmpl_value *out)
{
	const struct node *first = cmd->first;
	struct buf b;

	if (first->kind == NODE_IDENT)
		return call(s, dot, cmd, final, out);
	s->at = first;
	if (first->next || final) {
		buf_init(&b, s->a);
		tmpl_show_node(&b, first);
		if (first->kind == NODE_FIELD || first->kind == NODE_VARIABLE ||
		    first->kind == NODE_CHAIN)
			return fail(
				s, "%.*s is not a method but has arguments",
				STRF(first->fields.n
					     ? first->fields
						       .v[first->fields.n - 1]
					     : first->text));
		return fail(s, "can't give argument to non-function %.*s",
			    STRF(buf_str(&b)));
	}
	if (first->kind == NODE_NIL)
		return fail(s, "nil is not a command");
	return eval_arg(s, dot, 'a', first, out);
}

static int set_variables(struct state *s, const struct node *pipe,
			 struct tmpl_value v)
{
	for (size_t i = 0; i < pipe->decl.n; i++) {
		struct variable var = { pipe->decl.v[i], v };

		if (!pipe->assign)
			VEC_PUSH(s->a, &s->vars, var);
		else if (assign(s, pipe->decl.v[i], v) < 0)
			return FAILED;
	}
	return 0;
}

static int run_pipe(struct state *s, struct tmpl_value dot,
		    const struct node *pipe, struct tmpl_value *out)
{
	const struct tmpl_value *final = NULL;
	struct tmpl_value v = { 0 }, prev;

	if (++s->steps > STEPS_MAX)
		return limit(s, "takes too many steps");
	for (const struct node *c = pipe->first; c; c = c->next) {
		int rc = eval_command(s, dot, c, final, &v);

		if (rc < 0)
			return rc;
		if (v.kind == TMPL_NIL)
			v.kind = TMPL_NONE;
		v.boxed = false;
		prev = v;
		final = &prev;
	}
	*out = v;
	return 0;
}

static int eval_pipe(struct state *s, struct tmpl_value dot,
		     const struct node *pipe, struct tmpl_value *out)
{
	int rc;

	if (s->depth++ > DEPTH_MAX)
		return limit(s, "nested too deep");
	rc = run_pipe(s, dot, pipe, out);
	s->depth--;
	return rc < 0 ? rc : set_variables(s, pipe, *out);
}

/* ---- actions --------------------------------------------------------------------------------- */

static enum flow run(struct state *s, struct tmpl_value dot,
		     const struct node *list);

static enum flow if_or_with(struct state *s, struct tmpl_value dot,
			    const struct node *n)
{
	size_t vars = s->vars.n;
	enum flow flow = GO_ON;
	struct tmpl_value v;

	s->at = n;
	if (eval_pipe(s, dot, n->pipe, &v) < 0)
		return FAILED;
	if (tmpl_truth(&v))
		flow = run(s, n->kind == NODE_WITH ? v : dot, n->body);
	else if (n->other)
		flow = run(s, dot, n->other);
	s->vars.n = vars;
	return flow;
}

static enum flow one_round(struct state *s, const struct node *n,
			   struct tmpl_value key, struct tmpl_value elem)
{
	size_t vars = s->vars.n;
	enum flow flow;

	for (size_t i = 0; i < n->pipe->decl.n; i++) {
		bool is_key = n->pipe->decl.n > 1 && i == 0;
		struct variable var = { n->pipe->decl.v[i],
					is_key ? key : elem };

		if (!n->pipe->assign)
			VEC_PUSH(s->a, &s->vars, var);
		else if (assign(s, var.name, var.v) < 0)
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

static enum flow range_map(struct state *s, const struct node *n,
			   const struct json *map)
{
	VEC(const struct json *) list = { 0 };
	enum flow flow = GO_ON;

	for (const struct json *m = json_first(map); m; m = json_next(m))
		VEC_PUSH(s->a, &list, m);
	qsort(list.v, list.n, sizeof(*list.v), by_key);
	for (size_t i = 0; i < list.n && flow != FAILED && flow != BREAK; i++) {
		struct tmpl_value v = tmpl_from_json(s->a, list.v[i]);

		v.boxed = true;
		flow = one_round(s, n, tmpl_str(json_key(list.v[i])), v);
	}
	return flow;
}

static enum flow range_over(struct state *s, const struct node *n,
			    const struct tmpl_value *v)
{
	enum flow flow = GO_ON;

	if (v->kind == TMPL_MAP)
		return range_map(s, n, v->map);
	if (v->kind == TMPL_LIST)
		for (size_t i = 0;
		     i < v->list->n && flow != FAILED && flow != BREAK; i++)
			flow = one_round(s, n, tmpl_int((int64_t)i),
					 v->list->v[i]);
	if (v->kind == TMPL_INT)
		for (int64_t i = 0; i < v->i && flow != FAILED && flow != BREAK;
		     i++)
			flow = one_round(s, n, tmpl_int(i), tmpl_int(i));
	return flow;
}

static enum flow range(struct state *s, struct tmpl_value dot,
		       const struct node *n)
{
	enum flow flow = GO_ON;
	size_t vars = s->vars.n;
	struct tmpl_value v;
	struct buf b;

	s->at = n;
	if (run_pipe(s, dot, n->pipe, &v) < 0)
		return FAILED;
	if (v.kind == TMPL_BOOL || v.kind == TMPL_FLOAT || v.kind == TMPL_STR) {
		buf_init(&b, s->a);
		tmpl_print(&b, &v);
		return fail(s, "range can't iterate over %.*s",
			    STRF(buf_str(&b)));
	}
	if (tmpl_truth(&v) && !(v.kind == TMPL_INT && v.i <= 0))
		flow = range_over(s, n, &v);
	else if (n->other)
		flow = run(s, dot, n->other);
	s->vars.n = vars;
	return flow == FAILED ? FAILED : GO_ON;
}

static enum flow call_template(struct state *s, struct tmpl_value dot,
			       const struct node *n)
{
	const struct node *body = map_get(s->t->defined, n->text);
	struct tmpl_value v = { 0 };
	struct str outer = s->current;
	struct variable root;
	size_t vars;
	enum flow flow;

	s->at = n;
	if (!body)
		return fail(s, "template \"%.*s\" not defined", STRF(n->text));
	if (n->pipe && eval_pipe(s, dot, n->pipe, &v) < 0)
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

static enum flow print(struct state *s, struct tmpl_value dot,
		       const struct node *n)
{
	struct tmpl_value v;

	s->at = n;
	if (eval_pipe(s, dot, n->pipe, &v) < 0)
		return FAILED;
	if (n->pipe->decl.n)
		return GO_ON;
	if (v.kind == TMPL_NONE || v.kind == TMPL_NIL)
		buf_addz(s->out, "<no value>");
	else
		tmpl_print(s->out, &v);
	return GO_ON;
}

static enum flow run_one(struct state *s, struct tmpl_value dot,
			 const struct node *n)
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

static enum flow run(struct state *s, struct tmpl_value dot,
		     const struct node *list)
{
	enum flow flow = GO_ON;

	if (s->depth++ > DEPTH_MAX)
		return limit(s, "nested too deep");
	for (const struct node *n = list->first; n && flow == GO_ON;
	     n = n->next) {
		if (++s->steps > STEPS_MAX)
			return limit(s, "takes too many steps");
		if (s->out->n > OUTPUT_MAX)
			return limit(s, "writes too much");
		flow = run_one(s, dot, n);
	}
	s->depth--;
	return flow;
}

int tmpl_run(struct arena *a, const struct tmpl *t, struct tmpl_value data,
	     void *ctx, struct buf *b, struct err *err)
{
	struct state s = { .a = a,
			   .t = t,
			   .current = str_of(t->name),
			   .out = b,
			   .ctx = ctx,
			   .err = err };
	struct variable root = { S("$"), data };
	size_t before = b->n;

	VEC_PUSH(a, &s.vars, root);
	if (run(&s, data, t->root) != FAILED)
		return 0;
	b->n = before;
	return -(int)err->code;
}
