/*
 * Recursive descent by columns. A collection ends at a token further to the left, which is also
 * where the library ends it. At a token that it does not expect this reader declines. Columns count
 * bytes, which is correct because only spaces and dashes precede the start of a collection.
 */
#include "yml_fast.h"

#include <math.h>

#include "base/scan.h"
#include "base/utf8.h"

/* Deeper than manifests are; the library parses deeper texts. */
#define DEPTH_MAX 64
/* The library's limit is 1,024 characters. */
#define KEY_MAX 1000

static bool block_node(struct yml_fast *f, ptrdiff_t indent, struct json **out);

/* ---- the text ------------------------------------------------------------ */

/* Only characters that the library accepts, and no line break except \n. */
static bool is_clean(struct str s)
{
	size_t i = 0, len;

	while ((i += scan_text(s.p + i, s.n - i)) < s.n) {
		uint32_t r = utf8_at(s, i, &len);

		if (r < 0xA0 || r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFE ||
		    r == 0xFFFF || (r == UTF8_BAD && len == 1))
			return false;
		i += len;
	}
	return true;
}

static bool is_marker(const struct yml_fast *f)
{
	const char *p = f->p + f->at;

	return f->n - f->at >= 3 && (p[0] == '-' || p[0] == '.') && p[1] == p[0] && p[2] == p[0] &&
	       yml_fast_gap(f, f->at + 3);
}

/* Moves to the next token. */
static bool skip_space(struct yml_fast *f)
{
	for (;;) {
		char c;

		while (f->at < f->n && f->p[f->at] == ' ')
			f->at++;
		f->col = -1;
		if (f->at == f->n)
			return true;
		c = f->p[f->at];
		if (c == '#')
			f->at += scan_byte(f->p + f->at, f->n - f->at, '\n');
		else if (c == '\n')
			f->line = ++f->at;
		else
			break;
	}
	f->col = (ptrdiff_t)(f->at - f->line);
	return f->p[f->at] != '\t' && (f->col || (f->p[f->at] != '%' && !is_marker(f)));
}

/* Whether the rest of the line is empty; otherwise the position does not change. */
static bool at_line_end(struct yml_fast *f)
{
	while (f->at < f->n && f->p[f->at] == ' ')
		f->at++;
	return f->at == f->n || f->p[f->at] == '\n' || f->p[f->at] == '#';
}

static bool is_entry(const struct yml_fast *f)
{
	return f->at < f->n && f->p[f->at] == '-' && yml_fast_gap(f, f->at + 1);
}

