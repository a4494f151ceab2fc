/*
 * buf: builds a string in an arena.
 *
 * buf_str's view is valid until the buf grows again or its arena is freed. A
 * NUL always follows the bytes, so that b.p is also a C string.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/str.h"

struct buf {
	struct arena *a;
	char *p;
	size_t n, cap;
};

void buf_init(struct buf *b, struct arena *a);

/* Room for more bytes at b->p + b->n; the caller then adds to b->n. */
void buf_reserve(struct buf *b, size_t more);

void buf_add(struct buf *b, struct str s);
void buf_addz(struct buf *b, const char *z);
void buf_fill(struct buf *b, char c, size_t n);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

inline void buf_addc(struct buf *b, char c)
{
	if (b->n + 1 >= b->cap)
		buf_reserve(b, 1);
	b->p[b->n++] = c;
	b->p[b->n] = '\0';
}

inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p ? b->p : "", b->n };
}

/* The formatted string, in a. */
struct str str_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* At most max bytes of it, then "…" when it was cut; never cuts inside a character. */
struct str str_clip(struct arena *a, struct str s, size_t max);

#endif
