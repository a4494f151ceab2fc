/*
 * Growing strings in an arena. Invariant: after a call b->p has room for b->n bytes and
 * a NUL, and the NUL is there.
 */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

extern inline void buf_addc(struct buf *b, char c);
extern inline struct str buf_str(const struct buf *b);

void buf_init(struct buf *b, struct arena *a)
{
	*b = (struct buf){ .a = a };
}

void buf_reserve(struct buf *b, size_t more)
{
	size_t need = b->n + more + 1, cap = b->cap;

	if (need < more)
		abort();
	if (need <= cap)
		return;
	cap = cap ? 2 * cap : 64;
	if (cap < need) /* often all that is ever added */
		cap = need;
	b->p = arena_grow(b->a, b->p, b->cap, cap);
	b->cap = cap;
}

void buf_add(struct buf *b, struct str s)
{
	buf_reserve(b, s.n);
	if (s.n)
		memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
	b->p[b->n] = '\0';
}

void buf_addz(struct buf *b, const char *z)
{
	buf_add(b, str_of(z));
}

void buf_fill(struct buf *b, char c, size_t n)
{
	buf_reserve(b, n);
	memset(b->p + b->n, c, n);
	b->n += n;
	b->p[b->n] = '\0';
}

/*
 * Formats once, as a rule: into the buffer when it has room for a line, else on the
 * stack. Only what is longer than that is formatted again when its length is known.
 */
void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	char line[256];
	bool roomy = b->cap - b->n >= sizeof(line);
	char *to = roomy ? b->p + b->n : line;
	size_t room = roomy ? b->cap - b->n : sizeof(line);
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(to, room, fmt, again);
	va_end(again);
	if (n < 0)
		abort(); /* our format is invalid: a bug, not input */
	buf_reserve(b, (size_t)n);
	if ((size_t)n >= room)
		(void)vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	else if (!roomy) /* to is line */
		/* cppcheck-suppress uninitvar */
		memcpy(b->p + b->n, line, (size_t)n + 1);
	b->n += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

struct str str_fmt(struct arena *a, const char *fmt, ...)
{
	struct buf b;
	va_list ap;

	buf_init(&b, a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	return buf_str(&b);
}

struct str str_clip(struct arena *a, struct str s, size_t max)
{
	if (s.n <= max)
		return s;
	while (max && ((unsigned char)s.p[max] & 0xC0) == 0x80)
		max--;
	return str_fmt(a, "%.*s…", STRF(str_sub(s, 0, max)));
}
