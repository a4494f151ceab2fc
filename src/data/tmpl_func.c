/*
 * Functions of templates: Go's own, and those of the template controller that
 * need nothing but their arguments.
 */
#include "base/codec.h"
#include "base/utf8.h"
#include "tmpl_node.h"

static bool refuse(struct tmpl_call *c, struct str text)
{
	c->error = text;
	return false;
}

/* ---- comparing --------------------------------------------------------------------- */

static const char *basic(const struct tmpl_value *v)
{
	switch (v->kind) {
	case TMPL_BOOL:
	case TMPL_INT:
	case TMPL_FLOAT:
	case TMPL_STR:
		return tmpl_type(v);
	case TMPL_NONE:
	case TMPL_NIL:
	case TMPL_LIST:
	case TMPL_MAP:
		break;
	}
	return NULL;
}

static bool same_kind(struct tmpl_call *c, const struct tmpl_value *x,
		      const struct tmpl_value *y)
{
	struct buf b;

	if ((basic(x) || basic(y)) && x->kind != y->kind)
		return refuse(c,
			      str_fmt(c->a,
				      "incompatible types for comparison: %s "
				      "and %s",
				      tmpl_type(x), tmpl_type(y)));
	if (basic(x))
		return true;
	buf_init(&b, c->a);
	buf_addz(&b, "non-comparable type ");
	tmpl_print(&b, y);
	buf_addf(&b, ": %s", tmpl_type(y));
	return refuse(c, buf_str(&b));
}

static bool equal(const struct tmpl_value *x, const struct tmpl_value *y)
{
	switch (x->kind) {
	case TMPL_BOOL:
		return x->b == y->b;
	case TMPL_INT:
		return x->i == y->i;
	case TMPL_FLOAT:
		return x->f == y->f;
	default:
		return str_eq(x->s, y->s);
	}
}

/* nil equals nil, and nothing else. */
static bool is_nil(const struct tmpl_value *v)
{
	return v->kind == TMPL_NONE || v->kind == TMPL_NIL;
}

static bool f_eq(struct tmpl_call *c, struct tmpl_value *out)
{
	*out = tmpl_bool(false);
	if (c->n < 2)
		return refuse(c, S("missing argument for comparison"));
	for (size_t i = 1; i < c->n; i++) {
		if (is_nil(&c->args[0]) || is_nil(&c->args[i])) {
			if (is_nil(&c->args[0]) && is_nil(&c->args[i]))
				*out = tmpl_bool(true);
			continue;
		}
		if (!same_kind(c, &c->args[0], &c->args[i]))
			return false;
		if (equal(&c->args[0], &c->args[i])) {
			*out = tmpl_bool(true);
			return true;
		}
	}
	return true;
}

static bool f_ne(struct tmpl_call *c, struct tmpl_value *out)
{
	if (!f_eq(c, out))
		return false;
	out->b = !out->b;
	return true;
}

/* -1, 0, 1; *ok false when they cannot be ordered. */
static int order(struct tmpl_call *c, bool *ok)
{
	const struct tmpl_value *x = &c->args[0], *y = &c->args[1];
	int r;

	*ok = false;
	if (basic(x) && basic(y) && !same_kind(c, x, y))
		return 0;
	if (!basic(x) || !basic(y) || x->kind == TMPL_BOOL) {
		(void)refuse(c, S("invalid type for comparison"));
		return 0;
	}
	*ok = true;
	if (x->kind == TMPL_INT)
		return (x->i > y->i) - (x->i < y->i);
	if (x->kind == TMPL_FLOAT)
		return (x->f > y->f) - (x->f < y->f);
	r = str_cmp(x->s, y->s);
	return (r > 0) - (r < 0);
}

#define ORDER(name, test)                                             \
	static bool name(struct tmpl_call *c, struct tmpl_value *out) \
	{                                                             \
		bool ok;                                              \
		int r = order(c, &ok);                                \
                                                                      \
		*out = tmpl_bool(test);                               \
		return ok;                                            \
	}
ORDER(f_lt, r < 0)
ORDER(f_le, r <= 0)
ORDER(f_gt, r > 0)
ORDER(f_ge, r >= 0)

static bool f_not(struct tmpl_call *c, struct tmpl_value *out)
{
	*out = tmpl_bool(!tmpl_truth(&c->args[0]));
	return true;
}

/* ---- looking into ------------------------------------------------------------------------ */

