/*
 * The errors of the API server's decoder for a body that does not fit its kind: the path to the
 * value, what the decoder expected there, and the text around it. After a value of one character
 * the decoder continues and also reports what follows. The result of a strategic patch is a tree,
 * not text, and is converted to a struct: that error has no path.
 */
#include "sandbox/write.h"

#define WAY_MAX 256

struct misfit {
	struct sb_call *c;
	const struct json *blame;
	struct str why; /* the error of the struct's decoder */
	struct buf what; /* what the decoder expected */
	size_t head; /* the offset in the body at that point */
	VEC(struct str) way; /* the path, last component first */
	bool found, stopped, restore;
};

/* "nodeName" is NodeName, "dnsPolicy" DNSPolicy. */
static struct str go_field(struct arena *a, const char *name)
{
	struct buf b;
	static const char initials[][5] = { "uid", "api",  "ip", "tty", "dns",
					    "tcp", "http", "se", "fs",	"qos" };
	size_t upper = 1;

	for (size_t i = 0; i < ARRAY_LEN(initials); i++) {
		size_t n = strlen(initials[i]);

		if (strncmp(name, initials[i], n) == 0 && !(name[n] >= 'a' && name[n] <= 'z'))
			upper = n;
	}
	buf_init(&b, a);
	for (size_t i = 0; name[i]; i++)
		buf_addc(&b, i < upper && name[i] >= 'a' ? (char)(name[i] - 'a' + 'A') : name[i]);
	return buf_str(&b);
}

/* The types of a kind are in the package of its version, shared types in v1. */
static struct str go_type(struct misfit *m, const struct shape_row *row, const char *before,
			  const char *after)
{
	const struct sb_types *t = &m->c->sb->kinds.types;
	struct str name = str_of(t->shapes.pool + row->name);
	struct str version =
		str_starts(name, m->c->r->kind->kind) ? m->c->r->version->name : S("v1");

	return str_fmt(m->c->a, "%s%.*s.%.*s%s", before, STRF(version), STRF(name), after);
}

static void add_step(struct misfit *m, struct str part)
{
	if (m->found && m->way.n < WAY_MAX)
		VEC_PUSH(m->c->a, &m->way, part);
}

/* "cannot unmarshal x into Go struct field A.b of type T" for a single value */
static void add_why(struct buf *b, struct str why)
{
	ptrdiff_t at = str_find(why, S(" struct field "));
	ptrdiff_t of = str_find(why, S(" of type "));

	if (at > 0 && of > at)
		buf_addf(b, "%.*s value%.*s", (int)at, why.p, STRF(str_from(why, (size_t)of)));
	else
		buf_add(b, why);
}

/* What Go calls the kind of a value in a tree. */
static const char *go_kind(const struct json *v)
{
	switch (json_kind(v)) {
	case JSON_OBJECT:
		return "map";
	case JSON_ARRAY:
		return "slice";
	case JSON_NUMBER:
		return str_chr(json_text(v), '.') >= 0 ? "float64" : "int64";
	case JSON_STRING:
	case JSON_BOOL:
	case JSON_NULL:
		break;
	}
	return json_kind_name(v);
}

/* Why a value of the tree cannot be converted to the type of the field. */
static void restore_value(struct misfit *m, const struct shape_row *row, unsigned flags)
{
	static const char *const names[] = { NULL, "string", "bool", "int32", "int64" };
	const char *have = go_kind(m->blame);

	m->stopped = true;
	if (flags & (SHAPE_MAP | SHAPE_LIST))
		buf_addf(&m->what, "cannot restore %s from %s", flags & SHAPE_MAP ? "map" : "slice",
			 have);
	else if (row->kind == SHAPE_STRUCT)
		buf_addf(&m->what, "cannot restore struct from: %s", have);
	else if (row->kind > SHAPE_INT64)
		add_why(&m->what, m->why);
	/* a conversion that Go itself can do */
	else if (json_kind(m->blame) == JSON_NUMBER &&
		 (row->kind > SHAPE_BOOL || (row->kind == SHAPE_STRING && *have == 'i')))
		buf_addf(&m->what, "cannot convert %s to %s", have, names[row->kind]);
	else
		buf_addf(&m->what, "unrecognized type: %s", names[row->kind]);
}

