#include "tmpl_node.h"

#include "base/codec.h"
#include "base/utf8.h"

#define DEPTH_MAX 200

struct parser {
	struct arena *a;
	const char *name;
	struct tokens t;
	size_t at; /* the next token */
	size_t action_line;
	struct strs vars; /* in scope */
	int range_depth, depth;
	const struct tmpl_func *funcs;
	struct map *defined;
	struct err *err;
	bool failed;
};

/* ---- tokens ------------------------------------------------------------------- */

static struct token peek(const struct parser *p)
{
	return p->t.v[p->at < p->t.n ? p->at : p->t.n - 1];
}

static struct token next(struct parser *p)
{
	struct token t = peek(p);

	if (p->at < p->t.n - 1)
		p->at++;
	else
		p->at = p->t.n; /* stays at the end */
	return t;
}

static void back(struct parser *p)
{
	p->at--;
}

static struct token next_word(struct parser *p)
{
	while (peek(p).kind == TOK_SPACE)
		(void)next(p);
	return next(p);
}

static struct token peek_word(struct parser *p)
{
	while (peek(p).kind == TOK_SPACE)
		(void)next(p);
	return peek(p);
}

/* The first failure counts; after it everything unwinds. */
static struct node *fail(struct parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static struct node *fail(struct parser *p, const char *fmt, ...)
{
	size_t line =
		p->t.v[p->at ? (p->at <= p->t.n ? p->at - 1 : p->t.n - 1) : 0]
			.line;
	struct buf b;
	va_list ap;

	if (p->failed)
		return NULL;
	p->failed = true;
	buf_init(&b, p->a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	(void)err_set(p->err, ERR_INVALID, "template: %s:%zu: %.*s", p->name,
		      line, STRF(buf_str(&b)));
	return NULL;
}

static struct str token_text(struct parser *p, struct token t)
{
	struct buf b;

	buf_init(&b, p->a);
	switch (t.kind) {
	case TOK_EOF:
		return S("EOF");
	case TOK_ERROR:
		return t.val;
	case TOK_KEYWORD:
		return str_fmt(p->a, "<%.*s>", STRF(t.val));
	default:
		go_quote(&b, t.val.n > 10 ? str_sub(t.val, 0, 10) : t.val);
		if (t.val.n > 10)
			buf_addz(&b, "...");
		return buf_str(&b);
	}
}

static struct node *unexpected(struct parser *p, struct token t,
			       const char *context)
{
	struct buf extra;

	if (t.kind != TOK_ERROR)
		return fail(p, "unexpected %.*s in %s", STRF(token_text(p, t)),
			    context);
	buf_init(&extra, p->a);
	if (p->action_line && p->action_line != t.line)
		buf_addf(&extra, "%s started at %s:%zu",
			 str_ends(t.val, S(" action")) ? "" : " in action",
			 p->name, p->action_line);
	return fail(p, "%.*s%.*s", STRF(t.val), STRF(buf_str(&extra)));
}

static struct node *new_node(struct parser *p, enum node_kind kind, size_t pos)
{
	struct node *n = ARENA_NEW(p->a, struct node);

	n->kind = kind;
	n->pos = pos;
	return n;
}

static void append(struct node *parent, struct node *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

static bool deeper(struct parser *p)
{
	if (p->depth++ < DEPTH_MAX)
		return true;
	(void)fail(p, "nested more than %d levels deep", DEPTH_MAX);
	return false;
}

/* ---- terms ----------------------------------------------------------------------- */

/* A Go string or character literal without its quotes. */
static bool unquote(struct parser *p, struct str s, struct str *out)
{
	struct buf b;

	buf_init(&b, p->a);
	for (size_t i = 0; i < s.n; i++) {
		static const char from[] = "abfnrtv\\\"'",
				  to[] = "\a\b\f\n\r\t\v\\\"'";
		const char *k;
		size_t digits, base = 16;
		uint64_t v = 0;

		if (s.p[i] != '\\') {
			buf_addc(&b, s.p[i]);
			continue;
		}
		if (++i == s.n)
			return false;
		k = s.p[i] ? strchr(from, s.p[i]) : NULL;
		if (k) {
			buf_addc(&b, to[k - from]);
			continue;
		}
		digits = s.p[i] == 'x'	 ? 2
			 : s.p[i] == 'u' ? 4
			 : s.p[i] == 'U' ? 8
					 : 0;
		if (!digits) {
			digits = 3;
			base = 8;
			i--;
		}
		for (size_t k2 = 0; k2 < digits; k2++) {
			const char *set = "0123456789abcdef", *d;

			if (++i == s.n)
				return false;
			d = s.p[i] ? strchr(set, s.p[i] >= 'A' && s.p[i] <= 'F'
							 ? s.p[i] | 0x20
							 : s.p[i])
				   : NULL;
			if (!d || (size_t)(d - set) >= base)
				return false;
			v = v * base + (size_t)(d - set);
		}
		if (base == 8 || digits == 2)
			buf_addc(&b, (char)v);
		else
			utf8_add(&b, (uint32_t)v);
	}
	*out = buf_str(&b);
	return true;
}

static struct node *number(struct parser *p, struct token t)
{
	struct node *n = new_node(p, NODE_NUMBER, t.pos);
	struct str text = t.val, plain;
	struct num_int v;
	struct buf b;
	size_t len;

	n->shown = t.val;
	if (t.kind == TOK_CHAR_CONST) {
		if (!unquote(p, str_sub(text, 1, text.n - 1), &plain) ||
		    !plain.n)
			return fail(p, "malformed character constant: %.*s",
				    STRF(text));
		n->is_int = n->is_float = true;
		n->i = (int64_t)utf8_at(plain, 0, &len);
		n->f = (double)n->i;
		return n;
	}
	buf_init(&b, p->a);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '_')
			buf_addc(&b, text.p[i]);
	plain = buf_str(&b);
	if (num_parse_int(plain, &v) && (v.neg || v.abs <= INT64_MAX)) {
		n->is_int = n->is_float = true;
		n->i = v.neg ? (int64_t)(0 - v.abs) : (int64_t)v.abs;
		n->f = (double)n->i;
		return n;
	}
	if (!num_parse_float(plain, &n->f))
		return fail(p, "bad number syntax: \"%.*s\"", STRF(text));
	n->is_float = true;
	/* a whole float is an integer too: 1e3 */
	if (n->f >= -9e15 && n->f <= 9e15 && (double)(int64_t)n->f == n->f) {
		n->is_int = true;
		n->i = (int64_t)n->f;
	}
	return n;
}

static const struct tmpl_func *find_func(const struct parser *p,
					 struct str name)
{
	for (const struct tmpl_func *f = tmpl_builtins; f->name; f++)
		if (str_is(name, f->name))
			return f;
	for (const struct tmpl_func *f = p->funcs; f && f->name; f++)
		if (str_is(name, f->name))
			return f;
	return NULL;
}

static struct node *pipeline(struct parser *p, const char *context,
			     enum tok end);

static bool declared(const struct parser *p, struct str name)
{
	for (size_t i = 0; i < p->vars.n; i++)
		if (str_eq(p->vars.v[i], name))
			return true;
	return false;
}

static struct node *literal(struct parser *p, struct token t)
{
	struct node *n = new_node(p, NODE_STRING, t.pos);
	struct str inner = str_sub(t.val, 1, t.val.n - 1);

	n->shown = t.val;
	n->text = inner;
	if (t.kind == TOK_STRING && !unquote(p, inner, &n->text))
		return fail(p, "invalid syntax");
	return n;
}

static struct node *term(struct parser *p)
{
	struct token t = next_word(p);
	struct node *n;

	switch (t.kind) {
	case TOK_IDENT:
		n = new_node(p, NODE_IDENT, t.pos);
		n->text = n->shown = t.val;
		n->func = find_func(p, t.val);
		if (!n->func)
			return fail(p, "function \"%.*s\" not defined",
				    STRF(t.val));
		return n;
	case TOK_DOT:
		return new_node(p, NODE_DOT, t.pos);
	case TOK_NIL:
		return new_node(p, NODE_NIL, t.pos);
	case TOK_VARIABLE:
		if (!declared(p, t.val))
			return fail(p, "undefined variable \"%.*s\"",
				    STRF(t.val));
		n = new_node(p, NODE_VARIABLE, t.pos);
		n->text = t.val;
		return n;
	case TOK_FIELD:
		n = new_node(p, NODE_FIELD, t.pos);
		VEC_PUSH(p->a, &n->fields, str_from(t.val, 1));
		return n;
	case TOK_BOOL:
		n = new_node(p, NODE_BOOL, t.pos);
		n->shown = t.val;
		n->i = str_is(t.val, "true");
		return n;
	case TOK_NUMBER:
	case TOK_CHAR_CONST:
		return number(p, t);
	case TOK_STRING:
	case TOK_RAW:
		return literal(p, t);
	case TOK_OPEN:
		return pipeline(p, "parenthesized pipeline", TOK_CLOSE);
	default:
		back(p);
		return NULL;
	}
}

/* A term and the fields taken of it: $x.a.b, (f).a */
static struct node *operand(struct parser *p)
{
	struct node *n = term(p), *chain;

	if (!n || peek(p).kind != TOK_FIELD)
		return n;
	chain = n;
	if (n->kind != NODE_FIELD && n->kind != NODE_VARIABLE) {
		if (n->kind >= NODE_DOT)
			return fail(p, "unexpected . after term %.*s",
				    STRF(n->shown));
		chain = new_node(p, NODE_CHAIN, peek(p).pos);
		chain->pipe = n;
	}
	chain->pos = peek(p).pos; /* where the second part begins, as in Go */
	while (peek(p).kind == TOK_FIELD)
		VEC_PUSH(p->a, &chain->fields, str_from(next(p).val, 1));
	return chain;
}

static struct node *command(struct parser *p)
{
	struct node *cmd = new_node(p, NODE_COMMAND, peek_word(p).pos), *n;

	for (;;) {
		struct token t;

		(void)peek_word(p);
		n = operand(p);
		if (p->failed)
			return NULL;
		if (n)
			append(cmd, n);
		t = next(p);
		if (t.kind == TOK_SPACE)
			continue;
		if (t.kind == TOK_RIGHT || t.kind == TOK_CLOSE)
			back(p);
		else if (t.kind != TOK_PIPE)
			return unexpected(p, t, "operand");
		break;
	}
	return cmd->first ? cmd : fail(p, "empty command");
}

/* "$a, $b :=" before a pipe. */
static bool declarations(struct parser *p, struct node *pipe,
			 const char *context)
{
	bool range = strcmp(context, "range") == 0;

	while (peek_word(p).kind == TOK_VARIABLE) {
		size_t before = p->at;
		struct token v = next(p), t = peek_word(p);

		if (t.kind == TOK_ASSIGN || t.kind == TOK_DECLARE) {
			pipe->assign = t.kind == TOK_ASSIGN;
			(void)next(p);
			VEC_PUSH(p->a, &pipe->decl, v.val);
			VEC_PUSH(p->a, &p->vars, v.val);
			return true;
		}
		if (t.kind == TOK_CHAR && str_is(t.val, ",")) {
			(void)next(p);
			VEC_PUSH(p->a, &pipe->decl, v.val);
			VEC_PUSH(p->a, &p->vars, v.val);
			if (range && pipe->decl.n < 2)
				continue;
			(void)fail(p, "too many declarations in %s", context);
			return false;
		}
		p->at = before;
		return true;
	}
	return true;
}

static bool check_pipe(struct parser *p, const struct node *pipe,
		       const char *context)
{
	int stage = 1;

	if (!pipe->first) {
		(void)fail(p, "missing value for %s", context);
		return false;
	}
	for (const struct node *c = pipe->first->next; c; c = c->next) {
		stage++;
		if (c->first->kind >= NODE_DOT) {
			(void)fail(p,
				   "non executable command in pipeline stage "
				   "%d",
				   stage);
			return false;
		}
	}
	return true;
}

static struct node *pipeline(struct parser *p, const char *context,
			     enum tok end)
{
	struct node *pipe = new_node(p, NODE_PIPE, peek_word(p).pos), *c;

	if (!deeper(p) || !declarations(p, pipe, context))
		return NULL;
	for (;;) {
		struct token t = next_word(p);

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
			back(p);
			c = command(p);
			if (!c)
				return NULL;
			append(pipe, c);
			break;
		default:
			return unexpected(p, t, context);
		}
	}
	p->depth--;
	return check_pipe(p, pipe, context) ? pipe : NULL;
}

/* ---- actions -------------------------------------------------------------------------- */

static struct node *text_or_action(struct parser *p);

/* Up to {{end}} or {{else}}, which becomes *stop. */
static struct node *item_list(struct parser *p, struct node **stop)
{
	struct node *list = new_node(p, NODE_LIST, peek_word(p).pos);

	while (peek(p).kind != TOK_EOF) {
		struct node *n = text_or_action(p);

		if (!n)
			return NULL;
		if (n->kind == NODE_END || n->kind == NODE_ELSE) {
			*stop = n;
			return list;
		}
		append(list, n);
	}
	(void)next(p);
	return fail(p, "unexpected EOF");
}

static struct node *control(struct parser *p, enum node_kind kind,
			    const char *context)
{
	struct node *n = new_node(p, kind, p->t.v[p->at - 1].pos), *stop = NULL;
	size_t vars = p->vars.n;
	bool again;

	n->pipe = deeper(p) ? pipeline(p, context, TOK_RIGHT) : NULL;
	if (!n->pipe)
		return NULL;
	p->range_depth += kind == NODE_RANGE;
	n->body = item_list(p, &stop);
	p->range_depth -= kind == NODE_RANGE;
	if (!n->body || !stop)
		return NULL;
	if (stop->kind == NODE_ELSE) {
		struct token t = peek(p);

		again = t.kind == TOK_KEYWORD && str_is(t.val, context) &&
			kind != NODE_RANGE;
		if (again) { /* "else if" ends with the same end */
			struct node *inner;

			(void)next(p);
			n->other = new_node(p, NODE_LIST, t.pos);
			inner = control(p, kind, context);
			if (!inner)
				return NULL;
			append(n->other, inner);
		} else {
			n->other = item_list(p, &stop);
			if (!n->other)
				return NULL;
			if (stop->kind != NODE_END)
				return fail(p, "expected end; found {{else}}");
		}
	}
	p->vars.n = vars;
	p->depth--;
	return n;
}

/* {{end}}, {{break}}, {{continue}}: a word alone. */
static struct node *alone(struct parser *p, enum node_kind kind,
			  const char *context)
{
	struct node *n = new_node(p, kind, p->t.v[p->at - 1].pos);
	struct token t = next_word(p);

	if (t.kind != TOK_RIGHT)
		return unexpected(p, t, str_fmt(p->a, "{{%s}}", context).p);
	if (kind != NODE_END && !p->range_depth)
		return fail(p, "{{%s}} outside {{range}}", context);
	return n;
}

static struct node *else_part(struct parser *p)
{
	struct node *n = new_node(p, NODE_ELSE, p->t.v[p->at - 1].pos);
	struct token t = peek_word(p);

	/* what follows is the control's to read */
	if (t.kind == TOK_KEYWORD &&
	    (str_is(t.val, "if") || str_is(t.val, "with")))
		return n;
	t = next_word(p);
	return t.kind == TOK_RIGHT ? n : unexpected(p, t, "else");
}

static struct node *template_name(struct parser *p, const char *context,
				  struct str *out)
{
	struct token t = next_word(p);
	struct node *n;

	if (t.kind != TOK_STRING && t.kind != TOK_RAW)
		return unexpected(p, t, context);
	n = literal(p, t);
	if (n)
		*out = n->text;
	return n;
}

static struct node *body_of(struct parser *p, const char *context)
{
	size_t vars = p->vars.n;
	struct node *stop = NULL, *list;

	p->vars.n = 1; /* only $ is known inside */
	list = item_list(p, &stop);
	p->vars.n = vars;
	if (list && stop && stop->kind != NODE_END)
		return fail(p, "unexpected {{else}} in %s", context);
	return list;
}

static struct node *call_template(struct parser *p, bool block)
{
	struct node *n = new_node(p, NODE_TEMPLATE, p->t.v[p->at - 1].pos);
	const char *context = block ? "block clause" : "template clause";
	struct node *body;

	if (!template_name(p, context, &n->text))
		return NULL;
	n->pos = p->t.v[p->at - 1].pos;
	if (block || next_word(p).kind != TOK_RIGHT) {
		if (!block)
			back(p);
		n->pipe = pipeline(p, context, TOK_RIGHT);
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
	t = next_word(p);
	if (t.kind != TOK_RIGHT)
		return unexpected(p, t, "define clause");
	body = body_of(p, "define clause");
	if (!body)
		return NULL;
	(void)map_put(p->defined, name, body);
	return new_node(p, NODE_LIST, body->pos);
}

static struct node *action(struct parser *p)
{
	struct token t = next_word(p);
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
	back(p);
	n = new_node(p, NODE_ACTION, t.pos);
	n->pipe = pipeline(p, "command", TOK_RIGHT);
	return n->pipe ? n : NULL;
}

static struct node *text_or_action(struct parser *p)
{
	struct token t = next(p);
	struct node *n;

	if (t.kind == TOK_TEXT) {
		n = new_node(p, NODE_TEXT, t.pos);
		n->text = t.val;
		return n;
	}
	if (t.kind != TOK_LEFT)
		return unexpected(p, t, "input");
	p->action_line = t.line;
	n = action(p);
	p->action_line = 0;
	return n;
}

int tmpl_parse(struct arena *a, const char *name, struct str text,
	       const struct tmpl_func *funcs, struct tmpl **out,
	       struct err *err)
{
	struct parser p = { .a = a, .name = name, .funcs = funcs, .err = err };
	struct tmpl *t = ARENA_NEW(a, struct tmpl);

	t->name = name;
	t->text = text;
	t->defined = p.defined = ARENA_NEW(a, struct map);
	map_init(p.defined, a);
	VEC_PUSH(a, &p.vars, S("$"));
	tmpl_lex(a, text, &p.t);
	t->root = new_node(&p, NODE_LIST, 0);
	while (peek(&p).kind != TOK_EOF) {
		struct node *n = text_or_action(&p);

		if (n && (n->kind == NODE_END || n->kind == NODE_ELSE))
			n = fail(&p, "unexpected {{%s}}",
				 n->kind == NODE_END ? "end" : "else");
		if (!n)
			return -(int)err->code;
		append(t->root, n);
	}
	*out = t;
	return 0;
}