static bool f_len(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct tmpl_value *v = &c->args[0];

	switch (v->kind) {
	case TMPL_STR:
		*out = tmpl_int((int64_t)v->s.n);
		return true;
	case TMPL_LIST:
		*out = tmpl_int((int64_t)v->list->n);
		return true;
	case TMPL_MAP:
		*out = tmpl_int((int64_t)json_len(v->map));
		return true;
	case TMPL_NONE:
	case TMPL_NIL:
		return refuse(c,
			      S("reflect: call of reflect.Value.Type on zero "
				"Value"));
	default:
		return refuse(c, str_fmt(c->a, "len of type %s", tmpl_type(v)));
	}
}

static bool index_one(struct tmpl_call *c, struct tmpl_value *v,
		      const struct tmpl_value *k)
{
	int64_t n = v->kind == TMPL_STR	   ? (int64_t)v->s.n
		    : v->kind == TMPL_LIST ? (int64_t)v->list->n
					   : -1;

	if (v->kind == TMPL_MAP) {
		if (k->kind != TMPL_STR)
			return refuse(c, str_fmt(c->a,
						 "value has type %s; should be "
						 "string",
						 tmpl_type(k)));
		*v = json_member(v->map, k->s)
			     ? tmpl_from_json(c->a, json_member(v->map, k->s))
			     : (struct tmpl_value){ 0 };
		return true;
	}
	if (n < 0)
		return refuse(c, is_nil(v) ? S("index of untyped nil")
					   : str_fmt(c->a,
						     "can't index item of type "
						     "%s",
						     tmpl_type(v)));
	if (k->kind != TMPL_INT)
		return refuse(
			c, is_nil(k) ? S("cannot index slice/array with nil")
				     : str_fmt(c->a,
					       "cannot index slice/array with "
					       "type %s",
					       tmpl_type(k)));
	if (k->i < 0 || k->i >= n)
		return refuse(c, str_fmt(c->a, "index out of range: %lld",
					 (long long)k->i));
	*v = v->kind == TMPL_STR ? tmpl_int((unsigned char)v->s.p[k->i])
				 : v->list->v[k->i];
	return true;
}

static bool f_index(struct tmpl_call *c, struct tmpl_value *out)
{
	if (is_nil(&c->args[0]))
		return refuse(c, S("index of untyped nil"));
	*out = c->args[0];
	for (size_t i = 1; i < c->n; i++)
		if (!index_one(c, out, &c->args[i]))
			return false;
	return true;
}

static bool f_slice(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct tmpl_value *v = &c->args[0];
	int64_t n = v->kind == TMPL_STR	   ? (int64_t)v->s.n
		    : v->kind == TMPL_LIST ? (int64_t)v->list->n
					   : -1;
	int64_t at[2] = { 0, n };

	if (is_nil(v))
		return refuse(c, S("slice of untyped nil"));
	if (n < 0)
		return refuse(c, str_fmt(c->a, "can't slice item of type %s",
					 tmpl_type(v)));
	if (c->n > 3)
		return refuse(c, S("cannot 3-index slice a string"));
	for (size_t i = 1; i < c->n; i++) {
		if (c->args[i].kind != TMPL_INT)
			return refuse(c,
				      str_fmt(c->a,
					      "cannot index slice/array with "
					      "type %s",
					      tmpl_type(&c->args[i])));
		at[i - 1] = c->args[i].i;
		if (at[i - 1] < 0 || at[i - 1] > n)
			return refuse(c,
				      str_fmt(c->a, "index out of range: %lld",
					      (long long)at[i - 1]));
	}
	if (at[0] > at[1])
		return refuse(c,
			      str_fmt(c->a, "invalid slice index: %lld > %lld",
				      (long long)at[0], (long long)at[1]));
	*out = *v;
	if (v->kind == TMPL_STR) {
		out->s = str_sub(v->s, (size_t)at[0], (size_t)at[1]);
		return true;
	}
	out->list = ARENA_NEW(c->a, struct tmpl_values);
	out->list->strings = v->list->strings;
	for (int64_t i = at[0]; i < at[1]; i++)
		VEC_PUSH(c->a, out->list, v->list->v[i]);
	return true;
}

/* ---- printing ------------------------------------------------------------------------------- */

static struct tmpl_value text(struct buf *b)
{
	return tmpl_str(buf_str(b));
}

/* A blank between two that are no strings; println: between all. */
static bool print_all(struct tmpl_call *c, struct tmpl_value *out, bool line)
{
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < c->n; i++) {
		if (i && (line || (c->args[i].kind != TMPL_STR &&
				   c->args[i - 1].kind != TMPL_STR)))
			buf_addc(&b, ' ');
		tmpl_print(&b, &c->args[i]);
	}
	if (line)
		buf_addc(&b, '\n');
	*out = text(&b);
	return true;
}

