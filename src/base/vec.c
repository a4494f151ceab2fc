/*
 * The growth of VEC: capacity doubles, so n pushes cost O(n).
 */
#include "base/vec.h"

#include <stdlib.h>

void *vec_grow(struct arena *a, void *v, size_t *cap, size_t size)
{
	size_t old = *cap, more = old ? old * 2 : 8;

	if (more > SIZE_MAX / 2 / size)
		abort();
	*cap = more;
	return arena_grow(a, v, old * size, more * size);
}

bool strs_eq(const struct strs *x, const struct strs *y)
{
	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (!str_eq(x->v[i], y->v[i]))
			return false;
	return true;
}
