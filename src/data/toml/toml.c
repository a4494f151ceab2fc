/*
 * One pass over the text. Tables are found or made along their dotted names; an array of tables
 * stands for its last element. A table in brackets or an inline value must not be defined again:
 * `closed` has those.
 */
#include "data/toml.h"

#include "base/num.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"

struct parser {
	struct arena *a;
	struct str in;
	size_t at, line;
	struct str key; /* the last one seen, for messages */
	struct map closed; /* tables by address: already defined */
	unsigned depth;
	struct err *err;
};

static int set_fault(struct parser *p, const char *what)
{
	if (p->key.n)
		return err_set(p->err, ERR_INVALID, "toml: line %zu (last key \"%.*s\"): %s",
			       p->line, STRF(p->key), what);
	return err_set(p->err, ERR_INVALID, "toml: line %zu: %s", p->line, what);
}

static int peek_char(const struct parser *p)
{
	return p->at < p->in.n ? (unsigned char)p->in.p[p->at] : -1;
}

static bool looking_at(const struct parser *p, const char *z)
{
	return str_starts(str_from(p->in, p->at), str_of(z));
}

static void skip_blanks(struct parser *p)
{
	while (peek_char(p) == ' ' || peek_char(p) == '\t')
		p->at++;
}

static void comment(struct parser *p)
{
	if (peek_char(p) != '#')
		return;
	while (p->at < p->in.n && p->in.p[p->at] != '\n')
		p->at++;
}

/* Blanks, comments and line breaks. */
static void skip_space(struct parser *p)
{
	for (;;) {
		skip_blanks(p);
		comment(p);
		if (peek_char(p) == '\r' && looking_at(p, "\r\n"))
			p->at++;
		if (peek_char(p) != '\n')
			return;
		p->at++;
		p->line++;
	}
}

/* ---- strings ------------------------------------------------------------- */

static int hex_escape(struct parser *p, struct buf *b, int n)
{
	uint32_t r = 0;

	for (int i = 0; i < n; i++, p->at++) {
		int c = peek_char(p);
		const char *digits = "0123456789abcdef";
		const char *d = c > 0 ? strchr(digits, c | 0x20) : NULL;

		if (!d || !*d)
			return set_fault(p, "invalid escape in a string");
		r = r << 4 | (uint32_t)(d - digits);
	}
	if (r > 0x10FFFF || (r >= 0xD800 && r <= 0xDFFF))
		return set_fault(p, "escaped character is not a code point");
	utf8_add(b, r);
	return 0;
}

static int escape(struct parser *p, struct buf *b, bool multi)
{
	static const char from[] = "btnfr\"\\e", to[] = "\b\t\n\f\r\"\\\x1b";
	int c = peek_char(p);
	const char *k = c > 0 ? strchr(from, c) : NULL;

	if (k) {
		buf_addc(b, to[k - from]);
		p->at++;
		return 0;
	}
	if (c == 'u' || c == 'U') {
		p->at++;
		return hex_escape(p, b, c == 'u' ? 4 : 8);
	}
	if (multi && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) {
		skip_space(p);
		return 0;
	}
	return set_fault(p, "invalid escape in a string");
}

static int string(struct parser *p, struct str *out)
{
	char quote = (char)peek_char(p);
	const char *triple = quote == '"' ? "\"\"\"" : "'''";
	bool multi = looking_at(p, triple);
	struct buf b;

	p->at += multi ? 3 : 1;
	if (multi && looking_at(p, "\r\n"))
		p->at++;
	if (multi && peek_char(p) == '\n') {
		p->at++;
		p->line++;
	}
	buf_init(&b, p->a);
	for (;;) {
		int c = peek_char(p), rc;

		if (c < 0)
			return set_fault(p, "unexpected EOF; expected end of string");
		if (multi ? looking_at(p, triple) : c == quote)
			break;
		p->at++;
		if (c == '\n' && !multi)
			return set_fault(p, "strings cannot contain newlines");
		if (c == '\n')
			p->line++;
		if (c == '\\' && quote == '"') {
			rc = escape(p, &b, multi);
			if (rc < 0)
				return rc;
			continue;
		}
		buf_addc(&b, (char)c);
	}
	p->at += multi ? 3 : 1;
	/* up to two quotes may precede the closing three */
	while (multi && peek_char(p) == quote) {
		buf_addc(&b, quote);
		p->at++;
	}
	*out = buf_str(&b);
	return utf8_valid(*out) ? 0 : set_fault(p, "invalid UTF-8 in a string");
}

/* ---- values -------------------------------------------------------------- */

static int value(struct parser *p, struct json **out);
static int key_value(struct parser *p, struct json *table);

