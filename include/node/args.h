/*
 * args: the argument list of a program, which grows in an arena.
 */
#ifndef NODE_ARGS_H
#define NODE_ARGS_H

#include "base/buf.h"
#include "base/str.h"

/* Initialise with { .a = arena }. Words are not copied. */
struct args {
	struct arena *a;
	const char **v;
	size_t n, cap;
};

void args_add(struct args *l, const char *word);
void args_addf(struct args *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Adds words separated by single spaces: "systemctl restart %s". A %s is exactly one argument,
 * whatever it contains; a NULL is left out. There are no other conversions.
 */
void args_words(struct args *l, const char *words, ...);
void args_vwords(struct args *l, const char *words, va_list ap);

/* The list with a NULL at its end, for execve; valid until the next change. */
const char *const *args_end(struct args *l);

#endif
