/*
 * Three walks over a config, each depth first, a struct before its members: the rules
 * of the types, duplicate list entries, unused keys.
 */
#include "check.h"

#include "base/map.h"
#include "base/num.h"

/* ---- entries ------------------------------------------------------------- */

static void add_entry(struct ign_check *c, const char *below, const char *message, bool fatal,
		      bool at_key)
{
	struct ign_entry e = { .fatal = fatal, .at_key = at_key };
	size_t n = c->path.n;

	if (*below) {
		if (n)
			buf_addc(&c->path, '.');
		buf_addz(&c->path, below);
	}
	e.path = str_dup(c->a, buf_str(&c->path));
	c->path.n = n;
	e.message = str_dup(c->a, str_of(message));
	VEC_PUSH(c->a, c->report, e);
	c->report->fatal = c->report->fatal || fatal;
}

void ign_error(struct ign_check *c, const char *below, const char *message)
{
	add_entry(c, below, message, true, false);
}

void ign_warn(struct ign_check *c, const char *below, const char *message)
{
	add_entry(c, below, message, false, false);
}

/* ---- the walk ------------------------------------------------------------ */

struct walk {
	struct ign_check c;
	struct arena *scratch; /* freed after the walk */
	void (*visit)(struct walk *w, const struct ign_obj *o);
};

static void step_name(struct walk *w, const char *name)
{
	if (w->c.path.n)
		buf_addc(&w->c.path, '.');
	buf_addz(&w->c.path, name);
}

static void walk_object(struct walk *w, const struct ign_obj *o);

static void walk_list(struct walk *w, const struct ign_objs *list)
{
	size_t n = w->c.path.n;

	for (size_t i = 0; i < list->n; i++) {
		buf_addc(&w->c.path, '.');
		num_add_int(&w->c.path, (struct num_int){ .abs = i });
		walk_object(w, list->v[i]);
		w->c.path.n = n;
	}
}

static void walk_object(struct walk *w, const struct ign_obj *o)
{
	w->visit(w, o);
	for (size_t i = 0; i < o->type->n; i++) {
		const struct ign_field *f = &o->type->fields[i];
		size_t n = w->c.path.n;

		if (f->since > w->c.minor)
			continue;
		if (f->kind == IGN_OBJ && o->v[i].u.o) {
			step_name(w, f->name);
			walk_object(w, o->v[i].u.o);
		} else if (f->kind == IGN_OBJS && o->v[i].u.objs.n) {
			step_name(w, f->name);
			walk_list(w, &o->v[i].u.objs);
		}
		w->c.path.n = n;
	}
}

static void visit_rules(struct walk *w, const struct ign_obj *o)
{
	if (o->type->check)
		o->type->check(&w->c, o);
}

/* ---- duplicates ---------------------------------------------------------- */

static void note_key(struct walk *w, struct map *seen, struct str key, const char *name, size_t i)
{
	if (!map_put(seen, key, w))
		ign_error(&w->c, str_fmt(w->c.a, "%s.%zu", name, i).p, "duplicate entry defined");
}

static void visit_duplicates(struct walk *w, const struct ign_obj *o)
{
	struct map grouped, own;

	map_init(&grouped, w->scratch);
	for (size_t i = 0; i < o->type->n; i++) {
		const struct ign_field *f = &o->type->fields[i];
		struct map *seen = &own;

		if (f->flags & IGN_CONCAT || f->since > w->c.minor)
			continue;
		map_init(&own, w->scratch);
		if (f->flags & IGN_GROUPED)
			seen = &grouped;
		if (f->kind == IGN_STRS)
			for (size_t k = 0; k < o->v[i].u.strs.n; k++)
				note_key(w, seen, o->v[i].u.strs.v[k], f->name, k);
		if (f->kind == IGN_OBJS)
			for (size_t k = 0; k < o->v[i].u.objs.n; k++)
				note_key(w, seen, ign_key(w->scratch, o->v[i].u.objs.v[k]), f->name,
					 k);
	}
}

/* ---- unknown keys -------------------------------------------------------- */

static bool known(const struct ign_type *type, struct str key, int minor)
{
	for (size_t i = 0; i < type->n; i++)
		if (type->fields[i].since <= minor && str_is(key, type->fields[i].name))
			return true;
	return false;
}

static void mismatch(struct walk *w)
{
	ign_warn(&w->c, "",
		 str_fmt(w->c.a,
			 "context tree does not match content tree at $%s%.*s. "
			 "Line and column reporting may be inconsistent. Unused "
			 "keys may not be reported.",
			 w->c.path.n ? "." : "", STRF(buf_str(&w->c.path)))
			 .p);
}

/* The tree is walked along with the objects, so no path is looked up twice. */
static void unused_keys(struct walk *w, const struct ign_type *type, const struct ign_obj *o,
			const struct json *j);

