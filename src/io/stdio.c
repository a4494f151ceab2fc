/*
 * fprintf, by base/print's formats.
 */
#include <stdio.h>

#include "base/buf.h"

#ifdef OWN_PRINTF
int fprintf(FILE *f, const char *fmt, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;
	va_list ap;

	buf_init(&b, &a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	return fwrite(b.p, 1, b.n, f) == b.n ? (int)b.n : -1;
}
#endif
