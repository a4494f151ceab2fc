/*
 * types: the built-in kinds as the structs they are to an API server, with what
 * it fills in and what it refuses.
 */
#ifndef SANDBOX_TYPES_H
#define SANDBOX_TYPES_H

#include "data/shape.h"

struct sb_causes;

/* What is said of a field; texts with p NULL are not. */
struct sb_rule {
	struct str dflt; /* its value when nobody gives one */
	struct str must; /* what it must be */
};

struct sb_types {
	struct shapes shapes;
	struct sb_rule *rules; /* by row */
};

/* Reads the text of builtin/types, which must live as long as out. */
void types_init(struct arena *a, struct str text, struct sb_types *out);

/* The row that opens the struct of that name, or 0. */
uint16_t types_find(const struct sb_types *t, struct str name);

/* Puts in the defaults that a held object lacks. */
void types_fill(struct arena *a, const struct sb_types *t, uint16_t type, struct json *held);

/* What is wrong with an object's fields; path is where it stands. */
void types_check(struct arena *a, const struct sb_types *t, uint16_t type,
		 const struct json *object, struct str path, struct sb_causes *causes);

#endif
