/*
 * A hand-written walk over the grammar; each refusal has the text that the
 * reference's lexer gives at that point. Charset and other parameters are
 * checked and otherwise ignored: bytes are bytes.
 */
#include "base/codec.h"
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
	return r > 0x20 && r < 0x7F && !strchr("()<>@,;:\\\"/[]?=", r);
}

/* What data may consist of: a table each, made on the first call. */
static const bool *url_bytes(void)
{
	static bool ok[256];

	if (!ok['a']) {
		for (int c = 0x21; c < 0x7F; c++)
			ok[c] = !strchr("<>#\"{}|\\^[]`", c);
	}
	return ok;
}

static const bool *base64_bytes(void)
{
	static bool ok[256];

	if (!ok['a']) {
		for (int c = 'a'; c <= 'z'; c++)
			ok[c] = ok[c - 'a' + 'A'] = true;
		for (int c = '0'; c <= '9'; c++)
			ok[c] = true;
		ok['+'] = ok['/'] = ok['='] = ok['\n'] = true;
	}
	return ok;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool known_type(struct str type)
{
	static const char *const names[] = { "text",	    "image",
					     "audio",	    "video",
					     "application", "message",
					     "multipart" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
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
static int unescape(struct lexer *l, struct str s, struct str *out)
{
	struct buf b;

	buf_init(&b, l->a);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%') {
			for (size_t k = 1; k <= 2; k++) {
				if (i + k >= s.n)
					return bad(l, "rfc2396: unexpected end "
						      "of unescape sequence");
				if (!is_hex(s.p[i + k]))
					return bad(l,
						   "rfc2396: invalid char 0x25 "
						   "in unescape sequence");
			}
			if (percent_decode(l->a, str_sub(s, i, i + 3), out,
					   l->err) < 0)
				return -ERR_INVALID;
			buf_add(&b, *out);
			i += 2;
			continue;
		}
		buf_addc(&b, s.p[i]);
	}
	*out = buf_str(&b);
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
	struct str value;
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
	return unescape(l, str_sub(l->in, start, l->pos), &value);
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
			return bad(l,
				   "invalid character for parameter attribute");
		(void)next(l);
	}
	if (r == ',') {
		struct str got = str_sub(l->in, start, l->pos);

		if (!str_is(got, "base64"))
			return err_set(l->err, ERR_INVALID,
				       "expected base64, got %.*s", STRF(got));
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

static int payload(struct lexer *l, struct dataurl *out)
{
	const bool *ok = out->base64 ? base64_bytes() : url_bytes();
	struct str raw = str_from(l->in, l->pos);

	for (size_t i = 0; i < raw.n; i++)
		if (!ok[(unsigned char)raw.p[i]])
			return bad(l, "invalid data character");
	if (out->base64)
		return base64_decode(l->a, raw, &out->data, l->err);
	return unescape(l, raw, &out->data);
}

int dataurl_parse(struct arena *a, struct str url, struct dataurl *out,
		  struct err *err)
{
	struct lexer l = { .in = url, .pos = 5, .a = a, .err = err };
	struct dataurl d = { .media_type = S("text/plain") };
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
	rc = payload(&l, &d);
	if (rc < 0)
		return rc;
	*out = d;
	return 0;
}

struct str dataurl_text(struct arena *a, struct str bytes)
{
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "data:,");
	percent_add(&b, bytes);
	return buf_str(&b);
}
