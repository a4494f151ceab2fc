/*
 * Decoding of structs and their containers, as encoding/json does it. The faults and their order
 * are Go's: see shape_reader.h for the two kinds.
 */
#include <stdlib.h>

#include "shape_reader.h"

struct str shape_name(const struct shapes *s, uint16_t type)
{
	struct str full = str_of(shape_pool(s, s->rows[type].name));

	return str_from(full, (size_t)(str_chr(full, '.') + 1));
}

uint16_t shape_field(const struct shapes *s, uint16_t type, struct str name)
{
	for (uint16_t i = type + 1; i < s->n && !(s->rows[i].flags & SHAPE_OPEN); i++)
		if (str_is(name, shape_pool(s, s->rows[i].name)))
			return i;
	return 0;
}

/* Whether the type decodes null itself. */
static bool reads_null(const struct shape_row *row, unsigned flags)
{
	return row->kind == SHAPE_DURATION && !(flags & SHAPE_PTR);
}

static int take_value(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		      unsigned flags, struct json **out);
static int take_struct(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		       struct json **out);

static int by_key(const void *x, const void *y)
{
	const struct shape_member *p = x, *q = y;
	int c = str_cmp(json_key(p->j), json_key(q->j));

	return c ? c : (p->i > q->i) - (p->i < q->i);
}

struct shape_members shape_sorted(struct arena *a, const struct json *j)
{
	struct shape_members m = { 0 };
	size_t n = 0;

	for (struct json *c = json_first(j); c; c = json_next(c)) {
		struct shape_member one = { c, m.n };

		VEC_PUSH(a, &m, one);
	}
	if (m.n)
		qsort(m.v, m.n, sizeof(m.v[0]), by_key);
	for (size_t i = 0; i < m.n; i++)
		if (i + 1 == m.n || !str_eq(json_key(m.v[i].j), json_key(m.v[i + 1].j)))
			m.v[n++] = m.v[i];
	m.n = n;
	return m;
}

static int take_list(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		     struct json **out)
{
	struct json *list = NULL;

	if (json_kind(j) != JSON_ARRAY)
		return shape_wrong_kind(r, j, row, SHAPE_LIST);
	if (r->build)
		list = json_new(r->a, JSON_ARRAY);
	for (const struct json *e = json_first(j); e; e = json_next(e)) {
		struct json *item = NULL;
		int rc = take_value(r, e, row, 0, &item);

		if (rc < 0)
			return rc;
		if (list)
			json_push(list, item ? item : shape_zero(r->a, row));
	}
	*out = list;
	return 0;
}

static int take_map(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		    unsigned flags, struct json **out)
{
	struct shape_members m;
	struct json *map;

	if (json_kind(j) != JSON_OBJECT)
		return shape_wrong_kind(r, j, row, flags);
	map = r->build ? json_new(r->a, JSON_OBJECT) : NULL;
	m = shape_sorted(r->a, j);
	for (size_t i = 0; i < m.n; i++) {
		struct json *item = NULL;
		int rc = take_value(r, m.v[i].j, row, flags & SHAPE_LIST, &item);

		if (rc < 0)
			return rc;
		if (!map)
			continue;
		if (!item)
			item = flags & SHAPE_LIST ? json_new(r->a, JSON_NULL)
						  : shape_zero(r->a, row);
		json_add(map, json_key(m.v[i].j), item);
	}
	*out = map;
	return 0;
}

static int take_any(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		    unsigned flags, struct json **out)
{
	if (json_kind(j) == JSON_NULL && !reads_null(row, flags))
		return 0;
	if (flags & SHAPE_MAP)
		return take_map(r, j, row, flags, out);
	if (flags & SHAPE_LIST)
		return take_list(r, j, row, out);
	if (row->kind == SHAPE_STRUCT)
		return take_struct(r, j, row, out);
	return shape_value(r, j, row, out);
}

