/*
 * Writes TOML as BurntSushi's encoder does: within a table first the plain values, then the tables.
 */
#include "data/toml.h"

struct emitter {
	struct buf *b;
	struct arena *a;
};

static void add_quoted(struct buf *b, struct str s)
{
	static const char plain[] = "btn\0fr"; /* \b to \r */

	buf_addc(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c >= '\b' && c <= '\r' && plain[c - '\b'])
			buf_addf(b, "\\%c", plain[c - '\b']);
		else if (c < 0x20 || c == 0x7F)
			buf_addf(b, "\\u%04x", c);
		else
			buf_addc(b, (char)c);
	}
	buf_addc(b, '"');
}

static void add_key(struct buf *b, struct str key)
{
	bool bare = key.n > 0;

	for (size_t i = 0; i < key.n && bare; i++) {
		char c = key.p[i];

		bare = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		       c == '_' || c == '-';
	}
	if (bare)
		buf_add(b, key);
	else
		add_quoted(b, key);
}

static void add_value(struct buf *b, const struct json *j)
{
	const char *between = "";

	switch (json_kind(j)) {
	case JSON_NULL:
		break;
	case JSON_BOOL:
		buf_addz(b, json_is_true(j) ? "true" : "false");
		break;
	case JSON_NUMBER:
		buf_add(b, json_text(j));
		break;
	case JSON_STRING:
		add_quoted(b, json_text(j));
		break;
	case JSON_ARRAY:
		buf_addc(b, '[');
		for (const struct json *e = json_first(j); e; e = json_next(e)) {
			buf_addz(b, between);
			add_value(b, e);
			between = ", ";
		}
		buf_addc(b, ']');
		break;
	case JSON_OBJECT: /* in a list with other values */
		buf_addc(b, '{');
		for (const struct json *m = json_first(j); m; m = json_next(m)) {
			buf_addz(b, between);
			add_key(b, json_key(m));
			buf_addz(b, " = ");
			add_value(b, m);
			between = ", ";
		}
		buf_addc(b, '}');
		break;
	}
}

/* A list of only objects is an array of tables. */
static bool is_tables(const struct json *j)
{
	if (json_kind(j) != JSON_ARRAY || !json_first(j))
		return false;
	for (const struct json *e = json_first(j); e; e = json_next(e))
		if (json_kind(e) != JSON_OBJECT)
			return false;
	return true;
}

static void blank(struct emitter *e)
{
	if (e->b->n)
		buf_addc(e->b, '\n');
}

static void add_table(struct emitter *e, const struct json *j, struct str path, size_t depth);

static void add_sub(struct emitter *e, const struct json *m, struct str path, size_t depth)
{
	const struct json *item = is_tables(m) ? json_first(m) : NULL;
	struct str name;
	struct buf b;

	buf_init(&b, e->a);
	buf_add(&b, path);
	if (depth)
		buf_addc(&b, '.');
	add_key(&b, json_key(m));
	name = buf_str(&b);
	if (!item) {
		if (!depth)
			blank(e);
		buf_fill(e->b, ' ', depth * 2);
		buf_addf(e->b, "[%.*s]\n", STRF(name));
		add_table(e, m, name, depth + 1);
	}
	for (; item; item = json_next(item)) {
		blank(e);
		buf_fill(e->b, ' ', depth * 2);
		buf_addf(e->b, "[[%.*s]]\n", STRF(name));
		add_table(e, item, name, depth + 1);
	}
}

static void add_table(struct emitter *e, const struct json *j, struct str path, size_t depth)
{
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		if (json_kind(m) == JSON_OBJECT || is_tables(m) || json_kind(m) == JSON_NULL)
			continue;
		buf_fill(e->b, ' ', depth * 2);
		add_key(e->b, json_key(m));
		buf_addz(e->b, " = ");
		add_value(e->b, m);
		buf_addc(e->b, '\n');
	}
	for (const struct json *m = json_first(j); m; m = json_next(m))
		if (json_kind(m) == JSON_OBJECT || is_tables(m))
			add_sub(e, m, path, depth);
}

void toml_emit(struct buf *b, const struct json *j)
{
	struct emitter e = { b, b->a };

	add_table(&e, j, S(""), 0);
}
