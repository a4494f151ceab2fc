/*
 * Encoding of held objects as Go marshals the struct: fields in the order of the table, zero values
 * where Go writes them.
 */
#include "shape_reader.h"

struct writer {
	struct arena *a;
	const struct shapes *s;
};

static struct json *put_struct(struct writer *w, uint16_t type, const struct json *j);

static struct json *put_value(struct writer *w, const struct shape_row *row, const struct json *j)
{
	if (row->kind == SHAPE_STRUCT)
		return put_struct(w, row->type, j);
	if (json_kind(j) == JSON_NULL)
		return shape_zero(w->a, row);
	return json_clone(w->a, j);
}

static struct json *put(struct writer *w, const struct shape_row *row, unsigned flags,
			const struct json *j)
{
	struct json *out;

	if (flags & (SHAPE_LIST | SHAPE_MAP | SHAPE_PTR) && json_kind(j) == JSON_NULL)
		return json_new(w->a, JSON_NULL);
	if (flags & SHAPE_MAP) {
		struct shape_members m = shape_sorted(w->a, j);

		out = json_new(w->a, JSON_OBJECT);
		for (size_t i = 0; i < m.n; i++)
			json_add(out, json_key(m.v[i].j),
				 put(w, row, flags & SHAPE_LIST, m.v[i].j));
		return out;
	}
	if (!(flags & SHAPE_LIST))
		return put_value(w, row, j);
	out = json_new(w->a, JSON_ARRAY);
	for (const struct json *e = json_first(j); e; e = json_next(e))
		json_push(out, put_value(w, row, e));
	return out;
}

/* What omitempty omits: never a struct, even an empty one. */
static bool is_empty(const struct shape_row *row, const struct json *j)
{
	if (row->flags & SHAPE_PTR)
		return json_kind(j) == JSON_NULL;
	if (row->flags & (SHAPE_LIST | SHAPE_MAP))
		return json_len(j) == 0;
	switch ((enum shape_kind)row->kind) {
	case SHAPE_STRING:
	case SHAPE_BYTES:
		return json_text(j).n == 0;
	case SHAPE_BOOL:
		return !json_is_true(j);
	case SHAPE_INT32:
	case SHAPE_INT64:
	case SHAPE_UINT32:
	case SHAPE_FLOAT64:
		return json_kind(j) == JSON_NULL || str_is(json_text(j), "0") ||
		       str_is(json_text(j), "-0");
	case SHAPE_STRUCT:
	case SHAPE_TIME:
	case SHAPE_DURATION:
	case SHAPE_TIMEDUR:
	case SHAPE_QUANTITY:
	case SHAPE_INTSTR:
	case SHAPE_RAW:
		return false;
	}
	return false;
}

/* What omitzero omits: also structs of only zeros. */
static bool is_zero(struct writer *w, const struct shape_row *row, const struct json *j)
{
	if (json_kind(j) == JSON_NULL)
		return true;
	if (row->flags & SHAPE_PTR)
		return false;
	if (row->flags & (SHAPE_LIST | SHAPE_MAP))
		return false; /* empty is not nil */
	if (row->kind != SHAPE_STRUCT)
		return is_empty(row, j);
	for (uint16_t i = row->type + 1; i < w->s->n && !(w->s->rows[i].flags & SHAPE_OPEN); i++) {
		const struct shape_row *f = &w->s->rows[i];

		if (!is_zero(w, f, json_member(j, str_of(shape_pool(w->s, f->name)))))
			return false;
	}
	return true;
}

static struct json *put_struct(struct writer *w, uint16_t type, const struct json *j)
{
	struct json *out = json_new(w->a, JSON_OBJECT);

	for (uint16_t i = type + 1; i < w->s->n && !(w->s->rows[i].flags & SHAPE_OPEN); i++) {
		const struct shape_row *row = &w->s->rows[i];
		struct str name = str_of(shape_pool(w->s, row->name));
		const struct json *m = json_member(j, name);

		if (row->flags & SHAPE_OMIT && is_empty(row, m))
			continue;
		if (row->flags & SHAPE_ZERO && is_zero(w, row, m))
			continue;
		json_add(out, name, put(w, row, row->flags, m));
	}
	return out;
}

struct json *shape_marshal(struct arena *a, const struct shapes *s, uint16_t type,
			   const struct json *held)
{
	struct writer w = { a, s };

	return put_struct(&w, type, held);
}