/* What the decoder expected, and the offset it had reached. */
static void blame_value(struct misfit *m, const struct shape_row *row, unsigned flags)
{
	struct str body = m->c->r->body;
	const char *want = flags & SHAPE_MAP	       ? "ReadMapCB: expect { or n"
			   : flags & SHAPE_LIST	       ? "decode slice: expect [ "
							 "or n"
			   : row->kind == SHAPE_STRUCT ? "readObjectStart: "
							 "expect { or n"
			   : row->kind == SHAPE_STRING ? "ReadString: expects "
							 "\" or n"
			   : row->kind == SHAPE_BOOL   ? "ReadBool: expect t or "
							 "f"
						       : NULL;
	size_t start, end;

	json_span(m->blame, &start, &end);
	m->found = true;
	m->head = start + 1;
	if (m->restore) {
		restore_value(m, row, flags);
		return;
	}
	if (want) {
		buf_addf(&m->what, "%s, but found %c", want, body.p[start]);
	} else if (row->kind == SHAPE_INT32 || row->kind == SHAPE_INT64) {
		buf_addf(&m->what, "readUint%s: unexpected character: \xEF\xBF\xBD",
			 row->kind == SHAPE_INT32 ? "32" : "64");
	} else {
		buf_addz(&m->what,
			 row->kind == SHAPE_BYTES ? "decode base64: " : "unmarshalerDecoder: ");
		add_why(&m->what, m->why);
		m->head = end;
	}
	/* the rest of the value closes the containers around it */
	m->stopped = m->head < end;
}

static void decode_struct(struct misfit *m, uint16_t type, const struct json *object);

static void decode_value(struct misfit *m, const struct shape_row *row, unsigned flags,
			 const struct json *v)
{
	const struct shape_row *of = &m->c->sb->kinds.types.shapes.rows[row->type];
	bool in = flags & (SHAPE_MAP | SHAPE_LIST);
	unsigned inner = flags & SHAPE_MAP ? flags & SHAPE_LIST : 0;

	if (v == m->blame)
		blame_value(m, row, flags);
	else if (!in && row->kind == SHAPE_STRUCT)
		decode_struct(m, row->type, v);
	for (const struct json *e = json_first(v); e && in && !m->stopped; e = json_next(e))
		decode_value(m, row, inner, e);
	if (flags & SHAPE_LIST && !(flags & SHAPE_MAP))
		add_step(m,
			 row->kind == SHAPE_STRUCT ? go_type(m, of, "[]", ": ") : S("[]string: "));
}

static void decode_struct(struct misfit *m, uint16_t type, const struct json *object)
{
	static const struct shape_row word = { .kind = SHAPE_STRING };
	const struct shapes *s = &m->c->sb->kinds.types.shapes;
	struct shape_row meta = { .type = types_find(&m->c->sb->kinds.types, S("ObjectMeta")) };
	bool top = type == m->c->r->kind->type;
	bool late = m->found; /* only reported as reached */

	for (const struct json *v = json_first(object); v && !m->stopped && !late;
	     v = json_next(v)) {
		struct str key = json_key(v);
		uint16_t i = shape_field(s, type, key);
		const struct shape_row *row = i ? &s->rows[i] : &word;
		size_t start, end;

		json_span(v, &start, &end);
		if (!end)
			continue; /* not from the body */
		if (!i && !(top && (str_is(key, "metadata") || str_is(key, "kind") ||
				    str_is(key, "apiVersion"))))
			continue;
		if (!i && str_is(key, "metadata"))
			row = &meta;
		decode_value(m, row, row->flags, v);
		add_step(m, S(": "));
		add_step(m,
			 row == &meta ? S("ObjectMeta") : go_field(m->c->a, str_z(m->c->a, key)));
		if (row == &word)
			add_step(m, S("TypeMeta: "));
	}
	add_step(m, go_type(m, &s->rows[type], "", "."));
}

struct str sb_misfit(struct sb_call *c, uint16_t type, const struct json *object,
		     const struct json *whole, struct str why, bool restored)
{
	const struct sb_types *t = &c->sb->kinds.types;
	struct misfit m = { .c = c, .why = why, .restore = restored };
	struct str body = c->r->body;
	size_t start, end, near, far;
	struct buf b;

	m.blame = shape_blame(c->a, &t->shapes, type, 0, object);
	json_span(m.blame, &start, &end);
	buf_init(&m.what, c->a);
	if (end && end <= body.n)
		decode_struct(&m, c->r->kind->type, whole);
	if (!m.found)
		return why; /* it was not in the body */
	if (restored)
		return buf_str(&m.what);
	near = m.head > 10 ? m.head - 10 : 0;
	far = m.head > 50 ? m.head - 50 : 0;
	buf_init(&b, c->a);
	for (size_t i = m.way.n; i-- > 0;)
		buf_add(&b, m.way.v[i]);
	buf_addf(&b,
		 "%.*s, error found in #%zu byte of ...|%.*s|..., bigger "
		 "context ...|%.*s|...",
		 STRF(buf_str(&m.what)), m.head - near, STRF(str_sub(body, near, m.head + 10)),
		 STRF(str_sub(body, far, m.head + 50)));
	return buf_str(&b);
}
