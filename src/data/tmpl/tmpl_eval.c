/*
 * Evaluates pipelines: fields, calls, arguments.
 */
#include "tmpl_state.h"

static int eval_arg(struct state *s, struct tmpl_value dot, char type, const struct node *n,
		    struct tmpl_value *out);

/* ---- fields and variables ------------------------------------------------ */

static int field(struct state *s, struct str name, struct tmpl_value from, struct tmpl_value *out)
{
	const struct json *m;

	*out = (struct tmpl_value){ 0 };
	if (from.kind == TMPL_NONE)
		return 0; /* a field of no value is no value */
	if (from.kind == TMPL_NIL)
		return tmpl_stop(s, "nil pointer evaluating %s.%.*s", tmpl_type(&from), STRF(name));
	if (from.kind == TMPL_STRUCT && from.class->field(s->a, &from, name, out))
		return tmpl_step(s, out);
	if (from.kind != TMPL_MAP)
		return tmpl_stop(s, "can't evaluate field %.*s in type %s", STRF(name),
				 from.boxed ? "interface {}" : tmpl_type(&from));
	m = json_member(from.map, name);
	if (m) {
		*out = tmpl_from_json(s->a, m);
		out->boxed = !from.go; /* values of a typed map have its type */
	}
	return tmpl_step(s, out);
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

/* The innermost variable of that name, ignoring one that is declared but not set yet. */
static struct tmpl_value *variable(struct state *s, struct str name)
{
	for (size_t i = s->vars.n; i-- > 0;)
		if (str_eq(s->vars.v[i].name, name))
			return &s->vars.v[i].v;
	(void)tmpl_stop(s, "undefined variable: %.*s", STRF(name));
	return NULL;
}

int tmpl_assign(struct state *s, struct str name, struct tmpl_value v)
{
	struct tmpl_value *var = variable(s, name);

	if (!var)
		return FAILED;
	*var = v;
	return 0;
}

/* ---- calls --------------------------------------------------------------- */

static int arg_count(struct state *s, const struct tmpl_func *f, size_t got)
{
	size_t want = strcspn(f->args, "*");
	bool more = f->args[want] == '*';

	if (more && got + 1 < want)
		return tmpl_stop(s,
				 "wrong number of args for %s: want at least %zu "
				 "got %zu",
				 f->name, want - 1, got);
	if (!more && got != want)
		return tmpl_stop(s, "wrong number of args for %s: want %zu got %zu", f->name, want,
				 got);
	return 0;
}

static char arg_type(const struct tmpl_func *f, size_t i)
{
	size_t n = strcspn(f->args, "*");

	return f->args[i < n ? i : n - 1];
}

static const char *go_type(char type)
{
	switch (type) {
	case 's':
		return "string";
	case 'i':
		return "int";
	case 'l':
		return "[]string";
	case 'r':
		return "template.RenderConfig";
	default:
		return "interface {}";
	}
}

/* True when Go can assign v to a parameter of that type. */
static bool fits(char type, const struct tmpl_value *v)
{
	if (type == 'a')
		return true;
	return !tmpl_is_nil(v) && strcmp(tmpl_type(v), go_type(type)) == 0;
}

/* A value for a parameter of a type. */
static int check_type(struct state *s, char type, const struct tmpl_value *v)
{
	if (fits(type, v))
		return 0;
	if (tmpl_is_nil(v) && !v->go)
		return tmpl_stop(s, "invalid value; expected %s", go_type(type));
	return tmpl_stop(s, "wrong type for value; expected %s; got %s", go_type(type),
			 tmpl_type(v));
}

/* and, or: stop at the first argument that decides. */
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
		return tmpl_step(s, out);
	s->at = cmd;
	return tmpl_stop(s, "error calling %s: %.*s", f->name, STRF(c.error));
}

/* ---- arguments ----------------------------------------------------------- */

/* A number is a float when it is written as one: 1e3, 2.0. */
static bool looks_float(struct str text)
{
	if (str_starts(text, S("'")) || str_starts(text, S("0x")) || str_starts(text, S("0X")))
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

/* A literal for a parameter of a type. */
static int check_literal(struct state *s, char type, const struct node *n)
{
	struct buf b;

	if (type == 'a' || (type == 's' && n->kind == NODE_STRING) ||
	    (type == 'i' && n->kind == NODE_NUMBER && n->is_int))
		return 0;
	buf_init(&b, s->a);
	tmpl_show_node(&b, n);
	if (type == 's' || type == 'i')
		return tmpl_stop(s, "expected %s; found %.*s", type == 's' ? "string" : "integer",
				 STRF(buf_str(&b)));
	return tmpl_stop(s, "can't handle %.*s for arg of type %s", STRF(buf_str(&b)),
			 go_type(type));
}

static int eval_arg(struct state *s, struct tmpl_value dot, char type, const struct node *n,
		    struct tmpl_value *out)
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
		if (type == 'l') { /* slices may be nil */
			*out = tmpl_strs(s->a, &(struct strs){ 0 });
			return 0;
		}
		if (type != 'a')
			return tmpl_stop(s, "cannot assign nil to %s", go_type(type));
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
		rc = tmpl_eval_pipe(s, dot, n, out);
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

/* ---- pipes --------------------------------------------------------------- */

static int eval_command(struct state *s, struct tmpl_value dot, const struct node *cmd,
			const struct tmpl_value *final, struct tmpl_value *out)
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
			return tmpl_stop(s, "%.*s is not a method but has arguments",
					 STRF(first->fields.n ? first->fields.v[first->fields.n - 1]
							      : first->text));
		return tmpl_stop(s, "can't give argument to non-function %.*s", STRF(buf_str(&b)));
	}
	if (first->kind == NODE_NIL)
		return tmpl_stop(s, "nil is not a command");
	return eval_arg(s, dot, 'a', first, out);
}

static int set_variables(struct state *s, const struct node *pipe, struct tmpl_value v)
{
	for (size_t i = 0; i < pipe->decl.n; i++) {
		struct variable var = { pipe->decl.v[i], v };

		if (!pipe->assign)
			VEC_PUSH(s->a, &s->vars, var);
		else if (tmpl_assign(s, pipe->decl.v[i], v) < 0)
			return FAILED;
	}
	return 0;
}

int tmpl_run_pipe(struct state *s, struct tmpl_value dot, const struct node *pipe,
		  struct tmpl_value *out)
{
	const struct tmpl_value *final = NULL;
	struct tmpl_value v = { 0 }, prev;

	if (tmpl_step(s, NULL) < 0)
		return FAILED;
	for (const struct node *c = pipe->first; c; c = c->next) {
		int rc = eval_command(s, dot, c, final, &v);

		if (rc < 0)
			return rc;
		if (v.kind == TMPL_NIL && !v.go)
			v.kind = TMPL_NONE;
		v.boxed = false;
		prev = v;
		final = &prev;
	}
	*out = v;
	return 0;
}

int tmpl_eval_pipe(struct state *s, struct tmpl_value dot, const struct node *pipe,
		   struct tmpl_value *out)
{
	int rc;

	if (s->depth++ > DEPTH_MAX)
		return tmpl_limit(s, "nested too deep");
	rc = tmpl_run_pipe(s, dot, pipe, out);
	s->depth--;
	return rc < 0 ? rc : set_variables(s, pipe, *out);
}