static bool f_print(struct tmpl_call *c, struct tmpl_value *out)
{
	return print_all(c, out, false);
}

static bool f_println(struct tmpl_call *c, struct tmpl_value *out)
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
		buf_addf(b, "%s%llx", s->sharp ? "0x" : "",
			 (unsigned long long)v);
		return;
	case 'X':
		buf_addf(b, "%s%llX", s->sharp ? "0X" : "",
			 (unsigned long long)v);
		return;
	case 'o':
		buf_addf(b, "%s%llo", s->sharp ? "0" : "",
			 (unsigned long long)v);
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

/* What a verb makes of a value; false when it makes nothing of it. */
static bool format_one(struct arena *a, struct buf *b, const struct spec *s,
		       const struct tmpl_value *v)
{
	if (s->verb == 'v' ||
	    (s->verb == 's' && (v->kind == TMPL_STR || v->kind == TMPL_LIST))) {
		struct buf all;

		buf_init(&all, a);
		tmpl_print(&all, v);
		if (s->has_precision && s->verb == 's' &&
		    (size_t)s->precision < all.n)
			all.n = (size_t)s->precision;
		buf_add(b, buf_str(&all));
		return true;
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
			buf_addf(b, "%.*f", s->has_precision ? s->precision : 6,
				 v->f);
			return true;
		case 'e':
			buf_addf(b, "%.*e", s->has_precision ? s->precision : 6,
				 v->f);
			return true;
		default:
			buf_addf(b, "%.*g", s->has_precision ? s->precision : 6,
				 v->f);
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

static bool f_printf(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str f = c->args[0].s;
	size_t used = 1;
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < f.n; i++) {
		struct spec s;
		struct buf one;

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
			buf_addf(&b, "%%!%c(%s=", s.verb,
				 is_nil(v) ? "<nil>" : tmpl_type(v));
			tmpl_print(&b, v);
			buf_addc(&b, ')');
		}
	}
	if (used < c->n) {
		buf_addz(&b, "%!(EXTRA ");
		for (size_t i = used; i < c->n; i++) {
			buf_addf(&b, "%s%s=", i > used ? ", " : "",
				 tmpl_type(&c->args[i]));
			tmpl_print(&b, &c->args[i]);
		}
		buf_addc(&b, ')');
	}
	*out = text(&b);
	return true;
}

/* ---- escaping ------------------------------------------------------------------------------- */

/* The arguments as one string; what is nothing says so. */
static struct str joined(struct tmpl_call *c)
{
	VEC(struct tmpl_value) args = { 0 };
	struct tmpl_call all = *c;
	struct tmpl_value v;

	for (size_t i = 0; i < c->n; i++)
		VEC_PUSH(c->a, &args,
			 is_nil(&c->args[i]) ? tmpl_str(S("<no value>"))
					     : c->args[i]);
	if (!args.v)
		return S("");
	all.args = args.v;
	(void)print_all(&all, &v, false);
	return v.s;
}

static bool f_html(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s = joined(c);
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '\0':
			buf_addz(&b, "\xEF\xBF\xBD");
			break;
		case '"':
			buf_addz(&b, "&#34;");
			break;
		case '\'':
			buf_addz(&b, "&#39;");
			break;
		case '&':
			buf_addz(&b, "&amp;");
			break;
		case '<':
			buf_addz(&b, "&lt;");
			break;
		case '>':
			buf_addz(&b, "&gt;");
			break;
		default:
			buf_addc(&b, s.p[i]);
		}
	}
	*out = text(&b);
	return true;
}

static bool f_js(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s = joined(c);
	struct buf b;

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
	*out = text(&b);
	return true;
}

static bool f_urlquery(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s = joined(c);
	struct buf b;

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
	*out = text(&b);
	return true;
}

const struct tmpl_func tmpl_builtins[] = {
	{ "and", "aa*", NULL },
	{ "or", "aa*", NULL },
	{ "not", "a", f_not },
	{ "len", "a", f_len },
	{ "index", "aa*", f_index },
	{ "slice", "aa*", f_slice },
	{ "print", "a*", f_print },
	{ "println", "a*", f_println },
	{ "printf", "sa*", f_printf },
	{ "html", "a*", f_html },
	{ "js", "a*", f_js },
	{ "urlquery", "a*", f_urlquery },
	{ "eq", "aa*", f_eq },
	{ "ne", "aa", f_ne },
	{ "lt", "aa", f_lt },
	{ "le", "aa", f_le },
	{ "gt", "aa", f_gt },
	{ "ge", "aa", f_ge },
	{ 0 },
};

