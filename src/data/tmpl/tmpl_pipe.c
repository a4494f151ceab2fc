/*
 * Parses what stands between {{ and }}: terms, commands, pipelines.
 */
#include "tmpl_parser.h"

static const struct tmpl_func *find_func(const struct parser *p, struct str name)
{
	const struct tmpl_func *const tables[] = { tmpl_builtins, tmpl_common_funcs, p->funcs };

	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		for (const struct tmpl_func *f = tables[i]; f && f->name; f++)
			if (str_is(name, f->name))
				return f;
	return NULL;
}

static bool declared(const struct parser *p, struct str name)
{
	for (size_t i = 0; i < p->vars.n; i++)
		if (str_eq(p->vars.v[i], name))
			return true;
	return false;
}

static struct node *term(struct parser *p)
{
	struct token t = tmpl_next_word(p);
	struct node *n;

	switch (t.kind) {
	case TOK_IDENT:
		n = tmpl_new_node(p, NODE_IDENT, t.pos);
		n->text = n->shown = t.val;
		n->func = find_func(p, t.val);
		if (!n->func)
			return tmpl_fail(p, "function \"%.*s\" not defined", STRF(t.val));
		return n;
	case TOK_DOT:
		return tmpl_new_node(p, NODE_DOT, t.pos);
	case TOK_NIL:
		return tmpl_new_node(p, NODE_NIL, t.pos);
	case TOK_VARIABLE:
		if (!declared(p, t.val))
			return tmpl_fail(p, "undefined variable \"%.*s\"", STRF(t.val));
		n = tmpl_new_node(p, NODE_VARIABLE, t.pos);
		n->text = t.val;
		return n;
	case TOK_FIELD:
		n = tmpl_new_node(p, NODE_FIELD, t.pos);
		VEC_PUSH(p->a, &n->fields, str_from(t.val, 1));
		return n;
	case TOK_BOOL:
		n = tmpl_new_node(p, NODE_BOOL, t.pos);
		n->shown = t.val;
		n->i = str_is(t.val, "true");
		return n;
	case TOK_NUMBER:
	case TOK_CHAR_CONST:
		return tmpl_number(p, t);
	case TOK_STRING:
	case TOK_RAW:
		return tmpl_literal(p, t);
	case TOK_OPEN:
		return tmpl_pipeline(p, "parenthesized pipeline", TOK_CLOSE);
	default:
		tmpl_back(p);
		return NULL;
	}
}

/* A constant or the dot: it has no fields, and cannot be called. */
static bool is_constant(const struct node *n)
{
	return n->kind == NODE_DOT || n->kind == NODE_NIL || n->kind == NODE_BOOL ||
	       n->kind == NODE_NUMBER || n->kind == NODE_STRING;
}

/* A term with field accesses: $x.a.b, (f).a */
static struct node *operand(struct parser *p)
{
	struct node *n = term(p), *chain;

	if (!n || tmpl_peek(p).kind != TOK_FIELD)
		return n;
	chain = n;
	if (n->kind != NODE_FIELD && n->kind != NODE_VARIABLE) {
		if (is_constant(n))
			return tmpl_fail(p, "unexpected . after term %.*s", STRF(n->shown));
		chain = tmpl_new_node(p, NODE_CHAIN, tmpl_peek(p).pos);
		chain->pipe = n;
	}
	chain->pos = tmpl_peek(p).pos; /* where the second part begins, as in Go */
	while (tmpl_peek(p).kind == TOK_FIELD)
		VEC_PUSH(p->a, &chain->fields, str_from(tmpl_next(p).val, 1));
	return chain;
}

static struct node *command(struct parser *p)
{
	struct node *cmd = tmpl_new_node(p, NODE_COMMAND, tmpl_peek_word(p).pos), *n;

	for (;;) {
		struct token t;

		(void)tmpl_peek_word(p);
		n = operand(p);
		if (p->failed)
			return NULL;
		if (n)
			tmpl_append(cmd, n);
		t = tmpl_next(p);
		if (t.kind == TOK_SPACE)
			continue;
		if (t.kind == TOK_RIGHT || t.kind == TOK_CLOSE)
			tmpl_back(p);
		else if (t.kind != TOK_PIPE)
			return tmpl_unexpected(p, t, "operand");
		break;
	}
	return cmd->first ? cmd : tmpl_fail(p, "empty command");
}

/* "$a, $b :=" before a pipe. */
static bool declarations(struct parser *p, struct node *pipe, const char *context)
{
	bool range = strcmp(context, "range") == 0;

	while (tmpl_peek_word(p).kind == TOK_VARIABLE) {
		size_t before = p->at;
		struct token v = tmpl_next(p), t = tmpl_peek_word(p);

		if (t.kind == TOK_ASSIGN || t.kind == TOK_DECLARE) {
			pipe->assign = t.kind == TOK_ASSIGN;
			(void)tmpl_next(p);
			VEC_PUSH(p->a, &pipe->decl, v.val);
			VEC_PUSH(p->a, &p->vars, v.val);
			return true;
		}
		if (t.kind == TOK_CHAR && str_is(t.val, ",")) {
			(void)tmpl_next(p);
			VEC_PUSH(p->a, &pipe->decl, v.val);
			VEC_PUSH(p->a, &p->vars, v.val);
			if (range && pipe->decl.n < 2)
				continue;
			(void)tmpl_fail(p, "too many declarations in %s", context);
			return false;
		}
		p->at = before;
		return true;
	}
	return true;
}

static bool check_pipe(struct parser *p, const struct node *pipe, const char *context)
{
	int stage = 1;

	if (!pipe->first) {
		(void)tmpl_fail(p, "missing value for %s", context);
		return false;
	}
	for (const struct node *c = pipe->first->next; c; c = c->next) {
		stage++;
		if (is_constant(c->first)) {
			(void)tmpl_fail(p,
					"non executable command in pipeline stage "
					"%d",
					stage);
			return false;
		}
	}
	return true;
}

struct node *tmpl_pipeline(struct parser *p, const char *context, enum tok end)
{
	struct node *pipe = tmpl_new_node(p, NODE_PIPE, tmpl_peek_word(p).pos), *c;

	if (!tmpl_deeper(p) || !declarations(p, pipe, context))
		return NULL;
	for (;;) {
		struct token t = tmpl_next_word(p);

		if (t.kind == end)
			break;
		switch (t.kind) {
		case TOK_BOOL:
		case TOK_CHAR_CONST:
		case TOK_DOT:
		case TOK_FIELD:
		case TOK_IDENT:
		case TOK_NUMBER:
		case TOK_NIL:
		case TOK_RAW:
		case TOK_STRING:
		case TOK_VARIABLE:
		case TOK_OPEN:
			tmpl_back(p);
			c = command(p);
			if (!c)
				return NULL;
			tmpl_append(pipe, c);
			break;
		default:
			return tmpl_unexpected(p, t, context);
		}
	}
	p->depth--;
	return check_pipe(p, pipe, context) ? pipe : NULL;
}
