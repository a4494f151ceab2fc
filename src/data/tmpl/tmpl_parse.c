/*
 * Parses text, actions and control structures into a tree.
 */
#include "tmpl_parser.h"

static struct node *text_or_action(struct parser *p);

/* Reads up to {{end}} or {{else}}, which becomes *stop. */
static struct node *item_list(struct parser *p, struct node **stop)
{
	struct node *list = tmpl_new_node(p, NODE_LIST, tmpl_peek_word(p).pos);

	while (tmpl_peek(p).kind != TOK_EOF) {
		struct node *n = text_or_action(p);

		if (!n)
			return NULL;
		if (n->kind == NODE_END || n->kind == NODE_ELSE) {
			*stop = n;
			return list;
		}
		tmpl_append(list, n);
	}
	(void)tmpl_next(p);
	return tmpl_fail(p, "unexpected EOF");
}

static struct node *control(struct parser *p, enum node_kind kind, const char *context)
{
	struct node *n = tmpl_new_node(p, kind, p->t.v[p->at - 1].pos), *stop = NULL;
	size_t vars = p->vars.n;
	bool again;

	n->pipe = tmpl_deeper(p) ? tmpl_pipeline(p, context, TOK_RIGHT) : NULL;
	if (!n->pipe)
		return NULL;
	p->range_depth += kind == NODE_RANGE;
	n->body = item_list(p, &stop);
	p->range_depth -= kind == NODE_RANGE;
	if (!n->body || !stop)
		return NULL;
	if (stop->kind == NODE_ELSE) {
		struct token t = tmpl_peek(p);

		again = t.kind == TOK_KEYWORD && str_is(t.val, context) && kind != NODE_RANGE;
		if (again) { /* "else if" shares the end */
			struct node *inner;

			(void)tmpl_next(p);
			n->other = tmpl_new_node(p, NODE_LIST, t.pos);
			inner = control(p, kind, context);
			if (!inner)
				return NULL;
			tmpl_append(n->other, inner);
		} else {
			n->other = item_list(p, &stop);
			if (!n->other)
				return NULL;
			if (stop->kind != NODE_END)
				return tmpl_fail(p, "expected end; found {{else}}");
		}
	}
	p->vars.n = vars;
	p->depth--;
	return n;
}

/* {{end}}, {{break}}, {{continue}}: a single word. */
static struct node *alone(struct parser *p, enum node_kind kind, const char *context)
{
	struct node *n = tmpl_new_node(p, kind, p->t.v[p->at - 1].pos);
	struct token t = tmpl_next_word(p);

	if (t.kind != TOK_RIGHT)
		return tmpl_unexpected(p, t, str_fmt(p->a, "{{%s}}", context).p);
	if (kind != NODE_END && !p->range_depth)
		return tmpl_fail(p, "{{%s}} outside {{range}}", context);
	return n;
}

static struct node *else_part(struct parser *p)
{
	struct node *n = tmpl_new_node(p, NODE_ELSE, p->t.v[p->at - 1].pos);
	struct token t = tmpl_peek_word(p);

	/* the caller parses what follows */
	if (t.kind == TOK_KEYWORD && (str_is(t.val, "if") || str_is(t.val, "with")))
		return n;
	t = tmpl_next_word(p);
	return t.kind == TOK_RIGHT ? n : tmpl_unexpected(p, t, "else");
}

static struct node *template_name(struct parser *p, const char *context, struct str *out)
{
	struct token t = tmpl_next_word(p);
	struct node *n;

	if (t.kind != TOK_STRING && t.kind != TOK_RAW)
		return tmpl_unexpected(p, t, context);
	n = tmpl_literal(p, t);
	if (n)
		*out = n->text;
	return n;
}

static struct node *body_of(struct parser *p, const char *context)
{
	size_t vars = p->vars.n;
	struct node *stop = NULL, *list;

	p->vars.n = 1; /* only $ is in scope inside */
	list = item_list(p, &stop);
	p->vars.n = vars;
	if (list && stop && stop->kind != NODE_END)
		return tmpl_fail(p, "unexpected {{else}} in %s", context);
	return list;
}