static int enter_depth(struct parser *p)
{
	if (p->depth++ < TOML_DEPTH_MAX)
		return 0;
	return err_set(p->err, ERR_LIMIT, "toml: line %zu: nested more than %d levels deep",
		       p->line, TOML_DEPTH_MAX);
}

static int array(struct parser *p, struct json **out)
{
	struct json *list = json_new(p->a, JSON_ARRAY), *v = NULL;
	int rc = enter_depth(p);

	p->at++;
	while (rc == 0) {
		skip_space(p);
		if (peek_char(p) == ']')
			break;
		rc = value(p, &v);
		if (rc < 0)
			return rc;
		json_push(list, v);
		skip_space(p);
		if (peek_char(p) == ',')
			p->at++;
		else if (peek_char(p) != ']')
			return set_fault(p, peek_char(p) < 0 ? "unexpected EOF; expected a comma "
							       "(',') or array terminator (']')"
							     : "expected a comma (',') or array "
							       "terminator (']')");
	}
	if (rc < 0)
		return rc;
	p->at++;
	p->depth--;
	*out = list;
	return 0;
}

static int inline_table(struct parser *p, struct json **out)
{
	struct json *t = json_new(p->a, JSON_OBJECT);
	int rc = enter_depth(p);

	p->at++;
	skip_blanks(p);
	while (rc == 0 && peek_char(p) != '}') {
		rc = key_value(p, t);
		if (rc < 0)
			return rc;
		skip_blanks(p);
		if (peek_char(p) == ',') {
			p->at++;
			skip_blanks(p);
		} else if (peek_char(p) != '}') {
			return set_fault(p, "expected a comma or an inline table "
					    "terminator '}'");
		}
	}
	if (rc < 0)
		return rc;
	p->at++;
	p->depth--;
	*out = t;
	return 0;
}

static bool is_word_byte(int c)
{
	return c > ' ' && c < 0x7F && !strchr(",]}#[{\"'=", c);
}

/* A dot in a number is between digits. */
static bool dots_ok(struct str s)
{
	static const char digits[] = "0123456789";

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '.' && (i == 0 || i + 1 == s.n || !strchr(digits, s.p[i - 1]) ||
				      !strchr(digits, s.p[i + 1])))
			return false;
	return true;
}

/* Numbers, booleans and dates. */
static int bare_value(struct parser *p, struct json **out)
{
	size_t start = p->at;
	struct str word, plain;
	struct num_int n;
	double f;
	struct buf b;

	while (is_word_byte(peek_char(p)))
		p->at++;
	/* "1979-05-27 07:32:00": a blank between date and time */
	if (p->at - start == 10 && peek_char(p) == ' ' && p->at + 1 < p->in.n &&
	    p->in.p[start + 4] == '-' && p->in.p[p->at + 1] >= '0' && p->in.p[p->at + 1] <= '9') {
		p->at++;
		while (is_word_byte(peek_char(p)))
			p->at++;
	}
	word = str_sub(p->in, start, p->at);
	if (!word.n)
		return set_fault(p, peek_char(p) < 0 ? "unexpected EOF; expected value"
						     : "expected value");
	if (str_is(word, "true") || str_is(word, "false")) {
		*out = json_new_bool(p->a, word.p[0] == 't');
		return 0;
	}
	buf_init(&b, p->a);
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] != '_')
			buf_addc(&b, word.p[i]);
	plain = buf_str(&b);
	if (num_parse_int(plain, &n)) {
		struct buf text;

		buf_init(&text, p->a);
		num_add_int(&text, n);
		*out = json_new_num(p->a, buf_str(&text));
		return 0;
	}
	if (dots_ok(word) && num_parse_float(plain, &f)) {
		struct buf text;

		buf_init(&text, p->a);
		num_add_float_json(&text, f);
		*out = json_new_num(p->a, buf_str(&text));
		return 0;
	}
	if (str_chr(word, '-') == 4 || str_chr(word, ':') == 2) {
		*out = json_new_str(p->a, word);
		return 0;
	}
	return set_fault(p,
			 str_fmt(p->a, "expected value but found \"%.*s\" instead", STRF(word)).p);
}

static int value(struct parser *p, struct json **out)
{
	struct str s = S("");
	int rc;

	*out = NULL;
	switch (peek_char(p)) {
	case '"':
	case '\'':
		rc = string(p, &s);
		if (rc == 0)
			*out = json_new_str(p->a, s);
		return rc;
	case '[':
		return array(p, out);
	case '{':
		return inline_table(p, out);
	default:
		return bare_value(p, out);
	}
}

/* ---- keys and tables ----------------------------------------------------- */

static bool is_bare_key(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_';
}

