/*
 * A hand-written parser of the grammar; each error has the text of the reference's
 * lexer at that point. Charset and other parameters are checked and then ignored.
 */
#include "base/codec.h"
#include "base/scan.h"
#include "base/utf8.h"

#define END (-1)

struct lexer {
	struct str in;
	size_t pos;
	struct arena *a;
	struct err *err;
};

static int bad(struct lexer *l, const char *text)
{
	return err_set(l->err, ERR_INVALID, "%s", text);
}

/* The next rune, or END; invalid UTF-8 is one U+FFFD a byte. */
static int32_t next(struct lexer *l)
{
	size_t len;
	uint32_t r;

	if (l->pos >= l->in.n)
		return END;
	r = utf8_at(l->in, l->pos, &len);
	l->pos += len;
	return (int32_t)r;
}

static int32_t peek(const struct lexer *l)
{
	struct lexer copy = *l;

	return next(&copy);
}

static bool is_token(int32_t r)
{
	if ((r >= 'a' && r <= 'z') || (r >= '0' && r <= '9'))
		return true;
	return r > 0x20 && r < 0x7F && !strchr("()<>@,;:\\\"/[]?=", r);
}

/* What data may consist of. */
static scan_v url_bytes(scan_v v)
{
	return scan_is(v, '!') | scan_in(v, '$', ';') | scan_is(v, '=') | scan_in(v, '?', 'Z') |
	       scan_is(v, '_') | scan_in(v, 'a', 'z') | scan_is(v, '~');
}

static scan_v base64_bytes(scan_v v)
{
	return scan_is(v, '+') | scan_in(v, '/', '9') | scan_in(v, 'A', 'Z') |
	       scan_in(v, 'a', 'z') | scan_is(v, '=') | scan_is(v, '\n');
}

static bool all_in(struct str s, bool base64)
{
	char rest[SCAN];
	size_t i = 0;

	for (; s.n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(s.p + i);

		if (scan_any(~(base64 ? base64_bytes(v) : url_bytes(v))))
			return false;
	}
	memset(rest, 'a', sizeof(rest));
	memcpy(rest, s.p + i, s.n - i);
	return !scan_any(~(base64 ? base64_bytes(scan_load(rest)) : url_bytes(scan_load(rest))));
}

static scan_v hex_digits(scan_v v)
{
	return scan_in(v, '0', '9') | scan_in(v | 0x20, 'a', 'f');
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool known_type(struct str type)
{
	static const char *const names[] = { "text",	    "image",   "audio",	   "video",
					     "application", "message", "multipart" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts(type, str_of(names[i])))
			return true;
	return false;
}

/* type "/" subtype, up to the ';' or ',' that ends it. */
static int media_type(struct lexer *l)
{
	size_t start = l->pos;
	int32_t r = next(l);
	bool x_token = false;

	if (!is_token(r))
		return bad(l, "invalid character after data prefix");
	if (r == 'x' || r == 'X')
		x_token = next(l) == '-';
	while ((r = next(l)) != '/') {
		if (r == END)
			return bad(l, "missing media type slash");
		if (!is_token(r))
			return bad(l, "invalid character for media type");
	}
	if (!x_token && !known_type(str_sub(l->in, start, l->pos - 1)))
		return bad(l, "invalid media type");
	while ((r = peek(l)) != ';' && r != ',') {
		if (r == END)
			return bad(l, "incomplete media type");
		if (!is_token(r))
			return bad(l, "invalid character for media subtype");
		(void)next(l);
	}
	return 0;
}

/* %XX as dataurl's own unescaping reads it. */
static int check_escapes(struct lexer *l, struct str s)
{
	size_t i = 0;

	/* a '%' in an escape would not be a digit: each one begins an escape */
	for (; s.n - i >= SCAN + 2; i += SCAN)
		if (scan_any(scan_is(scan_load(s.p + i), '%') &
			     ~(hex_digits(scan_load(s.p + i + 1)) &
			       hex_digits(scan_load(s.p + i + 2)))))
			break;
	while ((i += scan_byte(s.p + i, s.n - i, '%')) < s.n) {
		for (size_t k = 1; k <= 2; k++) {
			if (i + k >= s.n)
				return bad(l, "rfc2396: unexpected end of "
					      "unescape sequence");
			if (!is_hex(s.p[i + k]))
				return bad(l, "rfc2396: invalid char 0x25 in "
					      "unescape sequence");
		}
		i += 3;
	}
	return 0;
}

/* True when s is the inside of a Go string literal. */
static bool quotable(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		size_t digits;
		const char *set = "0123456789abcdefABCDEF";

		if (s.p[i] == '\n')
			return false;
		if (s.p[i] != '\\')
			continue;
		if (++i == s.n)
			return false;
		switch (s.p[i]) {
		case 'x':
			digits = 2;
			break;
		case 'u':
			digits = 4;
			break;
		case 'U':
			digits = 8;
			break;
		default:
			if (s.p[i] >= '0' && s.p[i] <= '3') {
				digits = 2;
				set = "01234567";
				break;
			}
			if (!s.p[i] || !strchr("abfnrtv\\\"", s.p[i]))
				return false;
			continue;
		}
		for (; digits; digits--)
			if (++i >= s.n || !s.p[i] || !strchr(set, s.p[i]))
				return false;
	}
	return true;
}

