/*
 * Splits a template into tokens and applies trim markers. An error is a token, too: it is
 * reported only when the parser reaches it.
 */
#include "base/utf8.h"
#include "tmpl_node.h"

struct lexer {
	struct arena *a;
	struct str in;
	size_t at;
	int parens;
	struct tokens *out;
};

static void emit(struct lexer *l, enum tok kind, size_t start)
{
	struct token t = { kind, start, str_sub(l->in, start, l->at) };

	VEC_PUSH(l->a, l->out, t);
}

static bool fail(struct lexer *l, const char *text)
{
	struct token t = { TOK_ERROR, l->at, str_of(text) };

	VEC_PUSH(l->a, l->out, t);
	return false;
}

static bool here(const struct lexer *l, const char *z)
{
	return str_starts(str_from(l->in, l->at), str_of(z));
}

static int peek(const struct lexer *l)
{
	return l->at < l->in.n ? (unsigned char)l->in.p[l->at] : -1;
}

static bool is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_alnum(int c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c >= 0x80;
}

/* " -}}" */
static bool right_trim(const struct lexer *l)
{
	return is_space(peek(l)) && l->at + 3 < l->in.n &&
	       str_starts(str_from(l->in, l->at + 1), S("-}}"));
}

static void skip_space(struct lexer *l)
{
	while (is_space(peek(l)))
		l->at++;
}

/* A comment, from behind "{{" (and its "- ") to its end. */
static bool comment(struct lexer *l)
{
	ptrdiff_t end = str_find(str_from(l->in, l->at), S("*/"));
	bool trim;

	if (end < 0)
		return fail(l, "unclosed comment");
	l->at += (size_t)end + 2;
	trim = right_trim(l);
	if (!trim && !here(l, "}}"))
		return fail(l, "comment ends before closing delimiter");
	l->at += trim ? 4 : 2;
	if (trim)
		skip_space(l);
	return true;
}

static bool quote(struct lexer *l, char q, enum tok kind, const char *unclosed)
{
	size_t start = l->at++;

	for (;;) {
		int c = peek(l);

		if (c == '\\' && l->at + 1 < l->in.n && l->in.p[l->at + 1] != '\n')
			l->at++;
		else if (c < 0 || c == '\n' || c == '\\')
			return fail(l, unclosed);
		else if (c == q)
			break;
		l->at++;
	}
	l->at++;
	emit(l, kind, start);
	return true;
}

static bool raw(struct lexer *l)
{
	size_t start = l->at++;
	ptrdiff_t end = str_chr(str_from(l->in, l->at), '`');

	if (end < 0)
		return fail(l, "unterminated raw quoted string");
	l->at += (size_t)end + 1;
	emit(l, TOK_RAW, start);
	return true;
}

/* True at a character that may end a word; any other is an error. */
static bool terminated(const struct lexer *l)
{
	int c = peek(l);

	return c < 0 || is_space(c) || strchr(".,|:()", c) || here(l, "}}");
}

static bool bad_character(struct lexer *l)
{
	return fail(l, str_fmt(l->a, "bad character U+%04X '%c'", peek(l), peek(l)).p);
}

static bool word(struct lexer *l)
{
	static const char *const keywords[] = {
		"block", "break", "continue", "define",	  "else",
		"end",	 "if",	  "range",    "template", "with",
	};
	size_t start = l->at;
	enum tok kind = TOK_IDENT;
	struct str s;

	while (is_alnum(peek(l)))
		l->at++;
	if (!terminated(l))
		return bad_character(l);
	s = str_sub(l->in, start, l->at);
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		if (str_is(s, keywords[i]))
			kind = TOK_KEYWORD;
	if (str_is(s, "true") || str_is(s, "false"))
		kind = TOK_BOOL;
	if (str_is(s, "nil"))
		kind = TOK_NIL;
	emit(l, kind, start);
	return true;
}

/* ".name" or "$name", or only the mark. */
static bool marked(struct lexer *l, enum tok alone, enum tok named)
{
	size_t start = l->at++;

	if (terminated(l)) {
		emit(l, alone, start);
		return true;
	}
	while (is_alnum(peek(l)))
		l->at++;
	if (!terminated(l))
		return bad_character(l);
	emit(l, named, start);
	return true;
}

