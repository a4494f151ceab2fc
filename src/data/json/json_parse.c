/*
 * Recursive descent over bytes, bounded by JSON_DEPTH_MAX. The wording of each
 * fault is that of Go's scanner in the same state, because upstream's messages
 * quote it; offset counts the bytes read, the offending one included.
 */
#include "base/map.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "data/json.h"

struct parser {
	struct arena *a;
	struct str in;
	size_t at;
	unsigned flags;
	unsigned depth;
	struct json_fault fault;
	struct err *err;
};

void json_line_col(struct str text, size_t offset, size_t *line, size_t *col)
{
	size_t start = 0;

	*line = 1;
	if (offset > text.n)
		offset = text.n;
	for (;;) {
		struct str rest = str_sub(text, start, offset);
		ptrdiff_t nl = str_chr(rest, '\n');

		if (nl < 0)
			break;
		start += (size_t)nl + 1;
		(*line)++;
	}
	*col = offset - start + 1;
}

static int set_fault(struct parser *p, size_t at, struct str problem)
{
	json_line_col(p->in, at, &p->fault.line, &p->fault.col);
	p->fault.offset = at < p->in.n ? at + 1 : p->in.n;
	p->fault.problem = problem;
	return err_set(p->err, ERR_INVALID, "line %zu, column %zu: %.*s", p->fault.line,
		       p->fault.col, STRF(problem));
}

/* The byte as Go's quoteChar shows it. */
static struct str quote_byte(struct parser *p, unsigned char c)
{
	static const char plain[] = "abfnrtv", code[] = "\a\b\f\n\r\t\v";
	const char *esc = c ? strchr(code, c) : NULL;
	struct buf b;

	if (c == '\'')
		return S("'\\''");
	if (c == '"')
		return S("'\"'");
	if (c == '\\')
		return S("'\\\\'");
	if (esc)
		return str_fmt(p->a, "'\\%c'", plain[esc - code]);
	if (c < 0x20 || c == 0x7F)
		return str_fmt(p->a, "'\\x%02x'", c);
	/* a byte above 0x7f is shown as the rune of that number */
	if (c >= 0x80 && (c < 0xA1 || c == 0xAD))
		return str_fmt(p->a, "'\\u%04x'", c);
	buf_init(&b, p->a);
	buf_addc(&b, '\'');
	utf8_add(&b, c);
	buf_addc(&b, '\'');
	return buf_str(&b);
}

/* Reports the current byte as a fault inside a token; the end of input counts as a blank. */
static int bad_byte(struct parser *p, const char *context)
{
	unsigned char c = ' ';

	if (p->at < p->in.n)
		c = (unsigned char)p->in.p[p->at];
	return set_fault(
		p, p->at,
		str_fmt(p->a, "invalid character %.*s %s", STRF(quote_byte(p, c)), context));
}

/* Reports the current byte as a fault between tokens or in a string. */
static int unexpected_byte(struct parser *p, const char *context)
{
	if (p->at >= p->in.n)
		return set_fault(p, p->in.n, S("unexpected end of JSON input"));
	return bad_byte(p, context);
}

static int peek_byte(const struct parser *p)
{
	return p->at < p->in.n ? (unsigned char)p->in.p[p->at] : -1;
}

static int skip_space(struct parser *p)
{
	while (p->at < p->in.n) {
		char c = p->in.p[p->at];

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			break;
		p->at++;
	}
	return peek_byte(p);
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int hex4(struct parser *p, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, p->at++) {
		int c = peek_byte(p), d;

		if (is_digit(c))
			d = c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f' && c > 0)
			d = (c | 0x20) - 'a' + 10;
		else
			return bad_byte(p, "in \\u hexadecimal character escape");
		*out = *out << 4 | (uint32_t)d;
	}
	return 0;
}

static bool low_surrogate_follows(const struct parser *p)
{
	struct str s = str_from(p->in, p->at);

	return s.n >= 6 && s.p[0] == '\\' && s.p[1] == 'u' && (s.p[2] | 0x20) == 'd' &&
	       strchr("cdefCDEF", s.p[3]) && s.p[3];
}

static int parse_unicode_escape(struct parser *p, struct buf *b)
{
	size_t start = p->at - 2;
	uint32_t r, low;
	int rc = hex4(p, &r);

	if (rc < 0)
		return rc;
	if (r >= 0xD800 && r <= 0xDBFF && low_surrogate_follows(p)) {
		p->at += 2;
		rc = hex4(p, &low);
		if (rc < 0)
			return rc;
		r = 0x10000 + ((r - 0xD800) << 10) + (low - 0xDC00);
	} else if (r >= 0xD800 && r <= 0xDFFF && !(p->flags & JSON_FIX_UTF8)) {
		return set_fault(p, start, S("lone surrogate in string literal"));
	}
	utf8_add(b, r);
	return 0;
}

