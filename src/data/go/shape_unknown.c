/*
 * Members that a struct does not have, and the field that each is most similar to by edit distance.
 */
#include "shape_reader.h"

struct walk {
	struct arena *a;
	const struct shapes *s;
	unsigned mode;
	struct shape_unknowns *out;
};

static struct str nearest(const struct shapes *s, uint16_t type, struct str name)
{
	size_t best_d = 1 + name.n; /* any */
	struct str best = S("");

	for (uint16_t i = type + 1; i < s->n && !(s->rows[i].flags & SHAPE_OPEN); i++) {
		struct str have = str_of(shape_pool(s, s->rows[i].name));
		size_t d = str_eq_fold(name, have) ? 0 : str_distance(name, have);

		/* a larger distance means another word */
		if (d <= 1 + name.n / 3 && d < best_d) {
			best_d = d;
			best = have;
		}
	}
	return best;
}

static struct str below(struct walk *w, struct str path, struct str name)
{
	return path.n ? str_fmt(w->a, "%.*s.%.*s", STRF(path), STRF(name)) : name;
}

static void walk_struct(struct walk *w, uint16_t type, const struct json *j, struct str path);

/* A value of the row's type, in the containers of flags. */
static void walk_value(struct walk *w, const struct shape_row *row, unsigned flags,
		       const struct json *j, struct str path)
{
	size_t i = 0;

	if (!(flags & (SHAPE_MAP | SHAPE_LIST))) {
		walk_struct(w, row->type, j, path);
		return;
	}
	if (json_kind(j) != (flags & SHAPE_MAP ? JSON_OBJECT : JSON_ARRAY))
		return;
	for (const struct json *e = json_first(j); e; e = json_next(e), i++)
		walk_value(
			w, row, flags & SHAPE_MAP ? flags & SHAPE_LIST : 0, e,
			below(w, path, flags & SHAPE_MAP ? json_key(e) : str_fmt(w->a, "%zu", i)));
}

static void walk_struct(struct walk *w, uint16_t type, const struct json *j, struct str path)
{
	if (json_kind(j) != JSON_OBJECT)
		return;
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		struct str name = json_key(m);
		const struct shape_row *row = shape_row_of(w->s, type, w->mode, name);
		struct shape_unknown u = { .member = m };

		if (row && row->kind == SHAPE_STRUCT)
			walk_value(w, row, row->flags, m, below(w, path, name));
		if (row || w->out->n >= SHAPE_UNKNOWN_MAX)
			continue;
		u.path = below(w, path, name);
		u.meant = nearest(w->s, type, name);
		VEC_PUSH(w->a, w->out, u);
	}
}

void shape_find_unknown(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
			const struct json *j, struct str path, struct shape_unknowns *out)
{
	struct walk w = { a, s, mode, out };

	walk_struct(&w, type, j, path);
}