static int quoted_value(struct lexer *l)
{
	size_t start = l->pos;
	struct str inside;

	for (;;) {
		int32_t r = next(l);

		if (r == '\\') {
			r = next(l);
			if (r > 0x7F)
				return bad(l, "invalid escaped character");
			continue;
		}
		if (r == END)
			return bad(l, "unclosed quoted string");
		if (r == '"')
			break;
		if (r > 0x7F)
			return bad(l, "invalid character for parameter value");
	}
	inside = str_sub(l->in, start, l->pos - 1);
	return quotable(inside) ? 0 : bad(l, "invalid syntax");
}

static int plain_value(struct lexer *l)
{
	size_t start = l->pos;
	int32_t r = next(l);

	if (r == END)
		return bad(l, "missing comma before data");
	if (!is_token(r))
		return bad(l, "invalid character for parameter value");
	while ((r = peek(l)) != ';' && r != ',') {
		if (r == END)
			return bad(l, "missing comma before data");
		if (!is_token(r))
			return bad(l, "invalid character for parameter value");
		(void)next(l);
	}
	return check_escapes(l, str_sub(l->in, start, l->pos));
}

/* One parameter behind its ';'. "base64" sets *base64 and must come last. */
static int parameter(struct lexer *l, bool *base64)
{
	size_t start = l->pos;
	int32_t r = next(l);
	int rc;

	if (r == END || r == '=' || r == ',')
		return bad(l, "unterminated parameter sequence");
	if (!is_token(r))
		return bad(l, "invalid character for parameter attribute");
	while ((r = peek(l)) != '=' && r != ',') {
		if (r == END)
			return bad(l, "unterminated parameter sequence");
		if (!is_token(r))
			return bad(l, "invalid character for parameter attribute");
		(void)next(l);
	}
	if (r == ',') {
		struct str got = str_sub(l->in, start, l->pos);

		if (!str_is(got, "base64"))
			return err_set(l->err, ERR_INVALID, "expected base64, got %.*s", STRF(got));
		*base64 = true;
		return 0;
	}
	(void)next(l);
	if (peek(l) == '"') {
		(void)next(l);
		rc = quoted_value(l);
	} else {
		rc = plain_value(l);
	}
	if (rc < 0)
		return rc;
	r = peek(l);
	if (r == END)
		return bad(l, "missing comma before data");
	return r == ';' || r == ',' ? 0 : bad(l, "expected semicolon or comma");
}

static int payload(struct lexer *l, struct dataurl *out, bool decode)
{
	struct str raw = str_from(l->in, l->pos);
	int rc;

	if (!all_in(raw, out->base64))
		return bad(l, "invalid data character");
	if (out->base64)
		return decode ? base64_decode(l->a, raw, &out->data, l->err)
			      : base64_check(raw, l->err);
	rc = check_escapes(l, raw);
	return rc < 0 || !decode ? rc : percent_decode(l->a, raw, &out->data, l->err);
}

static int parse(struct lexer l, bool decode, struct dataurl *out)
{
	struct dataurl d = { .media_type = S("text/plain") };
	struct str url = l.in;
	size_t mark;
	int32_t r;
	int rc;

	if (!str_starts(url, S("data:")))
		return bad(&l, "missing data prefix");
	r = peek(&l);
	if (r == END)
		return bad(&l, "missing comma before data");
	if (r != ';' && r != ',') {
		mark = l.pos;
		rc = media_type(&l);
		if (rc < 0)
			return rc;
		d.media_type = str_sub(url, mark, l.pos);
	}
	mark = l.pos;
	while (next(&l) == ';') {
		rc = parameter(&l, &d.base64);
		if (rc < 0)
			return rc;
	}
	d.params = str_sub(url, mark, l.pos - 1);
	rc = payload(&l, &d, decode);
	if (rc < 0)
		return rc;
	*out = d;
	return 0;
}

int dataurl_parse(struct arena *a, struct str url, struct dataurl *out, struct err *err)
{
	struct lexer l = { .in = url, .pos = 5, .a = a, .err = err };

	return parse(l, true, out);
}

int dataurl_check(struct str url, struct err *err)
{
	struct lexer l = { .in = url, .pos = 5, .err = err };
	struct dataurl ignored;

	return parse(l, false, &ignored);
}

struct str dataurl_text(struct arena *a, struct str bytes)
{
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "data:,");
	percent_add(&b, bytes);
	return buf_str(&b);
}
