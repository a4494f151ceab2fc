/*
 * types: the Go structs of the API objects that this program reads or writes as a whole.
 */
#ifndef MC_TYPES_H
#define MC_TYPES_H

#include "data/shape.h"

/* MC_T_<Type> opens a struct; MC_T_<Type>_<field> are its fields. */
enum mc_type {
	MC_T_NONE,
#define STRUCT(type, name) MC_T_##type,
#define F(type, field, kind, flags) MC_T_##type##_##field,
#define N(type, field, kind, flags, pkg, named) MC_T_##type##_##field,
#define R(type, field, of, flags) MC_T_##type##_##field,
#include "mc/types.def"
#undef STRUCT
#undef F
#undef N
#undef R
	MC_T_COUNT,
};

extern const struct shapes mc_shapes;

#endif
