/*
 * The type tables of types.def, built by the preprocessor. Each name is stored once.
 */
#include "mc/types.h"

enum {
	OMIT = SHAPE_OMIT,
	PTR = SHAPE_PTR,
	LIST = SHAPE_LIST,
	MAP = SHAPE_MAP,
	ZERO = SHAPE_ZERO,
};

/*
 * All names, concatenated. They are members of a struct of arrays, so that the compiler computes
 * the offsets, which need two bytes in a row.
 */
struct pool {
	char none[1];
#define NAME(field) char n_##field[sizeof(#field)];
#define NAMED(pkg, name) char n_##pkg##_##name[sizeof(#pkg "." #name)];
#include "mc/names.def"
#undef NAME
#undef NAMED
#define STRUCT(type, name) char type##_[sizeof(name)];
#define F(type, field, kind, flags)
#define N(type, field, kind, flags, pkg, named)
#define R(type, field, of, flags)
#include "mc/types.def"
#undef STRUCT
};

_Static_assert(sizeof(struct pool) <= UINT16_MAX, "offsets have 16 bits");

static const struct pool pool = {
	.none = "",
#define NAME(field) .n_##field = #field,
#define NAMED(pkg, name) .n_##pkg##_##name = #pkg "." #name,
#include "mc/names.def"
#define STRUCT(type, name) .type##_ = name,
#include "mc/types.def"
#undef STRUCT
#undef F
#undef N
#undef R
};

#define AT(member) offsetof(struct pool, member)

static const struct shape_row rows[] = {
	{ 0, 0, SHAPE_STRUCT, SHAPE_OPEN },
#define STRUCT(type, name) { AT(type##_), 0, SHAPE_STRUCT, SHAPE_OPEN },
#define F(type, field, kind, flags) { AT(n_##field), 0, SHAPE_##kind, (flags) },
#define N(type, field, kind, flags, pkg, named) \
	{ AT(n_##field), AT(n_##pkg##_##named), SHAPE_##kind, (flags) },
#define R(type, field, of, flags) { AT(n_##field), MC_T_##of, SHAPE_STRUCT, (flags) },
#include "mc/types.def"
};

_Static_assert(ARRAY_LEN(rows) == MC_T_COUNT, "rows and their names are one table");

const struct shapes mc_shapes = { rows, (const char *)&pool, MC_T_COUNT };