static int parse_escape(struct parser *p, struct buf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c;
	const char *k;

	p->at++;
	c = peek_byte(p);
	if (c == 'u') {
		p->at++;
		return parse_unicode_escape(p, b);
	}
	k = c > 0 ? strchr(from, c) : NULL;
	if (!k)
		return bad_byte(p, "in string escape code");
	buf_addc(b, to[k - from]);
	p->at++;
	return 0;
}

/* Bytes up to the next quote, backslash, control or non-ASCII byte. */
static struct str take_plain_run(struct parser *p)
{
	size_t start = p->at;

	for (; p->in.n - p->at >= SCAN; p->at += SCAN) {
		scan_v v = scan_load(p->in.p + p->at);

		if (scan_any(~scan_in(v, 0x20, 0x7F) | scan_is(v, '"') | scan_is(v, '\\')))
			break;
	}
	while (p->at < p->in.n) {
		unsigned char c = (unsigned char)p->in.p[p->at];

		if (c < 0x20 || c == '"' || c == '\\' || c >= 0x80)
			break;
		p->at++;
	}
	return str_sub(p->in, start, p->at);
}

/* One non-ASCII rune; sets *copy when it has to be replaced. */
static int parse_rune(struct parser *p, struct buf *b, bool *copy, size_t start)
{
	size_t len;
	uint32_t r = utf8_at(p->in, p->at, &len);

	if (r == UTF8_BAD && len == 1) {
		if (!(p->flags & JSON_FIX_UTF8))
			return set_fault(p, p->at, S("invalid UTF-8 in string literal"));
		if (!*copy)
			buf_add(b, str_sub(p->in, start, p->at));
		*copy = true;
	}
	if (*copy)
		utf8_add(b, r);
	p->at += len;
	return 0;
}

/* p->at is behind the opening quote. A view where nothing is escaped. */
static int parse_string(struct parser *p, struct str *out)
{
	size_t start = p->at;
	bool copy = false;
	struct buf b;
	int rc = 0;

	buf_init(&b, p->a);
	while (rc == 0) {
		struct str run = take_plain_run(p);
		int c = peek_byte(p);

		if (copy)
			buf_add(&b, run);
		if (c == '"')
			break;
		if (c == '\\') {
			if (!copy)
				buf_add(&b, str_sub(p->in, start, p->at));
			copy = true;
			rc = parse_escape(p, &b);
		} else if (c >= 0x80) {
			rc = parse_rune(p, &b, &copy, start);
		} else {
			rc = unexpected_byte(p, "in string literal");
		}
	}
	if (rc < 0)
		return rc;
	*out = copy ? buf_str(&b) : str_sub(p->in, start, p->at);
	p->at++;
	return 0;
}

static void skip_digits(struct parser *p)
{
	while (is_digit(peek_byte(p)))
		p->at++;
}

static int parse_number(struct parser *p, struct json **out)
{
	size_t start = p->at;

	if (peek_byte(p) == '-')
		p->at++;
	if (!is_digit(peek_byte(p)))
		return bad_byte(p, "in numeric literal");
	if (peek_byte(p) == '0')
		p->at++;
	else
		skip_digits(p);
	if (peek_byte(p) == '.') {
		p->at++;
		if (!is_digit(peek_byte(p)))
			return bad_byte(p, "after decimal point in numeric literal");
		skip_digits(p);
	}
	if (peek_byte(p) == 'e' || peek_byte(p) == 'E') {
		p->at++;
		if (peek_byte(p) == '+' || peek_byte(p) == '-')
			p->at++;
		if (!is_digit(peek_byte(p)))
			return bad_byte(p, "in exponent of numeric literal");
		skip_digits(p);
	}
	*out = json_new_num(p->a, str_sub(p->in, start, p->at));
	return 0;
}

static int parse_literal(struct parser *p, const char *word)
{
	for (const char *w = word; *w; w++, p->at++) {
		if (peek_byte(p) == (unsigned char)*w)
			continue;
		return bad_byte(p, str_fmt(p->a, "in literal %s (expecting '%c')", word, *w).p);
	}
	return 0;
}

/* Objects this small are searched pair by pair; larger ones through a map. */
#define SMALL 8

static int drop_duplicate(struct parser *p, struct json *object, struct json *first,
			  struct json *again)
{
	if (p->flags & JSON_DUP_ERROR)
		return set_fault(p, json_key_pos(again),
				 str_fmt(p->a, "duplicate key \"%.*s\"", STRF(json_key(again))));
	json_detach(object, first);
	return 0;
}

static struct json *find_earlier(struct json *object, const struct json *m)
{
	for (struct json *e = json_first(object); e != m; e = json_next(e))
		if (str_eq(json_key(e), json_key(m)))
			return e;
	return NULL;
}

