/*
 * Strings, characters and numbers in Go's syntax.
 */
#include "base/utf8.h"
#include "tmpl_parser.h"

/* A Go string or character literal without its quotes. */
static bool unquote(struct parser *p, struct str s, struct str *out)
{
	struct buf b;

	buf_init(&b, p->a);
	for (size_t i = 0; i < s.n; i++) {
		static const char from[] = "abfnrtv\\\"'", to[] = "\a\b\f\n\r\t\v\\\"'";
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
		digits = s.p[i] == 'x' ? 2 : s.p[i] == 'u' ? 4 : s.p[i] == 'U' ? 8 : 0;
		if (!digits) {
			digits = 3;
			base = 8;
			i--;
		}
		for (size_t k2 = 0; k2 < digits; k2++) {
			const char *set = "0123456789abcdef", *d;

			if (++i == s.n)
				return false;
			d = s.p[i] ? strchr(set,
					    s.p[i] >= 'A' && s.p[i] <= 'F' ? s.p[i] | 0x20 : s.p[i])
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

struct node *tmpl_number(struct parser *p, struct token t)
{
	struct node *n = tmpl_new_node(p, NODE_NUMBER, t.pos);
	struct str text = t.val, plain;
	struct num_int v;
	struct buf b;
	size_t len;

	n->shown = t.val;
	if (t.kind == TOK_CHAR_CONST) {
		if (!unquote(p, str_sub(text, 1, text.n - 1), &plain) || !plain.n)
			return tmpl_fail(p, "malformed character constant: %.*s", STRF(text));
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
		return tmpl_fail(p, "bad number syntax: \"%.*s\"", STRF(text));
	n->is_float = true;
	/* a whole float is an integer too: 1e3 */
	if (n->f >= -9e15 && n->f <= 9e15 && (double)(int64_t)n->f == n->f) {
		n->is_int = true;
		n->i = (int64_t)n->f;
	}
	return n;
}

struct node *tmpl_literal(struct parser *p, struct token t)
{
	struct node *n = tmpl_new_node(p, NODE_STRING, t.pos);
	struct str inner = str_sub(t.val, 1, t.val.n - 1);

	n->shown = t.val;
	n->text = inner;
	if (t.kind == TOK_STRING && !unquote(p, inner, &n->text))
		return tmpl_fail(p, "invalid syntax");
	return n;
}