/* Whether a plain scalar can begin here, outside of flow collections. */
static bool plain_begins(const struct yml_fast *f)
{
	char c = f->p[f->at];

	switch (c) {
	case '-':
	case '?':
	case ':':
		return !yml_fast_gap(f, f->at + 1);
	case ' ':
	case '\t':
	case '\n':
	case '#':
	case '&':
	case '*':
	case '!':
	case '|':
	case '>':
	case '\'':
	case '"':
	case '%':
	case '@':
	case '`':
		return false;
	default:
		return !yml_is_flow(c);
	}
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static void span(struct json *j, size_t start, size_t end)
{
	json_set_span(j, start, start, end);
}

/* ---- scalars ------------------------------------------------------------- */

static bool scalar(struct yml_fast *f, const struct yml_token *t, struct json **out)
{
	struct yml_value v = { .type = YML_STR };

	if (t->plain)
		v = yml_resolve(S(""), t->text);
	if (v.type == YML_FLOAT && !isfinite(v.f))
		return false;
	*out = yml_scalar_json(f->a, &v, t->text);
	span(*out, t->start, t->end);
	return true;
}

static void empty_value(struct yml_fast *f, size_t mark, struct json **out)
{
	*out = json_new(f->a, JSON_NULL);
	span(*out, mark, mark);
}

static bool is_plain_name(struct str s)
{
	struct yml_value v;

	if (str_is(s, "<<"))
		return false;
	v = yml_resolve(S(""), s);
	return v.type == YML_STR || v.type == YML_TIMESTAMP;
}

enum found { NO_KEY, KEY, ODD };

/* A key on one line and its colon; otherwise the position does not change. */
static enum found key(struct yml_fast *f, struct yml_token *t)
{
	size_t start = f->at, line = f->line, stop;
	bool ok = true;

	if (is_quote(f->p[start])) {
		if (!yml_fast_quoted(f, t))
			return ODD;
		stop = f->at;
		while (stop < f->n && f->p[stop] == ' ')
			stop++;
		ok = t->one_line;
	} else if (plain_begins(f)) {
		stop = yml_fast_plain_stop(f, start);
		t->plain = true;
		t->start = start;
		for (t->end = stop; yml_is_blank(f->p[t->end - 1]);)
			t->end--;
		t->text = (struct str){ f->p + start, t->end - start };
	} else {
		return NO_KEY;
	}
	if (stop >= f->n || f->p[stop] != ':' || !yml_fast_gap(f, stop + 1)) {
		f->at = start;
		f->line = line;
		return NO_KEY;
	}
	if (!ok || stop - start > KEY_MAX || (t->plain && !is_plain_name(t->text)))
		return ODD;
	f->at = stop + 1;
	return KEY;
}

/* ---- flow collections, on one line --------------------------------------- */

static bool flow(struct yml_fast *f, struct json **out);

static char after_blanks(struct yml_fast *f)
{
	while (f->at < f->n && f->p[f->at] == ' ')
		f->at++;
	return f->at < f->n ? f->p[f->at] : '\n';
}

static bool flow_token(struct yml_fast *f, struct yml_token *t)
{
	*t = (struct yml_token){ 0 };
	if (is_quote(f->p[f->at]))
		return yml_fast_quoted(f, t) && t->one_line;
	return yml_fast_flow_plain(f, t);
}

static bool flow_value(struct yml_fast *f, struct json **out)
{
	char c = after_blanks(f);
	struct yml_token t;

	if (c == '{' || c == '[')
		return flow(f, out);
	return c != '\n' && flow_token(f, &t) && scalar(f, &t, out);
}

/* "key:" inside braces. */
static bool flow_key(struct yml_fast *f, struct yml_token *t)
{
	if (!flow_token(f, t) || t->end - t->start > KEY_MAX ||
	    (t->plain && !is_plain_name(t->text)) || after_blanks(f) != ':')
		return false;
	f->at++;
	return !t->plain || yml_fast_gap(f, f->at);
}

static bool add_member(struct yml_fast *f, struct yml_target *t, const struct yml_token *k,
		       struct json *v)
{
	size_t start, end;

	if (yml_find(f->a, t, k->text))
		return false; /* the library decides whether that is a fault */
	json_span(v, &start, &end);
	json_set_span(v, k->start, start, end);
	yml_put(t, k->text, v);
	return true;
}

static bool flow(struct yml_fast *f, struct json **out)
{
	bool map = f->p[f->at] == '{';
	size_t start = f->at++;
	struct json *j = json_new(f->a, map ? JSON_OBJECT : JSON_ARRAY), *v;
	struct yml_target target = { .object = j };
	char close = map ? '}' : ']', c;
	bool ok = f->depth++ < DEPTH_MAX;

	while (ok && (c = after_blanks(f)) != close) {
		struct yml_token k;

		ok = c != '\n' && (!map || flow_key(f, &k)) && flow_value(f, &v) &&
		     (!map || add_member(f, &target, &k, v));
		if (!ok)
			break;
		if (!map)
			json_push(j, v);
		c = after_blanks(f);
		ok = c == ',' || c == close;
		f->at += c == ',';
	}
	f->depth--;
	span(j, start, ++f->at);
	*out = j;
	return ok;
}

/* ---- block collections --------------------------------------------------- */

/* A node within the line; the line must end after it. */
static bool inline_node(struct yml_fast *f, ptrdiff_t indent, struct json **out)
{
	struct yml_token t = { 0 };
	char c = f->p[f->at];
	bool ok;

	if (c == '{' || c == '[')
		return flow(f, out) && at_line_end(f) && skip_space(f);
	if (c == '|')
		return yml_fast_literal(f, indent, &t) && scalar(f, &t, out) && skip_space(f);
	if (is_quote(c))
		ok = yml_fast_quoted(f, &t);
	else
		ok = plain_begins(f) && yml_fast_plain(f, indent, &t);
	return ok && scalar(f, &t, out) && at_line_end(f) && skip_space(f);
}

static bool sequence(struct yml_fast *f, struct json **out)
{
	struct json *list = json_new(f->a, JSON_ARRAY), *v;
	size_t start = f->at;
	ptrdiff_t col = f->col;

	do {
		size_t mark = ++f->at;
		bool own_line = at_line_end(f);

		if (own_line && !skip_space(f))
			return false;
		if (!own_line)
			f->col = (ptrdiff_t)(f->at - f->line);
		if (f->col <= col)
			empty_value(f, mark, &v);
		else if (!block_node(f, col, &v))
			return false;
		json_push(list, v);
	} while (f->col == col && is_entry(f));
	span(list, start, f->at);
	*out = list;
	return f->col <= col;
}

/* The value after "key:" of a mapping in column col. */
static bool value(struct yml_fast *f, ptrdiff_t col, struct json **out)
{
	size_t mark = f->at;

	if (!at_line_end(f))
		return inline_node(f, col, out);
	if (!skip_space(f))
		return false;
	/* a sequence may be in the column of its key */
	if (f->col == col && is_entry(f))
		return sequence(f, out);
	if (f->col > col)
		return block_node(f, col, out);
	empty_value(f, mark, out);
	return true;
}

static bool mapping(struct yml_fast *f, struct yml_token *k, struct json **out)
{
	struct yml_target t = { .object = json_new(f->a, JSON_OBJECT) };
	size_t start = k->start;
	ptrdiff_t col = f->col;
	enum found found = KEY;

	while (found == KEY) {
		struct json *v;

		if (!value(f, col, &v) || !add_member(f, &t, k, v))
			return false;
		if (f->col != col)
			break;
		*k = (struct yml_token){ 0 };
		found = key(f, k);
	}
	span(t.object, start, f->at);
	*out = t.object;
	return f->col < col;
}

static bool block_node(struct yml_fast *f, ptrdiff_t indent, struct json **out)
{
	struct yml_token k = { 0 };
	ptrdiff_t col = f->col;
	bool ok;

	if (f->depth == DEPTH_MAX)
		return false;
	f->depth++;
	if (is_entry(f)) {
		/* after it, only a key may follow in this column */
		ok = sequence(f, out) && f->col < col;
	} else {
		enum found found = key(f, &k);

		if (found == KEY)
			ok = mapping(f, &k, out);
		else
			ok = found == NO_KEY && inline_node(f, indent, out);
	}
	f->depth--;
	return ok;
}

bool yml_fast(struct arena *a, struct str text, struct json **out)
{
	struct yml_fast f = { .a = a, .p = text.p, .n = text.n };
	char c;

	if (!text.n || !is_clean(text))
		return false;
	if (!skip_space(&f)) {
		if (f.col || !str_starts(str_from(text, f.at), S("---")))
			return false;
		f.at += 3;
		if (!at_line_end(&f) || !skip_space(&f) || f.col < 0)
			return false;
	}
	if (f.col < 0) {
		*out = json_new(a, JSON_NULL);
		return true;
	}
	/* a text of only one scalar is not a manifest */
	c = f.p[f.at];
	if (c == '|' || (c != '{' && c != '[' && !is_entry(&f))) {
		struct yml_fast ahead = f;
		struct yml_token k = { 0 };

		if (key(&ahead, &k) != KEY)
			return false;
	}
	return block_node(&f, -1, out) && f.col < 0;
}
