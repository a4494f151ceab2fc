/*
 * Encodings whose bytes and error messages must equal Go's: base64, percent escapes,
 * %q. Tables are built on the first call and never change afterwards.
 */
#include "base/codec.h"

#include "base/scan.h"
#include "base/utf8.h"

static const char b64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *b, struct str in)
{
	const unsigned char *p = (const unsigned char *)in.p;
	size_t i = 0;
	char *q;

	buf_reserve(b, (in.n / 3 + 1) * 4);
	q = b->p + b->n;
	for (; i + 3 <= in.n; i += 3) {
		uint32_t w = (uint32_t)p[i] << 16 | (uint32_t)p[i + 1] << 8 | p[i + 2];

		*q++ = b64[w >> 18];
		*q++ = b64[w >> 12 & 63];
		*q++ = b64[w >> 6 & 63];
		*q++ = b64[w & 63];
	}
	if (i < in.n) {
		bool two = i + 1 < in.n;
		uint32_t w = (uint32_t)p[i] << 16 | (two ? (uint32_t)p[i + 1] << 8 : 0);

		*q++ = b64[w >> 18];
		*q++ = b64[w >> 12 & 63];
		*q++ = two ? b64[w >> 6 & 63] : '=';
		*q++ = '=';
	}
	b->n = (size_t)(q - b->p);
	b->p[b->n] = '\0';
}

/* The value of a base64 letter, or 64. One table, made on the first call. */
static const unsigned char *b64_values(void)
{
	static unsigned char values[256];
	static bool made;

	if (!made) {
		memset(values, 64, sizeof(values));
		for (unsigned char i = 0; i < 64; i++)
			values[(unsigned char)b64[i]] = i;
		made = true;
	}
	return values;
}

static size_t skip_breaks(struct str s, size_t i)
{
	while (i < s.n && (s.p[i] == '\n' || s.p[i] == '\r'))
		i++;
	return i;
}

static int b64_bad(struct err *err, size_t at)
{
	return err_set(err, ERR_INVALID, "illegal base64 data at input byte %zu", at);
}

/*
 * After j letters of the last group, an '=' was found at i: checks the padding and that
 * nothing follows. Offsets in errors are those of Go's decoder.
 */
static int b64_padding(struct str s, size_t i, size_t j, struct err *err)
{
	if (j < 2)
		return b64_bad(err, i);
	i = skip_breaks(s, i + 1);
	if (j == 2) {
		if (i == s.n)
			return b64_bad(err, s.n);
		if (s.p[i] != '=')
			return b64_bad(err, i - 1);
		i = skip_breaks(s, i + 1);
	}
	return i < s.n ? b64_bad(err, i) : 0;
}

int base64_decode(struct arena *a, struct str s, struct str *out, struct err *err)
{
	const unsigned char *value = b64_values();
	char *buf = arena_alloc(a, s.n / 4 * 3 + 4), *q = buf;
	size_t i = 0;

	/* whole groups without line breaks or padding, four bytes a step */
	for (; i + 4 <= s.n; i += 4) {
		const unsigned char *p = (const unsigned char *)s.p + i;
		uint32_t w0 = value[p[0]], w1 = value[p[1]], w2 = value[p[2]], w3 = value[p[3]];

		if ((w0 | w1 | w2 | w3) > 63)
			break;
		w0 = w0 << 18 | w1 << 12 | w2 << 6 | w3;
		*q++ = (char)(w0 >> 16);
		*q++ = (char)(w0 >> 8);
		*q++ = (char)w0;
	}
	for (;;) {
		uint32_t w = 0;
		size_t j = 0;

		for (; j < 4; j++, i++) {
			i = skip_breaks(s, i);
			if (i == s.n || s.p[i] == '=')
				break;
			if (value[(unsigned char)s.p[i]] > 63)
				return b64_bad(err, i);
			w = w << 6 | value[(unsigned char)s.p[i]];
		}
		if (j == 4) {
			*q++ = (char)(w >> 16);
			*q++ = (char)(w >> 8);
			*q++ = (char)w;
			continue;
		}
		if (i == s.n && j > 0)
			return b64_bad(err, i - j);
		if (i < s.n) {
			int rc = b64_padding(s, i, j, err);

			if (rc < 0)
				return rc;
			w <<= 6 * (4 - j);
			*q++ = (char)(w >> 16);
			if (j == 3)
				*q++ = (char)(w >> 8);
		}
		break;
	}
	*out = (struct str){ buf, (size_t)(q - buf) };
	return 0;
}