static int simple_key(struct parser *p, struct str *out)
{
	size_t start = p->at;

	if (peek_char(p) == '"' || peek_char(p) == '\'')
		return string(p, out);
	while (is_bare_key(peek_char(p)))
		p->at++;
	*out = str_sub(p->in, start, p->at);
	return out->n ? 0 : set_fault(p, "expected a key");
}

static int dotted_key(struct parser *p, struct strs *out)
{
	for (;;) {
		struct str part = S("");
		int rc;

		skip_blanks(p);
		rc = simple_key(p, &part);
		if (rc < 0)
			return rc;
		VEC_PUSH(p->a, out, part);
		p->key = out->n > 1 ? str_fmt(p->a, "%.*s.%.*s", STRF(p->key), STRF(part)) : part;
		skip_blanks(p);
		if (peek_char(p) != '.')
			return 0;
		p->at++;
	}
}

/* The table called name, created if absent; of an array of tables the last. */
static int descend_table(struct parser *p, struct json **table, struct str name)
{
	struct json *next = json_member(*table, name);

	if (!next) {
		next = json_new(p->a, JSON_OBJECT);
		json_add(*table, name, next);
	}
	if (json_kind(next) == JSON_ARRAY) {
		struct json *e = json_first(next);

		while (e && json_next(e))
			e = json_next(e);
		next = e;
	}
	if (json_kind(next) != JSON_OBJECT)
		return set_fault(p, "key is already defined as something else");
	*table = next;
	return 0;
}

static int key_value(struct parser *p, struct json *table)
{
	struct strs key = { 0 };
	struct json *v = NULL;
	int rc = dotted_key(p, &key);

	if (rc < 0)
		return rc;
	if (peek_char(p) != '=')
		return set_fault(p, peek_char(p) < 0 ? "unexpected EOF; expected key "
						       "separator '='"
						     : "expected '.' or '='");
	p->at++;
	skip_blanks(p);
	rc = value(p, &v);
	for (size_t i = 0; rc == 0 && i + 1 < key.n; i++)
		rc = descend_table(p, &table, key.v[i]);
	if (rc < 0)
		return rc;
	if (json_member(table, key.v[key.n - 1]))
		return set_fault(p, "key has already been defined");
	json_add(table, key.v[key.n - 1], v);
	return 0;
}

static struct str address(struct parser *p, const struct json *j)
{
	return str_dup(p->a, (struct str){ (const char *)&j, sizeof(j) });
}

static int array_table(struct parser *p, struct json *table, struct str name, struct json **out)
{
	struct json *list = json_member(table, name);

	if (!list) {
		list = json_new(p->a, JSON_ARRAY);
		json_add(table, name, list);
	}
	if (json_kind(list) != JSON_ARRAY)
		return set_fault(p, "key is already defined as something else");
	*out = json_new(p->a, JSON_OBJECT);
	json_push(list, *out);
	return 0;
}

/* "[a.b]" or "[[a.b]]": the table of the keys that follow. */
static int header(struct parser *p, struct json *root, struct json **out)
{
	bool many = looking_at(p, "[[");
	struct strs key = { 0 };
	struct json *t = root;
	int rc;

	p->at += many ? 2 : 1;
	rc = dotted_key(p, &key);
	if (rc < 0)
		return rc;
	if (!looking_at(p, many ? "]]" : "]"))
		return set_fault(p, "expected end of table name");
	p->at += many ? 2 : 1;
	for (size_t i = 0; rc == 0 && i + 1 < key.n; i++)
		rc = descend_table(p, &t, key.v[i]);
	if (rc < 0)
		return rc;
	if (many)
		return array_table(p, t, key.v[key.n - 1], out);
	rc = descend_table(p, &t, key.v[key.n - 1]);
	if (rc == 0 && !map_put(&p->closed, address(p, t), t))
		rc = set_fault(p, "table has already been defined");
	*out = t;
	return rc;
}

int toml_parse(struct arena *a, struct str text, struct json **out, struct err *err)
{
	struct parser p = { .a = a, .in = text, .line = 1, .err = err };
	struct json *root = json_new(a, JSON_OBJECT), *table = root;
	int rc = 0;

	map_init(&p.closed, a);
	for (;;) {
		skip_space(&p);
		if (peek_char(&p) < 0)
			break;
		rc = peek_char(&p) == '[' ? header(&p, root, &table) : key_value(&p, table);
		if (rc < 0)
			return rc;
		skip_blanks(&p);
		comment(&p);
		if (peek_char(&p) >= 0 && peek_char(&p) != '\n' && !looking_at(&p, "\r\n"))
			return set_fault(&p, "expected a top-level item to end with a "
					     "newline, comment, or EOF");
	}
	*out = root;
	return 0;
}
