/*
 * Merges two KubeletConfigurations as upstream does with mergo: by Go's zero values, not
 * by presence.
 */
#include "base/duration.h"
#include "base/num.h"
#include "kubelet_parts.h"
#include "mc/types.h"

struct merge {
	struct arena *a;
	const struct shapes *s;
};

static struct str name_of(const struct merge *m, const struct shape_row *row)
{
	return str_of(m->s->pool + row->name);
}

/* Go's zero value. A quantity is text, "0" too. */
static bool is_zero(const struct json *j)
{
	struct str text = json_text(j);

	switch (json_kind(j)) {
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return !json_is_true(j);
	case JSON_NUMBER:
		return str_is(text, "0") || str_is(text, "-0");
	case JSON_STRING:
		return text.n == 0;
	case JSON_ARRAY:
	case JSON_OBJECT:
		return json_len(j) == 0;
	}
	return true;
}

static int64_t nanoseconds(struct arena *a, const struct json *j)
{
	struct err err = ERR_INIT(a);
	int64_t ns = 0;

	if (json_kind(j) == JSON_STRING)
		(void)duration_parse(json_text(j), &ns, &err);
	else if (json_kind(j) == JSON_NUMBER)
		(void)str_to_i64(json_text(j), &ns);
	return ns;
}

/* Two fields in Go: the duration, and whether it is written as text. */
static void merge_timedur(struct merge *m, struct json *base, struct str name,
			  const struct json *over)
{
	const struct json *now = json_member(base, name);
	int64_t ns = nanoseconds(m->a, over);
	bool text = json_kind(now) == JSON_STRING || json_kind(over) == JSON_STRING;
	struct buf b;

	if (!ns)
		ns = nanoseconds(m->a, now);
	buf_init(&b, m->a);
	if (text)
		duration_add(&b, ns);
	json_set(base, name, text ? json_new_str(m->a, buf_str(&b)) : json_new_i64(m->a, ns));
}

static void merge_map(struct merge *m, struct json *base, struct str name, const struct json *over)
{
	struct json *map = json_member(base, name);

	if (!map) {
		json_set(base, name, json_clone(m->a, over));
		return;
	}
	for (const struct json *e = json_first(over); e; e = json_next(e))
		json_set(map, json_key(e), json_clone(m->a, e));
}

static void merge_struct(struct merge *m, uint16_t type, struct json *base,
			 const struct json *over);

static void merge_object(struct merge *m, const struct shape_row *row, struct json *base,
			 const struct json *over)
{
	struct str name = name_of(m, row);
	struct json *now = json_member(base, name);

	if (!now) {
		now = json_new(m->a, JSON_OBJECT);
		json_set(base, name, now);
	}
	merge_struct(m, row->type, now, over);
}

/* True when the member replaces that of base as a whole. */
static bool replaces(struct merge *m, const struct shape_row *row, const struct json *base,
		     const struct json *over)
{
	if (row->flags & SHAPE_PTR && !json_member(base, name_of(m, row)))
		return true;
	if (row->kind == SHAPE_QUANTITY && !(row->flags & SHAPE_LIST))
		return false; /* its Go fields are unexported */
	if (row->kind == SHAPE_DURATION)
		return nanoseconds(m->a, over) != 0;
	return !is_zero(over);
}

static void merge_field(struct merge *m, const struct shape_row *row, struct json *base,
			const struct json *over)
{
	struct str name = name_of(m, row);
	bool whole = row->kind != SHAPE_STRUCT || row->flags & SHAPE_LIST ||
		     (row->flags & SHAPE_PTR && !json_member(base, name));

	if (row->flags & SHAPE_MAP)
		merge_map(m, base, name, over);
	else if (!whole)
		merge_object(m, row, base, over);
	else if (row->kind == SHAPE_TIMEDUR)
		merge_timedur(m, base, name, over);
	else if (replaces(m, row, base, over))
		json_set(base, name, json_clone(m->a, over));
}

static void merge_struct(struct merge *m, uint16_t type, struct json *base, const struct json *over)
{
	for (const struct json *e = json_first(over); e; e = json_next(e)) {
		uint16_t row = shape_field(m->s, type, json_key(e));

		if (row)
			merge_field(m, &m->s->rows[row], base, e);
	}
}

void kubelet_merge(struct arena *a, struct json *base, const struct json *over)
{
	struct merge m = { a, &mc_shapes };

	merge_struct(&m, MC_T_KubeletConfiguration, base, over);
}
