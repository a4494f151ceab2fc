/*
 * JSON as encoding/json writes it, byte for byte: escapes, < > &, U+2028, invalid
 * UTF-8. Numbers are written as the text they have.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "data/json.h"

/*
 * By byte: 1 needs no escape, 2 only when HTML is escaped, 0 needs a closer look. Built
 * on the first call.
 */
static const unsigned char *byte_classes(void)
{
	static unsigned char classes[256];

	if (!classes['a']) {
		memset(classes + 0x20, 1, 0x80 - 0x20);
		classes['"'] = classes['\\'] = 0;
		classes['<'] = classes['>'] = classes['&'] = 2;
	}
	return classes;
}

static void add_escape(struct buf *b, unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		buf_addc(b, '\\');
		buf_addc(b, (char)c);
		return;
	case '\n':
		buf_addz(b, "\\n");
		return;
	case '\r':
		buf_addz(b, "\\r");
		return;
	case '\t':
		buf_addz(b, "\\t");
		return;
	default:
		buf_addf(b, "\\u%04x", c);
	}
}

/* A non-ASCII rune: as it is, but for line separators and invalid bytes. */
static size_t add_rune(struct buf *b, struct str s, size_t i)
{
	size_t len;
	uint32_t r = utf8_at(s, i, &len);

	if (r == UTF8_BAD && len == 1)
		buf_addz(b, "\\ufffd");
	else if (r == 0x2028 || r == 0x2029)
		buf_addz(b, r == 0x2028 ? "\\u2028" : "\\u2029");
	else
		buf_add(b, str_sub(s, i, i + len));
	return len;
}

void json_add_quoted(struct buf *b, struct str s, unsigned style)
{
	const unsigned char *classes = byte_classes();
	unsigned char ok = style & JSON_NO_HTML ? 2 : 1;
	size_t i = 0;

	buf_addc(b, '"');
	while (i < s.n) {
		size_t start = i;
		unsigned char k;

		while (i < s.n && (k = classes[(unsigned char)s.p[i]]) && k <= ok)
			i++;
		if (i > start)
			buf_add(b, str_sub(s, start, i));
		if (i == s.n)
			break;
		if ((unsigned char)s.p[i] >= 0x80)
			i += add_rune(b, s, i);
		else
			add_escape(b, (unsigned char)s.p[i++]);
	}
	buf_addc(b, '"');
}

struct entry {
	const struct json *m;
	size_t i;
};

/* Sorted members of all objects being written, innermost last. */
struct writer {
	struct buf *b;
	unsigned style;
	size_t depth;
	struct arena scratch;
	VEC(struct entry) stack;
};

static void add_value(struct writer *w, const struct json *j);

static void new_line(struct writer *w)
{
	if (!(w->style & JSON_INDENT))
		return;
	buf_addc(w->b, '\n');
	buf_fill(w->b, ' ', ((w->style & JSON_INDENT_4) == JSON_INDENT_4 ? 4 : 2) * w->depth);
}

static void add_child(struct writer *w, const struct json *m, bool first, bool key)
{
	if (!first)
		buf_addc(w->b, ',');
	new_line(w);
	if (key) {
		json_add_quoted(w->b, json_key(m), w->style);
		buf_addc(w->b, ':');
		if (w->style & JSON_INDENT)
			buf_addc(w->b, ' ');
	}
	add_value(w, m);
}

/* By key; equal keys keep their order. */
static int by_key(const void *x, const void *y)
{
	const struct entry *p = x, *q = y;
	int c = str_cmp(json_key(p->m), json_key(q->m));

	return c ? c : (p->i > q->i) - (p->i < q->i);
}

static void add_sorted(struct writer *w, const struct json *j)
{
	size_t base = w->stack.n, n;
	bool sorted = true;

	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		struct entry e = { m, w->stack.n };

		VEC_PUSH(&w->scratch, &w->stack, e);
		n = w->stack.n;
		if (n - base > 1 && by_key(&w->stack.v[n - 2], &e) > 0)
			sorted = false;
	}
	n = w->stack.n - base;
	if (!sorted)
		qsort(w->stack.v + base, n, sizeof(*w->stack.v), by_key);
	/* writing a child may move the stack: index it afresh each time */
	for (size_t i = 0; i < n; i++)
		add_child(w, w->stack.v[base + i].m, i == 0, true);
	w->stack.n = base;
}

static void add_children(struct writer *w, const struct json *j, bool object)
{
	if (!json_first(j)) {
		buf_addz(w->b, object ? "{}" : "[]");
		return;
	}
	buf_addc(w->b, object ? '{' : '[');
	w->depth++;
	if (object && (w->style & JSON_SORTED)) {
		add_sorted(w, j);
	} else {
		for (const struct json *m = json_first(j); m; m = json_next(m))
			add_child(w, m, m == json_first(j), object);
	}
	w->depth--;
	new_line(w);
	buf_addc(w->b, object ? '}' : ']');
}

static void add_value(struct writer *w, const struct json *j)
{
	switch (json_kind(j)) {
	case JSON_NULL:
		buf_addz(w->b, "null");
		return;
	case JSON_BOOL:
		buf_addz(w->b, json_is_true(j) ? "true" : "false");
		return;
	case JSON_NUMBER:
		buf_add(w->b, json_text(j));
		return;
	case JSON_STRING:
		json_add_quoted(w->b, json_text(j), w->style);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		add_children(w, j, json_kind(j) == JSON_OBJECT);
		return;
	}
}

struct str json_format(struct arena *a, const struct json *j, unsigned style)
{
	struct buf b;

	buf_init(&b, a);
	json_encode(&b, j, style);
	return buf_str(&b);
}

void json_encode(struct buf *b, const struct json *j, unsigned style)
{
	struct writer w = { .b = b, .style = style };

	add_value(&w, j);
	arena_free(&w.scratch);
}
