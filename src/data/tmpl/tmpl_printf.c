/*
 * Template functions that produce text: print and its variants, and escaping.
 */
#include "base/codec.h"
#include "base/utf8.h"
#include "tmpl_node.h"

/* A blank between two operands that are not strings; println: between all. */
static bool print_all(struct tmpl_call *c, struct tmpl_value *out, bool line)
{
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < c->n; i++) {
		if (tmpl_too_long(c, b.n))
			return false;
		if (i && (line || (c->args[i].kind != TMPL_STR && c->args[i - 1].kind != TMPL_STR)))
			buf_addc(&b, ' ');
		tmpl_print(&b, &c->args[i]);
	}
	if (line)
		buf_addc(&b, '\n');
	*out = tmpl_str(buf_str(&b));
	return true;
}

bool tmpl_f_print(struct tmpl_call *c, struct tmpl_value *out)
{
	return print_all(c, out, false);
}

bool tmpl_f_println(struct tmpl_call *c, struct tmpl_value *out)
{
	return print_all(c, out, true);
}

struct spec {
	char verb;
	bool minus, zero, plus, sharp, has_precision;
	int width, precision;
};

static void pad(struct buf *b, const struct spec *s, struct str text_)
{
	size_t n = 0, room;

	for (size_t i = 0; i < text_.n; i++)
		n += ((unsigned char)text_.p[i] & 0xC0) != 0x80;
	room = s->width > 0 && (size_t)s->width > n ? (size_t)s->width - n : 0;
	if (!s->minus && s->zero && !s->has_precision && text_.n &&
	    (text_.p[0] == '-' || text_.p[0] == '+')) {
		buf_addc(b, text_.p[0]);
		text_ = str_from(text_, 1);
	}
	if (!s->minus)
		buf_fill(b, s->zero ? '0' : ' ', room);
	buf_add(b, text_);
	if (s->minus)
		buf_fill(b, ' ', room);
}

static void integer(struct buf *b, const struct spec *s, int64_t i)
{
	uint64_t v = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

	if (i < 0)
		buf_addc(b, '-');
	else if (s->plus)
		buf_addc(b, '+');
	switch (s->verb) {
	case 'x':
		buf_addf(b, "%s%llx", s->sharp ? "0x" : "", (unsigned long long)v);
		return;
	case 'X':
		buf_addf(b, "%s%llX", s->sharp ? "0X" : "", (unsigned long long)v);
		return;
	case 'o':
		buf_addf(b, "%s%llo", s->sharp ? "0" : "", (unsigned long long)v);
		return;
	case 'b':
		for (int k = v ? 63 - __builtin_clzll(v) : 0; k >= 0; k--)
			buf_addc(b, v >> k & 1 ? '1' : '0');
		return;
	default:
		buf_addf(b, "%llu", (unsigned long long)v);
	}
}

static void hex(struct buf *b, struct str s, bool upper)
{
	for (size_t i = 0; i < s.n; i++)
		buf_addf(b, upper ? "%02X" : "%02x", (unsigned char)s.p[i]);
}

/* Formats a value with a verb; false when the verb does not apply. */
static bool format_one(struct arena *a, struct buf *b, const struct spec *s,
		       const struct tmpl_value *v)
{
	if (s->verb == 'v' || (s->verb == 's' && (v->kind == TMPL_STR || v->kind == TMPL_LIST))) {
		struct buf all;

		buf_init(&all, a);
		tmpl_print(&all, v);
		if (s->has_precision && s->verb == 's' && (size_t)s->precision < all.n)
			all.n = (size_t)s->precision;
		buf_add(b, buf_str(&all));
		return true;
	}
	if (v->kind == TMPL_BYTES && s->verb == 's') {
		struct tmpl_value text = tmpl_str(v->s);

		return format_one(a, b, s, &text);
	}
	if (v->kind == TMPL_STR && s->verb == 'q') {
		go_quote(b, v->s);
		return true;
	}
	if (v->kind == TMPL_STR && (s->verb == 'x' || s->verb == 'X')) {
		hex(b, v->s, s->verb == 'X');
		return true;
	}
	if (v->kind == TMPL_INT && s->verb == 'c') {
		utf8_add(b, (uint32_t)v->i);
		return true;
	}
	if (v->kind == TMPL_INT && s->verb && strchr("dxXob", s->verb)) {
		integer(b, s, v->i);
		return true;
	}
	if (v->kind == TMPL_BOOL && s->verb == 't') {
		buf_addz(b, v->b ? "true" : "false");
		return true;
	}
	if (v->kind == TMPL_FLOAT && s->verb && strchr("feEgG", s->verb)) {
		if (s->verb == 'g' && !s->has_precision) {
			num_add_float_g(b, v->f, 64);
			return true;
		}
		switch (s->verb) {
		case 'f':
			buf_addf(b, "%.*f", s->has_precision ? s->precision : 6, v->f);
			return true;
		case 'e':
			buf_addf(b, "%.*e", s->has_precision ? s->precision : 6, v->f);
			return true;
		default:
			buf_addf(b, "%.*g", s->has_precision ? s->precision : 6, v->f);
			return true;
		}
	}
	return false;
}