/* ---- the template controller's ------------------------------------------------------------------ */

static bool f_to_string(struct tmpl_call *c, struct tmpl_value *out)
{
	struct buf b;

	buf_init(&b, c->a);
	tmpl_print(&b, &c->args[0]);
	*out = text(&b);
	return true;
}

static bool f_indent(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s = c->args[1].s;
	size_t n = c->args[0].i > 0 ? (size_t)c->args[0].i : 0;
	struct buf b;

	if (n > 10000)
		return refuse(c, S("indents too far"));
	buf_init(&b, c->a);
	buf_fill(&b, ' ', n);
	for (size_t i = 0; i < s.n; i++) {
		buf_addc(&b, s.p[i]);
		if (s.p[i] == '\n')
			buf_fill(&b, ' ', n);
	}
	*out = text(&b);
	return true;
}

static bool f_join(struct tmpl_call *c, struct tmpl_value *out)
{
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < c->args[0].list->n; i++) {
		if (i)
			buf_add(&b, c->args[1].s);
		tmpl_print(&b, &c->args[0].list->v[i]);
	}
	*out = text(&b);
	return true;
}

/* {{skip "key"}} leaves {{.key}} for another program to fill in. */
static bool f_skip(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str key = c->args[0].s;
	bool ok = key.n &&
		  (key.p[0] == '_' || (key.p[0] >= 'a' && key.p[0] <= 'z'));

	for (size_t i = 1; i < key.n; i++)
		ok = ok &&
		     (key.p[i] == '_' || (key.p[i] >= '0' && key.p[i] <= '9') ||
		      (key.p[i] >= 'a' && key.p[i] <= 'z') ||
		      (key.p[i] >= 'A' && key.p[i] <= 'Z'));
	if (!ok)
		return refuse(c, S("invalid key for skipKey"));
	*out = tmpl_str(str_fmt(c->a, "{{.%.*s}}", STRF(key)));
	return true;
}

/* The host and port of a URL; false when the port is none. */
static bool host_port(struct tmpl_call *c, struct str *scheme, struct str *host,
		      struct str *port)
{
	struct str url = c->args[0].s, rest;
	ptrdiff_t at = str_find(url, S("://"));

	*scheme = at < 0 ? S("") : str_sub(url, 0, (size_t)at);
	*host = *port = S("");
	if (at < 0)
		return true;
	rest = str_from(url, (size_t)at + 3);
	for (size_t i = 0; i < rest.n; i++)
		if (strchr("/?#", rest.p[i])) {
			rest = str_sub(rest, 0, i);
			break;
		}
	at = str_rchr(rest, '@');
	if (at >= 0)
		rest = str_from(rest, (size_t)at + 1);
	*host = rest;
	at = str_rchr(rest, ':');
	if (at >= 0 && at > str_rchr(rest, ']')) {
		*host = str_sub(rest, 0, (size_t)at);
		*port = str_from(rest, (size_t)at + 1);
	}
	for (size_t i = 0; i < port->n; i++)
		if (port->p[i] < '0' || port->p[i] > '9')
			return refuse(c, str_fmt(c->a,
						 "invalid url: parse \"%.*s\": "
						 "invalid port \":%.*s\" after "
						 "host",
						 STRF(url), STRF(*port)));
	if (str_starts(*host, S("[")) && str_ends(*host, S("]")))
		*host = str_sub(*host, 1, host->n - 1);
	return true;
}

static bool f_url_host(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str scheme, host, port;

	if (!host_port(c, &scheme, &host, &port))
		return false;
	*out = tmpl_str(host);
	return true;
}

static bool f_url_port(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str scheme, host, port;

	if (!host_port(c, &scheme, &host, &port))
		return false;
	if (!port.n && str_is(scheme, "https"))
		port = S("443");
	else if (!port.n && str_is(scheme, "http"))
		port = S("80");
	else if (!port.n)
		return refuse(c, str_fmt(c->a, "unknown scheme in %.*s",
					 STRF(c->args[0].s)));
	*out = tmpl_str(port);
	return true;
}

const struct tmpl_func tmpl_common_funcs[] = {
	{ "toString", "a", f_to_string },
	{ "indent", "is", f_indent },
	{ "join", "ls", f_join },
	{ "skip", "s", f_skip },
	{ "urlHost", "s", f_url_host },
	{ "urlPort", "s", f_url_port },
	{ 0 },
};
