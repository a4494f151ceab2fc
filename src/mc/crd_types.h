/*
 * crd_types: the kinds of the operator's CRDs that mc/types does not have.
 */
#ifndef MC_CRD_TYPES_H
#define MC_CRD_TYPES_H

#include "data/shape.h"

/* As in mc/types.h. */
enum crd_type {
	CRD_T_NONE,
#define STRUCT(type, name) CRD_T_##type,
#define F(type, field, kind, flags) CRD_T_##type##_##field,
#define R(type, field, of, flags) CRD_T_##type##_##field,
#include "mc/crd_types.def"
#undef STRUCT
#undef F
#undef R
	CRD_T_COUNT,
};

extern const struct shapes crd_shapes;

#endif
