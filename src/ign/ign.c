/*
 * The schema tables, built by the preprocessor, and access to objects. Objects do not
 * change after they are made.
 */
#include "ign/ign.h"

#include "base/map.h"
#include "check.h"
#include "v2.h"

/*
 * The words of messages, concatenated: most are empty, and an offset needs less space than a
 * pointer.
 */
#define TYPE(T, go, check)
#define FIELD(T, F, name, kind, flags, since, sub, go, embed) \
	char T##_##F##_go[sizeof(go)], T##_##F##_embed[sizeof(embed)];
#define END(T)
struct words {
#include "ign/schema.def"
#include "schema2.def"
};
#undef FIELD
#define FIELD(T, F, name, kind, flags, since, sub, go, embed) go, embed,
static const struct words words = {
#include "ign/schema.def"
#include "schema2.def"
};
#undef TYPE
#undef FIELD
#undef END

const char *ign_word(uint16_t word)
{
	return (const char *)&words + word;
}

/* The tables: fields first, then the types that point at them. */
#define TYPE(T, go, check) static const struct ign_field T##_fields[] = {
#define FIELD(T, F, name, kind, flags, since, sub, go, embed) \
	{ name,                                               \
	  SUBTYPE_##kind(sub),                                \
	  IGN_##kind,                                         \
	  flags,                                              \
	  since,                                              \
	  offsetof(struct words, T##_##F##_go),               \
	  offsetof(struct words, T##_##F##_embed) },
#define END(T) \
	{ 0 }, \
	}      \
	;
/* the table has the flags without their prefix */
#define PLAIN IGN_PLAIN
#define KEY IGN_KEY
#define OMIT IGN_OMIT
#define CONCAT IGN_CONCAT
#define GROUPED IGN_GROUPED
#define DROP_UNSET IGN_DROP_UNSET
#define SUBTYPE_STR(sub) NULL
#define SUBTYPE_INT(sub) NULL
#define SUBTYPE_BOOL(sub) NULL
#define SUBTYPE_STRS(sub) NULL
#define SUBTYPE_OBJ(sub) &ign_type_##sub
#define SUBTYPE_OBJS(sub) &ign_type_##sub
#include "ign/schema.def"
#include "schema2.def"
#undef TYPE
#undef FIELD
#undef END

#define TYPE(T, go, check) \
	const struct ign_type ign_type_##T = { go, T##_fields, IGN_##T##_FIELDS, check };
#define FIELD(T, F, name, kind, flags, since, sub, go, embed)
#define END(T)
#include "ign/schema.def"
#include "schema2.def"
#undef TYPE
#undef FIELD
#undef END

struct ign_obj *ign_new(struct arena *a, const struct ign_type *type)
{
	struct ign_obj *o = arena_alloc(a, sizeof(*o) + type->n * sizeof(struct ign_val));

	o->type = type;
	return o;
}

const struct ign_obj *ign_sub(const struct ign_obj *o, int field)
{
	return o ? o->v[field].u.o : NULL;
}

struct str ign_str(const struct ign_obj *o, int field)
{
	return o && o->v[field].set ? o->v[field].u.s : S("");
}

bool ign_is_set(const struct ign_obj *o, int field)
{
	return o && o->v[field].set;
}

bool ign_is_true(const struct ign_obj *o, int field)
{
	return ign_is_set(o, field) && o->v[field].u.b;
}

int64_t ign_int(const struct ign_obj *o, int field, int64_t dflt)
{
	return ign_is_set(o, field) ? o->v[field].u.i : dflt;
}

const struct ign_objs *ign_list(const struct ign_obj *o, int field)
{
	static const struct ign_objs none;

	return o ? &o->v[field].u.objs : &none;
}

const struct strs *ign_strings(const struct ign_obj *o, int field)
{
	static const struct strs none;

	return o ? &o->v[field].u.strs : &none;
}

const struct ign_objs *ign_files(const struct ign_obj *config)
{
	return ign_list(ign_sub(config, IGN_CONFIG_STORAGE), IGN_STORAGE_FILES);
}

const struct ign_objs *ign_units(const struct ign_obj *config)
{
	return ign_list(ign_sub(config, IGN_CONFIG_SYSTEMD), IGN_SYSTEMD_UNITS);
}

static bool zero_value(const struct ign_field *f, const struct ign_val *v)
{
	bool plain = f->flags & IGN_PLAIN;

	switch (f->kind) {
	case IGN_STR:
		return plain ? !v->u.s.n : !v->set;
	case IGN_INT:
		return plain ? !v->u.i : !v->set;
	case IGN_BOOL:
		return !v->set;
	case IGN_OBJ:
		return ign_is_zero(v->u.o);
	case IGN_STRS:
		return !v->u.strs.n;
	case IGN_OBJS:
		return !v->u.objs.n;
	}
	return true;
}

bool ign_is_zero(const struct ign_obj *o)
{
	if (!o)
		return true;
	for (size_t i = 0; i < o->type->n; i++)
		if (!zero_value(&o->type->fields[i], &o->v[i]))
			return false;
	return true;
}

bool ign_eq_lists(const struct ign_objs *x, const struct ign_objs *y)
{
	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (!ign_eq(x->v[i], y->v[i]))
			return false;
	return true;
}

static bool eq_value(const struct ign_field *f, const struct ign_val *x, const struct ign_val *y)
{
	if (f->kind == IGN_OBJ)
		return ign_eq(x->u.o, y->u.o);
	if ((f->flags & IGN_PLAIN) && f->kind == IGN_STR)
		return str_eq(x->u.s, y->u.s);
	if (x->set != y->set)
		return false;
	switch (f->kind) {
	case IGN_STR:
		return str_eq(x->u.s, y->u.s);
	case IGN_INT:
		return x->u.i == y->u.i;
	case IGN_BOOL:
		return x->u.b == y->u.b;
	case IGN_STRS:
		return strs_eq(&x->u.strs, &y->u.strs);
	case IGN_OBJS:
		return ign_eq_lists(&x->u.objs, &y->u.objs);
	case IGN_OBJ:
		break;
	}
	return true;
}

bool ign_eq(const struct ign_obj *x, const struct ign_obj *y)
{
	static const struct ign_val unset;
	const struct ign_type *type = x ? x->type : y ? y->type : NULL;

	for (size_t i = 0; type && i < type->n; i++)
		if (!eq_value(&type->fields[i], x ? &x->v[i] : &unset, y ? &y->v[i] : &unset))
			return false;
	return true;
}

struct str ign_key(struct arena *a, const struct ign_obj *o)
{
	if (o->type == &ign_type_PARTITION) {
		if (o->v[IGN_PARTITION_NUMBER].u.i)
			return str_fmt(a, "number:%lld", (long long)o->v[IGN_PARTITION_NUMBER].u.i);
		if (!o->v[IGN_PARTITION_LABEL].set)
			return S("");
		return str_fmt(a, "label:%.*s", STRF(o->v[IGN_PARTITION_LABEL].u.s));
	}
	for (size_t i = 0; i < o->type->n; i++)
		if (o->type->fields[i].flags & IGN_KEY)
			return ign_str(o, (int)i);
	return S("");
}

void ign_index(struct arena *a, const struct ign_objs *list, struct map *out)
{
	map_init(out, a);
	for (size_t i = 0; i < list->n; i++)
		(void)map_put(out, ign_key(a, list->v[i]), list->v[i]);
}

struct ign_obj *ign_empty(struct arena *a)
{
	struct ign_obj *c = ign_new(a, &ign_type_CONFIG);
	struct ign_obj *i = ign_new(a, &ign_type_IGNITION);

	i->v[IGN_IGNITION_VERSION].set = true;
	i->v[IGN_IGNITION_VERSION].u.s = S("3.5.0");
	c->v[IGN_CONFIG_IGNITION].u.o = i;
	return c;
}