static int take_value(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		      unsigned flags, struct json **out)
{
	bool saved = r->saved;
	int rc = take_any(r, j, row, flags, out);

	/* the innermost fault is reported */
	if (rc < 0 ? !r->ended : r->saved && !saved && !r->blame)
		r->blame = j;
	r->ended = rc < 0;
	return rc;
}

const struct shape_row *shape_row_of(const struct shapes *s, uint16_t type, unsigned mode,
				     struct str name)
{
	uint16_t i = shape_field(s, type, name);

	if (i || !(mode & SHAPE_FOLD))
		return i ? &s->rows[i] : NULL;
	for (i = type + 1; i < s->n && !(s->rows[i].flags & SHAPE_OPEN); i++)
		if (str_eq_fold(name, str_of(shape_pool(s, s->rows[i].name))))
			return &s->rows[i];
	return NULL;
}

static int take_member(struct shape_reader *r, const struct json *m, uint16_t type,
		       struct json *object)
{
	const struct shape_row *row = shape_row_of(r->s, type, r->mode, json_key(m));
	struct shape_frame f = { r->at, NULL };
	struct shape_reader inner = *r;
	struct json *item = NULL;
	struct str name;
	int rc;

	if (!row)
		return 0;
	f.name = shape_pool(r->s, row->name);
	name = str_of(f.name);
	inner.at = &f;
	inner.in = shape_name(r->s, type).p;
	/* Go decodes a duplicate object into the result of the first */
	if (object && row->kind == SHAPE_STRUCT && !(row->flags & (SHAPE_LIST | SHAPE_MAP)))
		item = json_member(object, name);
	rc = take_value(&inner, m, row, row->flags, &item);
	r->saved = inner.saved;
	r->ended = inner.ended;
	r->blame = inner.blame;
	if (rc < 0 || !object)
		return rc;
	if (item && json_member(object, name) != item)
		json_set(object, name, item);
	else if (!item && json_kind(m) == JSON_NULL &&
		 row->flags & (SHAPE_PTR | SHAPE_LIST | SHAPE_MAP))
		(void)json_remove(object, name);
	return 0;
}

static int take_struct(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		       struct json **out)
{
	struct json *object = *out;
	int rc = 0;

	if (json_kind(j) != JSON_OBJECT)
		return shape_wrong_kind(r, j, row, 0);
	if (r->build && !object)
		object = json_new(r->a, JSON_OBJECT);
	if (r->mode & SHAPE_SORTED) {
		struct shape_members m = shape_sorted(r->a, j);

		for (size_t i = 0; i < m.n && rc == 0; i++)
			rc = take_member(r, m.v[i].j, row->type, object);
	} else {
		for (const struct json *m = json_first(j); m && rc == 0; m = json_next(m))
			rc = take_member(r, m, row->type, object);
	}
	*out = object;
	return rc;
}

static int read_root(struct shape_reader *r, uint16_t type, const struct json *j,
		     struct json **held)
{
	struct shape_row root = { .type = type, .kind = SHAPE_STRUCT };
	int rc = take_value(r, j, &root, 0, held);

	return r->saved ? -ERR_INVALID : rc;
}

int shape_hold(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
	       const struct json *j, struct json **out, struct err *err)
{
	struct err local = ERR_INIT(a);
	struct shape_reader r = {
		.a = a, .s = s, .mode = mode, .build = out != NULL, .err = &local
	};
	struct json *held = NULL;

	if (read_root(&r, type, j, &held) < 0)
		return err_set(err, ERR_INVALID, "%.*s", STRF(local.msg));
	if (out)
		*out = held ? held : json_new(a, JSON_OBJECT);
	return 0;
}

struct json *shape_blame(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
			 const struct json *j)
{
	struct err local = ERR_INIT(a);
	struct shape_reader r = { .a = a, .s = s, .mode = mode, .err = &local };
	struct json *held = NULL;

	return read_root(&r, type, j, &held) < 0 ? (struct json *)r.blame : NULL;
}
