/*
 * The errors of the API server for an object that does not fit its struct. A body is decoded as
 * encoding/json does it. The result of a strategic patch is a tree, not text, and is converted to a
 * struct: that error has no path.
 */
#include "sandbox/write.h"

struct misfit {
	struct sb_call *c;
	const struct json *blame;
	struct str why; /* the error of the struct's decoder */
	struct buf what;
};

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

/* Why a value of the tree cannot be converted to the type of the field. */
static void blame_value(struct misfit *m, const struct shape_row *row, unsigned flags)
{
	static const char *const names[] = { NULL, "string", "bool", "int32", "int64" };
	const char *have = go_kind(m->blame);

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

static void search_struct(struct misfit *m, uint16_t type, const struct json *object);

static void search_value(struct misfit *m, const struct shape_row *row, unsigned flags,
			 const struct json *v)
{
	bool in = flags & (SHAPE_MAP | SHAPE_LIST);
	unsigned inner = flags & SHAPE_MAP ? flags & SHAPE_LIST : 0;

	if (v == m->blame)
		blame_value(m, row, flags);
	else if (!in && row->kind == SHAPE_STRUCT)
		search_struct(m, row->type, v);
	for (const struct json *e = json_first(v); e && in && !m->what.n; e = json_next(e))
		search_value(m, row, inner, e);
}

static void search_struct(struct misfit *m, uint16_t type, const struct json *object)
{
	const struct sb_types *t = &m->c->sb->kinds.types;
	const struct shape_row meta = { .type = types_find(t, S("ObjectMeta")) };

	for (const struct json *v = json_first(object); v && !m->what.n; v = json_next(v)) {
		uint16_t i = shape_field(&t->shapes, type, json_key(v));

		if (i)
			search_value(m, &t->shapes.rows[i], t->shapes.rows[i].flags, v);
		else if (type == m->c->r->kind->type && str_is(json_key(v), "metadata"))
			search_value(m, &meta, 0, v);
	}
}

struct str sb_misfit(struct sb_call *c, uint16_t type, const struct json *object,
		     const struct json *whole, struct str why)
{
	struct misfit m = { .c = c, .why = why };

	m.blame = shape_blame(c->a, &c->sb->kinds.types.shapes, type, 0, object);
	buf_init(&m.what, c->a);
	search_struct(&m, c->r->kind->type, whole);
	return m.what.n ? buf_str(&m.what) : why;
}

struct str sb_meta_misfit(struct sb_call *c, struct str why)
{
	struct str field = S("struct field ObjectMeta."), value = S("value of type v1.ObjectMeta");
	ptrdiff_t at = str_find(why, field);

	if (at >= 0)
		return str_fmt(c->a, "%.*s%.*smetadata.%.*s", (int)at, why.p, STRF(field),
			       STRF(str_from(why, (size_t)at + field.n)));
	at = str_find(why, value);
	if (at >= 0)
		return str_fmt(c->a, "%.*sstruct field %.*s.metadata of type v1.ObjectMeta",
			       (int)at, why.p, STRF(c->r->kind->kind));
	return why;
}