int base64_check(struct str s, struct err *err)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct err ignored = ERR_INIT(&scratch);
	struct str out;
	size_t i = 0;

	/* whole groups need no decoding; SCAN is a multiple of four */
	for (; s.n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(s.p + i);

		if (scan_any(~(scan_is(v, '+') | scan_in(v, '/', '9') | scan_in(v, 'A', 'Z') |
			       scan_in(v, 'a', 'z'))))
			break;
	}
	if (base64_decode(&scratch, str_from(s, i), &out, &ignored) == 0)
		return 0;
	return base64_decode(&scratch, s, &out, err);
}

/* Which bytes stand in a data URL as they are: 1; all others are escaped. */
static const unsigned char unescaped[256] = {
	['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['0' ... '9'] = 1, ['-'] = 1,  ['_'] = 1, ['.'] = 1,
	['!'] = 1,	   ['~'] = 1,	      ['*'] = 1,	 ['\''] = 1, ['('] = 1, [')'] = 1,
};

void percent_add(struct buf *b, struct str in)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t escapes = 0;
	char *q;

	for (size_t i = 0; i < in.n; i++)
		escapes += !unescaped[(unsigned char)in.p[i]];
	buf_reserve(b, in.n + 2 * escapes);
	q = b->p + b->n;
	for (size_t i = 0; i < in.n; i++) {
		unsigned char c = (unsigned char)in.p[i];

		if (unescaped[c]) {
			*q++ = (char)c;
			continue;
		}
		*q++ = '%';
		*q++ = hex[c >> 4];
		*q++ = hex[c & 15];
	}
	*q = '\0';
	b->n = (size_t)(q - b->p);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int percent_decode(struct arena *a, struct str s, struct str *out, struct err *err)
{
	char *buf = arena_alloc(a, s.n + 1), *q = buf;

	for (size_t i = 0; i < s.n; i++) {
		int hi, lo;

		if (s.p[i] != '%') {
			*q++ = s.p[i];
			continue;
		}
		hi = i + 1 < s.n ? hex_value(s.p[i + 1]) : -1;
		lo = i + 2 < s.n ? hex_value(s.p[i + 2]) : -1;
		if (hi < 0 || lo < 0) {
			struct str bad = str_sub(s, i, i + 3);

			return err_set(err, ERR_INVALID, "invalid URL escape \"%.*s\"", STRF(bad));
		}
		*q++ = (char)(hi << 4 | lo);
		i += 2;
	}
	*out = (struct str){ buf, (size_t)(q - buf) };
	return 0;
}

/* Printable runes are approximated by ranges: unassigned and format characters above
 * ASCII hardly occur in what we quote. */
static bool quote_raw(uint32_t r)
{
	return r > 0xA0 && r != 0xAD && !(r >= 0x2000 && r <= 0x200F) &&
	       !(r >= 0x2028 && r <= 0x202F) && r != 0xFEFF && r < 0xE0000 &&
	       !(r >= 0xE000 && r <= 0xF8FF);
}

/* also: what is escaped by its number besides the quotes. */
static void html(struct buf *b, struct str s, char also)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '&')
			buf_addz(b, "&amp;");
		else if (c == '<')
			buf_addz(b, "&lt;");
		else if (c == '>')
			buf_addz(b, "&gt;");
		else if (c == '\0')
			buf_addz(b, "\xEF\xBF\xBD");
		else if (c == '"' || c == '\'' || c == also)
			buf_addf(b, "&#%d;", c);
		else
			buf_addc(b, c);
	}
}

void html_add(struct buf *b, struct str text)
{
	html(b, text, '"');
}

void html_add_strict(struct buf *b, struct str text)
{
	html(b, text, '+');
}

void go_quote(struct buf *b, struct str s)
{
	static const char code[] = "\a\b\f\n\r\t\v\"\\", name[] = "abfnrtv\"\\";

	buf_addc(b, '"');
	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t r = utf8_at(s, i, &len);
		const char *k = r && r < 0x80 ? strchr(code, (int)r) : NULL;

		if (k)
			buf_addf(b, "\\%c", name[k - code]);
		else if (r == UTF8_BAD && len == 1)
			buf_addf(b, "\\x%02x", (unsigned char)s.p[i]);
		else if (r < 0x20 || r == 0x7F)
			buf_addf(b, "\\x%02x", r);
		else if (r < 0x7F || quote_raw(r))
			buf_add(b, str_sub(s, i, i + len));
		else
			buf_addf(b, r > 0xFFFF ? "\\U%08x" : "\\u%04x", r);
	}
	buf_addc(b, '"');
}

struct str go_quoted(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a);
	go_quote(&b, s);
	return buf_str(&b);
}
