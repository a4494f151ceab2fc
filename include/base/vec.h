/*
 * vec: a growing array of one type, in an arena.
 *
 *	VEC(struct str) names = { 0 };
 *	VEC_PUSH(a, &names, S("worker"));
 *	for (size_t i = 0; i < names.n; i++) use(names.v[i]);
 *
 * Growing may move the elements: pointers into v last until the next push.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

#define VEC(type)              \
	struct {               \
		type *v;       \
		size_t n, cap; \
	}

#define VEC_PUSH(a, vec, item)                                                              \
	do {                                                                                \
		if ((vec)->n == (vec)->cap)                                                 \
			(vec)->v = vec_grow((a), (vec)->v, &(vec)->cap, sizeof(*(vec)->v)); \
		(vec)->v[(vec)->n++] = (item);                                              \
	} while (0)

/* Doubles the room; *cap is updated. */
void *vec_grow(struct arena *a, void *v, size_t *cap, size_t size);

/* A list of strings. */
struct strs {
	struct str *v;
	size_t n, cap;
};

/* The same strings in the same order. */
bool strs_eq(const struct strs *x, const struct strs *y);

#endif