static int check_duplicates(struct parser *p, struct json *object, size_t n)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct map seen;
	struct json *next;

	if (!(p->flags & (JSON_DUP_LAST | JSON_DUP_ERROR)) || n < 2)
		return 0;
	map_init(&seen, &scratch);
	for (struct json *m = json_first(object); m; m = next) {
		struct json *first =
			n <= SMALL ? find_earlier(object, m) : map_get(&seen, json_key(m));
		int rc;

		next = json_next(m);
		if (first) {
			rc = drop_duplicate(p, object, first, m);
			if (rc < 0)
				return rc;
		}
		if (n > SMALL)
			(void)map_put(&seen, json_key(m), m);
	}
	return 0;
}

static int parse_value(struct parser *p, struct json **out);

static int parse_member(struct parser *p, struct json *object)
{
	size_t key_pos = p->at, start, end;
	struct json *v = NULL;
	struct str key;
	int rc;

	if (peek_byte(p) != '"')
		return unexpected_byte(p, "looking for beginning of object key string");
	p->at++;
	rc = parse_string(p, &key);
	if (rc < 0)
		return rc;
	if (skip_space(p) != ':')
		return unexpected_byte(p, "after object key");
	p->at++;
	rc = parse_value(p, &v);
	if (rc < 0)
		return rc;
	json_span(v, &start, &end);
	json_set_span(v, key_pos, start, end);
	json_add(object, key, v);
	return 0;
}

static int parse_object(struct parser *p, struct json **out)
{
	struct json *o = json_new(p->a, JSON_OBJECT);
	size_t n = 0;
	int rc = 0, c;

	p->at++;
	if (skip_space(p) == '}') {
		p->at++;
		*out = o;
		return 0;
	}
	for (;;) {
		rc = parse_member(p, o);
		if (rc < 0)
			return rc;
		n++;
		c = skip_space(p);
		if (c != ',')
			break;
		p->at++;
		(void)skip_space(p);
	}
	if (c != '}')
		return unexpected_byte(p, "after object key:value pair");
	p->at++;
	*out = o;
	return check_duplicates(p, o, n);
}

static int parse_array(struct parser *p, struct json **out)
{
	struct json *list = json_new(p->a, JSON_ARRAY), *v = NULL;
	int rc, c;

	p->at++;
	if (skip_space(p) == ']') {
		p->at++;
		*out = list;
		return 0;
	}
	for (;;) {
		rc = parse_value(p, &v);
		if (rc < 0)
			return rc;
		json_push(list, v);
		c = skip_space(p);
		if (c != ',')
			break;
		p->at++;
	}
	if (c != ']')
		return unexpected_byte(p, "after array element");
	p->at++;
	*out = list;
	return 0;
}

static int parse_scalar(struct parser *p, int c, struct json **out)
{
	struct str s;
	int rc;

	switch (c) {
	case '"':
		p->at++;
		rc = parse_string(p, &s);
		if (rc == 0)
			*out = json_new_str(p->a, s);
		return rc;
	case 't':
	case 'f':
		*out = json_new_bool(p->a, c == 't');
		return parse_literal(p, c == 't' ? "true" : "false");
	case 'n':
		*out = json_new(p->a, JSON_NULL);
		return parse_literal(p, "null");
	default:
		if (c == '-' || is_digit(c))
			return parse_number(p, out);
		return unexpected_byte(p, "looking for beginning of value");
	}
}

static int parse_value(struct parser *p, struct json **out)
{
	int c = skip_space(p), rc;
	size_t start = p->at;

	*out = NULL;
	if (c != '{' && c != '[') {
		rc = parse_scalar(p, c, out);
	} else if (p->depth == JSON_DEPTH_MAX) {
		return err_set(p->err, ERR_LIMIT, "nested more than %d levels deep",
			       JSON_DEPTH_MAX);
	} else {
		p->depth++;
		rc = c == '{' ? parse_object(p, out) : parse_array(p, out);
		p->depth--;
	}
	if (rc == 0 && *out)
		json_set_span(*out, start, start, p->at);
	return rc;
}

int json_parse(struct arena *a, struct str text, const struct json_opts *opts, struct json **out,
	       struct err *err)
{
	static const struct json_opts none;
	struct parser p = { .a = a, .in = text, .err = err };
	struct json *v = NULL;
	int rc;

	if (!opts)
		opts = &none;
	p.flags = opts->flags;
	if (opts->size_max && text.n > opts->size_max)
		return err_set(err, ERR_LIMIT, "%zu bytes of JSON, more than the limit of %zu",
			       text.n, opts->size_max);
	rc = parse_value(&p, &v);
	if (rc == 0 && !opts->used && skip_space(&p) >= 0)
		rc = unexpected_byte(&p, "after top-level value");
	if (rc < 0) {
		if (rc == -ERR_INVALID && opts->fault)
			*opts->fault = p.fault;
		return rc;
	}
	if (opts->used)
		*opts->used = p.at;
	*out = v;
	return 0;
}
