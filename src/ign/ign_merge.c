/*
 * Merging by the schema table; ign.h says what each kind of field does. The configs are
 * folded into one accumulator whose lists remember the position of each key, so that
 * the cost of merging a child depends on the size of the child only. A removed entry
 * leaves a hole; holes are closed at the end. (Merging is not associative when entries
 * move between lists: a tree of merges would differ.)
 */
#include "base/map.h"
#include "ign/ign.h"

static void fold_into(struct arena *a, struct ign_obj *to, const struct ign_obj *child);

static void *mark(size_t i)
{
	return (void *)(uintptr_t)(i + 1);
}

/* A copy whose fields and lists may change; the entries of the lists stay shared. */
static struct ign_obj *own(struct arena *a, const struct ign_obj *o)
{
	struct ign_obj *c;

	if (o->own)
		return (struct ign_obj *)(uintptr_t)o;
	c = ign_new(a, o->type);
	memcpy(c->v, o->v, o->type->n * sizeof(struct ign_val));
	c->own = true;
	for (size_t i = 0; i < o->type->n; i++) {
		struct ign_val *v = &c->v[i];

		if (o->type->fields[i].kind == IGN_STRS && v->u.strs.n) {
			v->u.strs.v = arena_array(a, v->u.strs.n, sizeof(struct str));
			memcpy(v->u.strs.v, o->v[i].u.strs.v, v->u.strs.n * sizeof(struct str));
			v->u.strs.cap = v->u.strs.n;
		}
		if (o->type->fields[i].kind == IGN_OBJS && v->u.objs.n) {
			v->u.objs.v = arena_array(a, v->u.objs.n, sizeof(void *));
			memcpy(v->u.objs.v, o->v[i].u.objs.v, v->u.objs.n * sizeof(void *));
			v->u.objs.cap = v->u.objs.n;
		}
	}
	return c;
}

/* The positions of the keys of a list; built at the first lookup. */
static struct map *index_of(struct arena *a, const struct ign_field *f, struct ign_val *v)
{
	if (v->index)
		return v->index;
	v->index = ARENA_NEW(a, struct map);
	map_init(v->index, a);
	for (size_t i = 0; f->kind == IGN_STRS && i < v->u.strs.n; i++)
		(void)map_put(v->index, v->u.strs.v[i], mark(i));
	for (size_t i = 0; f->kind == IGN_OBJS && i < v->u.objs.n; i++)
		(void)map_put(v->index, ign_key(a, v->u.objs.v[i]), mark(i));
	return v->index;
}

static void take_out(struct arena *a, const struct ign_field *f, struct ign_val *v, struct str key)
{
	struct map_entry *e = map_find(index_of(a, f, v), key);
	size_t i;

	if (!e || !e->value)
		return;
	i = (size_t)(uintptr_t)e->value - 1;
	e->value = NULL;
	if (f->kind == IGN_STRS)
		v->u.strs.v[i].p = NULL;
	else
		v->u.objs.v[i] = NULL;
	v->holes = true;
}

/* An entry that is added to one list of a group is removed from the others. */
static void leave_others(struct arena *a, struct ign_obj *to, size_t here, struct str key)
{
	for (size_t i = 0; i < to->type->n; i++) {
		const struct ign_field *f = &to->type->fields[i];

		if (i != here && (f->flags & IGN_GROUPED))
			take_out(a, f, &to->v[i], key);
	}
}

static void fold_strs(struct arena *a, struct ign_obj *to, size_t i, const struct strs *child)
{
	const struct ign_field *f = &to->type->fields[i];
	struct ign_val *v = &to->v[i];

	for (size_t k = 0; k < child->n; k++) {
		if (!(f->flags & IGN_CONCAT)) {
			struct map *m = index_of(a, f, v);

			if (f->flags & IGN_GROUPED)
				leave_others(a, to, i, child->v[k]);
			if (map_get(m, child->v[k]))
				continue;
			(void)map_put(m, child->v[k], mark(v->u.strs.n));
		}
		VEC_PUSH(a, &v->u.strs, child->v[k]);
	}
}

