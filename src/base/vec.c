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
