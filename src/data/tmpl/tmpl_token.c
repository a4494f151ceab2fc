/*
 * The parser's access to tokens, its errors and its nodes.
 */
#include "base/codec.h"
#include "tmpl_parser.h"

#define DEPTH_MAX 200

struct token tmpl_peek(const struct parser *p)
{
	return p->t.v[p->at < p->t.n ? p->at : p->t.n - 1];
}

struct token tmpl_next(struct parser *p)
{
	struct token t = tmpl_peek(p);

	if (p->at < p->t.n - 1)
		p->at++;
	else
		p->at = p->t.n; /* stays at the end */
	return t;
}

void tmpl_back(struct parser *p)
{
	p->at--;
}

struct token tmpl_next_word(struct parser *p)
{
	while (tmpl_peek(p).kind == TOK_SPACE)
		(void)tmpl_next(p);
	return tmpl_next(p);
}

struct token tmpl_peek_word(struct parser *p)
{
	while (tmpl_peek(p).kind == TOK_SPACE)
		(void)tmpl_next(p);
	return tmpl_peek(p);
}

/* The line of a token: counted only for messages. */
static size_t line_of(const struct parser *p, const struct token *t)
{
	size_t line = 1;

	for (size_t i = 0; i < t->pos; i++)
		line += p->text.p[i] == '\n';
	return line;
}

struct node *tmpl_fail(struct parser *p, const char *fmt, ...)
{
	size_t last = p->at ? (p->at <= p->t.n ? p->at - 1 : p->t.n - 1) : 0;
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
		      line_of(p, &p->t.v[last]), STRF(buf_str(&b)));
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

struct node *tmpl_unexpected(struct parser *p, struct token t, const char *context)
{
	struct buf extra;

	if (t.kind != TOK_ERROR)
		return tmpl_fail(p, "unexpected %.*s in %s", STRF(token_text(p, t)), context);
	buf_init(&extra, p->a);
	if (p->action && line_of(p, p->action) != line_of(p, &t))
		buf_addf(&extra, "%s started at %s:%zu",
			 str_ends(t.val, S(" action")) ? "" : " in action", p->name,
			 line_of(p, p->action));
	return tmpl_fail(p, "%.*s%.*s", STRF(t.val), STRF(buf_str(&extra)));
}

struct node *tmpl_new_node(struct parser *p, enum node_kind kind, size_t pos)
{
	struct node *n = ARENA_NEW(p->a, struct node);

	n->kind = kind;
	n->pos = pos;
	return n;
}

void tmpl_append(struct node *parent, struct node *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

bool tmpl_deeper(struct parser *p)
{
	if (p->depth++ < DEPTH_MAX)
		return true;
	(void)tmpl_fail(p, "nested more than %d levels deep", DEPTH_MAX);
	return false;
}
