/*
 * types: the structs of the built-in kinds in an API server, with their defaults and validation
 * rules.
 */
#ifndef SANDBOX_TYPES_H
#define SANDBOX_TYPES_H

#include "data/shape.h"

struct sb_causes;

/* Field num of the struct outer, which is embedded in another one, or 0 for that one itself. */
#define SB_EMBEDDED(outer, num) ((uint16_t)((outer) << 8 | ((num)&255)))

/* The rules of a field; p is NULL for none. */
struct sb_rule {
	struct str dflt; /* the default value */
	struct str must; /* validation rules */
	/* the number in protobuf; outer: SB_EMBEDDED of the struct that has the field, or 0 */
	uint16_t outer, num;
	bool micro; /* a time with microseconds */
};

struct sb_types {
	struct shapes shapes;
	struct sb_rule *rules; /* by row */
};

/* Parses builtin/types; text must outlive *out. */
void types_init(struct arena *a, struct str text, struct sb_types *out);

/* The row that opens the struct of that name, or 0. */
uint16_t types_find(const struct sb_types *t, struct str name);

/* Sets the defaults that a held object lacks. */
void types_fill(struct arena *a, const struct sb_types *t, uint16_t type, struct json *held);

/* Adds the faults of an object's fields; path is that of the object. */
void types_check(struct arena *a, const struct sb_types *t, uint16_t type,
		 const struct json *object, struct str path, struct sb_causes *causes);

#endif
