/*
 * The type tables of crd_types.def, built by the preprocessor.
 */
#include "mc/crd_types.h"

enum {
	LIST = SHAPE_LIST,
	MAP = SHAPE_MAP,
};

/* The names, as in types.c, but with duplicates: there are few. */
struct pool {
	char none[1];
#define STRUCT(type, name) char type##_[sizeof(name)];
#define F(type, field, kind, flags) char type##_##field[sizeof(#field)];
#define R(type, field, of, flags) char type##_##field[sizeof(#field)];
#include "mc/crd_types.def"
#undef STRUCT
#undef F
#undef R
};

_Static_assert(sizeof(struct pool) <= UINT16_MAX, "offsets have 16 bits");

static const struct pool pool = {
	.none = "",
#define STRUCT(type, name) .type##_ = name,
#define F(type, field, kind, flags) .type##_##field = #field,
#define R(type, field, of, flags) .type##_##field = #field,
#include "mc/crd_types.def"
#undef STRUCT
#undef F
#undef R
};

#define AT(member) offsetof(struct pool, member)

static const struct shape_row rows[] = {
	{ 0, 0, SHAPE_STRUCT, SHAPE_OPEN },
#define STRUCT(type, name) { AT(type##_), 0, SHAPE_STRUCT, SHAPE_OPEN },
#define F(type, field, kind, flags) { AT(type##_##field), 0, SHAPE_##kind, (flags) },
#define R(type, field, of, flags) { AT(type##_##field), CRD_T_##of, SHAPE_STRUCT, (flags) },
#include "mc/crd_types.def"
};

_Static_assert(ARRAY_LEN(rows) == CRD_T_COUNT, "rows and their names are one table");

const struct shapes crd_shapes = { rows, (const char *)&pool, CRD_T_COUNT };
