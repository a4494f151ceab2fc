/*
 * Encodes objects as JSON trees by the schema table, in the order of Go's encoder and without the
 * members that it omits.
 */
#include "ign/ign.h"

#define ALL 99

static struct json *encode(struct arena *a, const struct ign_obj *o, int minor);

static bool is_left_out(const struct ign_field *f, const struct ign_val *v)
{
	bool keep = (f->flags & IGN_PLAIN) && !(f->flags & IGN_OMIT);

	switch (f->kind) {
	case IGN_STR:
		return !keep && (f->flags & IGN_OMIT ? !v->u.s.n : !v->set);
	case IGN_INT:
		return !keep && (f->flags & IGN_OMIT ? !v->u.i : !v->set);
	case IGN_BOOL:
		return !v->set;
	case IGN_OBJ:
		return !keep && ign_is_zero(v->u.o);
	case IGN_STRS:
		return !v->u.strs.n;
	case IGN_OBJS:
		return !v->u.objs.n;
	}
	return true;
}

static struct json *value(struct arena *a, const struct ign_field *f, const struct ign_val *v,
			  int minor)
{
	struct json *list;

	switch (f->kind) {
	case IGN_STR:
		return json_new_str(a, v->u.s);
	case IGN_INT:
		return json_new_i64(a, v->u.i);
	case IGN_BOOL:
		return json_new_bool(a, v->u.b);
	case IGN_OBJ:
		return encode(a, v->u.o ? v->u.o : ign_new(a, f->sub), minor);
	case IGN_STRS:
		list = json_new(a, JSON_ARRAY);
		for (size_t i = 0; i < v->u.strs.n; i++)
			json_push(list, json_new_str(a, v->u.strs.v[i]));
		return list;
	case IGN_OBJS:
		list = json_new(a, JSON_ARRAY);
		for (size_t i = 0; i < v->u.objs.n; i++)
			json_push(list, encode(a, v->u.objs.v[i], minor));
		return list;
	}
	return NULL;
}

static struct json *encode(struct arena *a, const struct ign_obj *o, int minor)
{
	struct json *j = json_new(a, JSON_OBJECT);

	for (size_t i = 0; i < o->type->n; i++) {
		const struct ign_field *f = &o->type->fields[i];

		if (f->since <= minor && !is_left_out(f, &o->v[i]))
			json_add(j, str_of(f->name), value(a, f, &o->v[i], minor));
	}
	return j;
}

struct json *ign_encode(struct arena *a, const struct ign_obj *config)
{
	return encode(a, config, ALL);
}

struct json *ign_encode_as(struct arena *a, const struct ign_obj *config, int minor)
{
	return encode(a, config, minor);
}