static size_t read_number(struct str f, size_t i, int *out)
{
	*out = 0;
	while (i < f.n && f.p[i] >= '0' && f.p[i] <= '9' && *out < 100000)
		*out = *out * 10 + (f.p[i++] - '0');
	return i;
}

static size_t read_spec(struct str f, size_t i, struct spec *s)
{
	*s = (struct spec){ 0 };
	for (; i < f.n && f.p[i] && strchr("-+# 0", f.p[i]); i++) {
		s->minus = s->minus || f.p[i] == '-';
		s->plus = s->plus || f.p[i] == '+';
		s->sharp = s->sharp || f.p[i] == '#';
		s->zero = s->zero || f.p[i] == '0';
	}
	i = read_number(f, i, &s->width);
	if (i < f.n && f.p[i] == '.') {
		s->has_precision = true;
		i = read_number(f, i + 1, &s->precision);
		if (s->precision > 400)
			s->precision = 400;
	}
	s->verb = i < f.n ? f.p[i] : '\0';
	return i;
}

bool tmpl_f_printf(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str f = c->args[0].s;
	size_t used = 1;
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < f.n; i++) {
		struct spec s;
		struct buf one;

		if (tmpl_too_long(c, b.n))
			return false;
		if (f.p[i] != '%') {
			buf_addc(&b, f.p[i]);
			continue;
		}
		i = read_spec(f, i + 1, &s);
		if (s.verb == '%') {
			buf_addc(&b, '%');
		} else if (!s.verb) {
			buf_addz(&b, "%!(NOVERB)");
		} else if (used >= c->n) {
			buf_addf(&b, "%%!%c(MISSING)", s.verb);
		} else {
			const struct tmpl_value *v = &c->args[used++];

			buf_init(&one, c->a);
			if (format_one(c->a, &one, &s, v)) {
				pad(&b, &s, buf_str(&one));
				continue;
			}
			buf_addf(&b, "%%!%c(%s=", s.verb, tmpl_is_nil(v) ? "<nil>" : tmpl_type(v));
			tmpl_print(&b, v);
			buf_addc(&b, ')');
		}
	}
	if (used < c->n) {
		buf_addz(&b, "%!(EXTRA ");
		for (size_t i = used; i < c->n; i++) {
			buf_addf(&b, "%s%s=", i > used ? ", " : "", tmpl_type(&c->args[i]));
			tmpl_print(&b, &c->args[i]);
		}
		buf_addc(&b, ')');
	}
	*out = tmpl_str(buf_str(&b));
	return true;
}

/* ---- escaping ------------------------------------------------------------ */

/* The arguments as one string; no value prints as such. */
static bool joined(struct tmpl_call *c, struct str *out)
{
	VEC(struct tmpl_value) args = { 0 };
	struct tmpl_call all = *c;
	struct tmpl_value v;

	for (size_t i = 0; i < c->n; i++)
		VEC_PUSH(c->a, &args,
			 tmpl_is_nil(&c->args[i]) ? tmpl_str(S("<no value>")) : c->args[i]);
	*out = S("");
	if (!args.v)
		return true;
	all.args = args.v;
	if (!print_all(&all, &v, false))
		return tmpl_refuse(c, all.error);
	*out = v.s;
	return true;
}

bool tmpl_f_html(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s;
	struct buf b;

	if (!joined(c, &s))
		return false;
	buf_init(&b, c->a);
	html_add(&b, s);
	*out = tmpl_str(buf_str(&b));
	return true;
}

bool tmpl_f_js(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s;
	struct buf b;

	if (!joined(c, &s))
		return false;
	buf_init(&b, c->a);
	for (size_t i = 0; i < s.n; i++) {
		unsigned char ch = (unsigned char)s.p[i];

		if (ch == '\\' || ch == '\'' || ch == '"')
			buf_addf(&b, "\\%c", ch);
		else if (ch < 0x20 || strchr("<>&=", ch))
			buf_addf(&b, "\\u%04X", ch);
		else
			buf_addc(&b, (char)ch);
	}
	*out = tmpl_str(buf_str(&b));
	return true;
}

bool tmpl_f_urlquery(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s;
	struct buf b;

	if (!joined(c, &s))
		return false;
	buf_init(&b, c->a);
	for (size_t i = 0; i < s.n; i++) {
		unsigned char ch = (unsigned char)s.p[i];

		if ((ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') ||
		    (ch >= 'A' && ch <= 'Z') || (ch && strchr("-_.~", ch)))
			buf_addc(&b, (char)ch);
		else if (ch == ' ')
			buf_addc(&b, '+');
		else
			buf_addf(&b, "%%%02X", ch);
	}
	*out = tmpl_str(buf_str(&b));
	return true;
}