static struct node *call_template(struct parser *p, bool block)
{
	struct node *n = tmpl_new_node(p, NODE_TEMPLATE, p->t.v[p->at - 1].pos);
	const char *context = block ? "block clause" : "template clause";
	struct node *body;

	if (!template_name(p, context, &n->text))
		return NULL;
	n->pos = p->t.v[p->at - 1].pos;
	if (block || tmpl_next_word(p).kind != TOK_RIGHT) {
		if (!block)
			tmpl_back(p);
		n->pipe = tmpl_pipeline(p, context, TOK_RIGHT);
		if (!n->pipe)
			return NULL;
	}
	if (block) {
		body = body_of(p, context);
		if (!body)
			return NULL;
		(void)map_put(p->defined, n->text, body);
	}
	return n;
}

static struct node *define(struct parser *p)
{
	struct node *body;
	struct str name = S("");
	struct token t;

	if (!template_name(p, "define clause", &name))
		return NULL;
	t = tmpl_next_word(p);
	if (t.kind != TOK_RIGHT)
		return tmpl_unexpected(p, t, "define clause");
	body = body_of(p, "define clause");
	if (!body)
		return NULL;
	(void)map_put(p->defined, name, body);
	return tmpl_new_node(p, NODE_LIST, body->pos);
}

static struct node *action(struct parser *p)
{
	struct token t = tmpl_next_word(p);
	struct node *n;

	if (t.kind == TOK_KEYWORD) {
		if (str_is(t.val, "if"))
			return control(p, NODE_IF, "if");
		if (str_is(t.val, "with"))
			return control(p, NODE_WITH, "with");
		if (str_is(t.val, "range"))
			return control(p, NODE_RANGE, "range");
		if (str_is(t.val, "else"))
			return else_part(p);
		if (str_is(t.val, "end"))
			return alone(p, NODE_END, "end");
		if (str_is(t.val, "break"))
			return alone(p, NODE_BREAK, "break");
		if (str_is(t.val, "continue"))
			return alone(p, NODE_CONTINUE, "continue");
		if (str_is(t.val, "define"))
			return define(p);
		return call_template(p, str_is(t.val, "block"));
	}
	tmpl_back(p);
	n = tmpl_new_node(p, NODE_ACTION, t.pos);
	n->pipe = tmpl_pipeline(p, "command", TOK_RIGHT);
	return n->pipe ? n : NULL;
}

static struct node *text_or_action(struct parser *p)
{
	struct token t = tmpl_next(p);
	struct node *n;

	if (t.kind == TOK_TEXT) {
		n = tmpl_new_node(p, NODE_TEXT, t.pos);
		n->text = t.val;
		return n;
	}
	if (t.kind != TOK_LEFT)
		return tmpl_unexpected(p, t, "input");
	p->action = &t;
	n = action(p);
	p->action = NULL;
	return n;
}

int tmpl_parse(struct arena *a, const char *name, struct str text, const struct tmpl_func *funcs,
	       struct tmpl **out, struct err *err)
{
	struct parser p = { .a = a, .name = name, .text = text, .funcs = funcs, .err = err };
	struct tmpl *t = ARENA_NEW(a, struct tmpl);

	t->name = name;
	t->text = text;
	t->defined = p.defined = ARENA_NEW(a, struct map);
	map_init(p.defined, a);
	VEC_PUSH(a, &p.vars, S("$"));
	tmpl_lex(a, text, &p.t);
	t->root = tmpl_new_node(&p, NODE_LIST, 0);
	while (tmpl_peek(&p).kind != TOK_EOF) {
		struct node *n = text_or_action(&p);

		if (n && (n->kind == NODE_END || n->kind == NODE_ELSE))
			n = tmpl_fail(&p, "unexpected {{%s}}",
				      n->kind == NODE_END ? "end" : "else");
		if (!n)
			return -(int)err->code;
		tmpl_append(t->root, n);
	}
	*out = t;
	return 0;
}