static bool number(struct lexer *l)
{
	size_t start = l->at;

	if (peek(l) == '+' || peek(l) == '-')
		l->at++;
	while (is_alnum(peek(l)) || peek(l) == '.' ||
	       ((peek(l) == '+' || peek(l) == '-') && strchr("eEpP", l->in.p[l->at - 1])))
		l->at++;
	emit(l, TOK_NUMBER, start);
	return true;
}

static bool one(struct lexer *l, enum tok kind)
{
	l->at++;
	emit(l, kind, l->at - 1);
	return true;
}

static bool end_of_action(struct lexer *l, bool trim)
{
	size_t start = l->at;

	if (l->parens)
		return fail(l, "unclosed left paren");
	l->at += trim ? 4 : 2;
	emit(l, TOK_RIGHT, start);
	if (trim)
		skip_space(l);
	return true;
}

static bool space(struct lexer *l)
{
	size_t start = l->at;

	while (is_space(peek(l)) && !right_trim(l))
		l->at++;
	emit(l, TOK_SPACE, start);
	return true;
}

/* A token inside an action, starting with c. */
static bool token(struct lexer *l, int c)
{
	int next = l->at + 1 < l->in.n ? (unsigned char)l->in.p[l->at + 1] : -1;

	switch (c) {
	case '=':
		return one(l, TOK_ASSIGN);
	case ':':
		if (next != '=')
			return fail(l, "expected :=");
		l->at += 2;
		emit(l, TOK_DECLARE, l->at - 2);
		return true;
	case '|':
		return one(l, TOK_PIPE);
	case '"':
		return quote(l, '"', TOK_STRING, "unterminated quoted string");
	case '\'':
		return quote(l, '\'', TOK_CHAR_CONST, "unterminated character constant");
	case '`':
		return raw(l);
	case '$':
		return marked(l, TOK_VARIABLE, TOK_VARIABLE);
	case '(':
		l->parens++;
		return one(l, TOK_OPEN);
	case ')':
		if (--l->parens < 0)
			return fail(l, "unexpected right paren");
		return one(l, TOK_CLOSE);
	case '.':
		if (next < '0' || next > '9')
			return marked(l, TOK_DOT, TOK_FIELD);
		return number(l);
	default:
		break;
	}
	if (c == '+' || c == '-' || (c >= '0' && c <= '9'))
		return number(l);
	if (is_alnum(c))
		return word(l);
	if (c > 0x20 && c < 0x7F)
		return one(l, TOK_CHAR);
	return fail(l, str_fmt(l->a, "unrecognized character in action: U+%04X", c).p);
}

/* The next token of an action; sets *done at its end. */
static bool inside(struct lexer *l, bool *done)
{
	bool trim = right_trim(l);
	int c = peek(l);

	if (trim || here(l, "}}")) {
		*done = end_of_action(l, trim);
		return *done;
	}
	if (c < 0)
		return fail(l, "unclosed action");
	return is_space(c) ? space(l) : token(l, c);
}

/* Text up to the next action, without trailing space that a trim marker removes. */
static bool text(struct lexer *l)
{
	size_t start = l->at;
	ptrdiff_t left = str_find(str_from(l->in, l->at), S("{{"));
	size_t end = left < 0 ? l->in.n : l->at + (size_t)left;
	bool trim = left >= 0 && end + 3 < l->in.n && l->in.p[end + 2] == '-' &&
		    is_space((unsigned char)l->in.p[end + 3]);

	l->at = end;
	while (trim && l->at > start && is_space((unsigned char)l->in.p[l->at - 1]))
		l->at--;
	if (l->at > start)
		emit(l, TOK_TEXT, start);
	l->at = end;
	return left >= 0;
}

void tmpl_lex(struct arena *a, struct str in, struct tokens *out)
{
	struct lexer l = { .a = a, .in = in, .out = out };

	while (text(&l)) {
		size_t start = l.at;
		bool done = false, trim;

		l.at += 2;
		trim = peek(&l) == '-' && l.at + 1 < in.n &&
		       is_space((unsigned char)in.p[l.at + 1]);
		if (str_starts(str_from(in, l.at + (trim ? 2 : 0)), S("/*"))) {
			l.at += trim ? 2 : 0;
			if (!comment(&l))
				return;
			continue;
		}
		emit(&l, TOK_LEFT, start);
		if (trim)
			l.at++; /* the blank after it is a token */
		l.parens = 0;
		while (!done)
			if (!inside(&l, &done))
				return;
	}
	emit(&l, TOK_EOF, l.at);
}