static void unused_below(struct walk *w, const struct ign_field *f, const struct ign_val *v,
			 const struct json *j)
{
	size_t n;

	step_name(w, f->name);
	n = w->c.path.n;
	if (f->kind == IGN_OBJ && json_kind(j) != JSON_OBJECT)
		mismatch(w);
	else if (f->kind == IGN_OBJ)
		unused_keys(w, ign_sub_type(f, w->c.minor), v->u.o, j);
	else if (f->kind == IGN_OBJS && json_kind(j) == JSON_ARRAY) {
		const struct json *e = json_first(j);

		for (size_t i = 0; e && i < v->u.objs.n; i++, e = json_next(e)) {
			buf_addf(&w->c.path, ".%zu", i);
			if (json_kind(e) != JSON_OBJECT)
				mismatch(w);
			else
				unused_keys(w, v->u.objs.v[i]->type, v->u.objs.v[i], e);
			w->c.path.n = n;
		}
	}
}

static void unused_keys(struct walk *w, const struct ign_type *type, const struct ign_obj *o,
			const struct json *j)
{
	static const struct ign_val unset;
	size_t n = w->c.path.n;

	for (const struct json *m = json_first(j); m; m = json_next(m))
		if (!known(type, json_key(m), w->c.minor))
			add_entry(&w->c, str_z(w->c.a, json_key(m)),
				  str_fmt(w->c.a, "Unused key %.*s", STRF(json_key(m))).p, false,
				  true);
	for (size_t i = 0; i < type->n; i++) {
		const struct json *m = json_member(j, str_of(type->fields[i].name));

		if (!m || type->fields[i].since > w->c.minor)
			continue;
		unused_below(w, &type->fields[i], o ? &o->v[i] : &unset, m);
		w->c.path.n = n;
	}
}

void ign_validate(struct arena *a, const struct ign_obj *config, int minor, const struct json *root,
		  struct ign_report *out)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct walk w = { .c = { .a = a, .minor = minor, .report = out }, .scratch = &scratch };

	buf_init(&w.c.path, &scratch);
	w.visit = visit_rules;
	walk_object(&w, config);
	w.visit = visit_duplicates;
	walk_object(&w, config);
	if (root)
		unused_keys(&w, config->type, config, root);
}

/* ---- text ---------------------------------------------------------------- */

/* Item i of an array; the search starts at the last item found, if that is not after i. */
static const struct json *item_at(struct ign_locator *l, const struct json *array, int64_t i)
{
	size_t slot = (size_t)((uintptr_t)array >> 4) % (ARRAY_LEN(l->memo));
	const struct json *item = json_first(array);
	int64_t at = 0;

	if (l->memo[slot].array == array && l->memo[slot].i <= i) {
		item = l->memo[slot].item;
		at = l->memo[slot].i;
	}
	for (; item && at < i; at++)
		item = json_next(item);
	if (item) {
		l->memo[slot].array = array;
		l->memo[slot].item = item;
		l->memo[slot].i = i;
	}
	return item;
}

/* Follows path in the tree as far as it exists; *whole: to its end. */
static const struct json *follow(struct ign_locator *l, struct str path, bool *whole)
{
	const struct json *j = l->root;

	*whole = true;
	while (path.n) {
		const struct json *next;
		struct str name = path;
		int64_t i;

		path = S("");
		(void)str_cut(name, '.', &name, &path);
		if (json_kind(j) == JSON_ARRAY && str_to_i64(name, &i))
			next = item_at(l, j, i);
		else
			next = json_member(j, name);
		if (!next) {
			*whole = false;
			return j;
		}
		j = next;
	}
	return j;
}

/* Counts lines from the last position, or from the start if offset is before it. */
static void line_of(struct ign_locator *l, size_t offset)
{
	if (offset < l->at) {
		l->at = l->start = 0;
		l->line = 1;
	}
	for (;;) {
		struct str rest = str_sub(l->text, l->at, offset);
		ptrdiff_t nl = str_chr(rest, '\n');

		if (nl < 0)
			break;
		l->at += (size_t)nl + 1;
		l->start = l->at;
		l->line++;
	}
	l->at = offset;
}

void ign_locate(struct ign_locator *l, struct str path, bool at_key, size_t *line, size_t *col)
{
	bool whole;
	const struct json *j = follow(l, path, &whole);
	size_t start, end;

	json_span(j, &start, &end);
	if (at_key && whole)
		start = json_key_pos(j);
	else if (json_kind(j) == JSON_OBJECT || json_kind(j) == JSON_ARRAY)
		start++; /* the position after the bracket */
	line_of(l, start);
	*line = l->line;
	*col = start - l->start + 1;
}

struct str ign_report_text(struct arena *a, const struct ign_report *r, const struct json *root,
			   struct str text)
{
	struct ign_locator l = IGN_LOCATOR(root, text);
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < r->n; i++) {
		const struct ign_entry *e = &r->v[i];

		buf_addf(&b, "%s at $%s%.*s", e->fatal ? "error" : "warning", e->path.n ? "." : "",
			 STRF(e->path));
		if (root) {
			size_t line, col;

			ign_locate(&l, e->path, e->at_key, &line, &col);
			buf_addf(&b, ", line %zu col %zu", line, col);
		}
		buf_addf(&b, ": %.*s\n", STRF(e->message));
	}
	return buf_str(&b);
}