static void fold_entry(struct arena *a, struct ign_obj *to, size_t i, struct ign_obj *child)
{
	const struct ign_field *f = &to->type->fields[i];
	struct ign_val *v = &to->v[i];
	struct str key = ign_key(a, child);
	struct map *m = index_of(a, f, v);
	size_t at;

	if (f->flags & IGN_GROUPED)
		leave_others(a, to, i, key);
	at = (size_t)(uintptr_t)map_get(m, key);
	if (!at) {
		(void)map_put(m, key, mark(v->u.objs.n));
		VEC_PUSH(a, &v->u.objs, child);
		return;
	}
	if ((f->flags & IGN_DROP_UNSET) && !ign_is_set(child, IGN_HEADER_VALUE)) {
		take_out(a, f, v, key);
		return;
	}
	v->u.objs.v[at - 1] = own(a, v->u.objs.v[at - 1]);
	fold_into(a, v->u.objs.v[at - 1], child);
}

static void fold_value(struct arena *a, struct ign_obj *to, size_t i, const struct ign_val *child)
{
	const struct ign_field *f = &to->type->fields[i];
	struct ign_val *v = &to->v[i];

	switch (f->kind) {
	case IGN_STR:
	case IGN_INT:
	case IGN_BOOL:
		if (child->set || (f->flags & IGN_PLAIN))
			*v = *child;
		return;
	case IGN_OBJ:
		if (ign_is_zero(child->u.o))
			return;
		v->u.o = v->u.o ? own(a, v->u.o) : ign_new(a, f->sub);
		v->u.o->own = true;
		fold_into(a, v->u.o, child->u.o);
		return;
	case IGN_STRS:
		v->set = v->set || child->set;
		fold_strs(a, to, i, &child->u.strs);
		return;
	case IGN_OBJS:
		v->set = v->set || child->set;
		for (size_t k = 0; k < child->u.objs.n; k++) {
			if (f->flags & IGN_CONCAT)
				VEC_PUSH(a, &v->u.objs, child->u.objs.v[k]);
			else
				fold_entry(a, to, i, child->u.objs.v[k]);
		}
		return;
	}
}

/* child must not be zero: a zero child changes nothing. */
static void fold_into(struct arena *a, struct ign_obj *to, const struct ign_obj *child)
{
	for (size_t i = 0; i < child->type->n; i++)
		fold_value(a, to, i, &child->v[i]);
}

static void close_list(const struct ign_field *f, struct ign_val *v)
{
	size_t n = 0;

	v->index = NULL;
	if (!v->holes)
		return;
	v->holes = false;
	if (f->kind == IGN_STRS) {
		for (size_t i = 0; i < v->u.strs.n; i++)
			if (v->u.strs.v[i].p)
				v->u.strs.v[n++] = v->u.strs.v[i];
		v->u.strs.n = n;
		return;
	}
	for (size_t i = 0; i < v->u.objs.n; i++)
		if (v->u.objs.v[i])
			v->u.objs.v[n++] = v->u.objs.v[i];
	v->u.objs.n = n;
}

/* Only objects that were changed can have holes. */
static void close_holes(struct ign_obj *o)
{
	if (!o || !o->own)
		return;
	o->own = false;
	for (size_t i = 0; i < o->type->n; i++) {
		const struct ign_field *f = &o->type->fields[i];

		if (f->kind == IGN_STRS || f->kind == IGN_OBJS)
			close_list(f, &o->v[i]);
		if (f->kind == IGN_OBJ)
			close_holes(o->v[i].u.o);
		for (size_t k = 0; f->kind == IGN_OBJS && k < o->v[i].u.objs.n; k++)
			close_holes(o->v[i].u.objs.v[k]);
	}
}

struct ign_obj *ign_fold(struct arena *a, const struct ign_objs *configs)
{
	struct ign_obj *all = own(a, configs->v[0]);

	for (size_t i = 1; i < configs->n; i++)
		if (!ign_is_zero(configs->v[i]))
			fold_into(a, all, configs->v[i]);
	close_holes(all);
	return all;
}
