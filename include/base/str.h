/*
 * str: a view of bytes owned elsewhere; passed by value, without a NUL at the end.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* Elements of an array (not of a pointer). */
#define ARRAY_LEN(x) (sizeof(x) / sizeof((x)[0]))

struct str {
	const char *p;
	size_t n;
};

/* A literal as a str; STRF goes with %.*s. */
#define S(lit) ((struct str)S_INIT(lit))
/* The same as an initialiser, for static tables. */
#define S_INIT(lit)                     \
	{                               \
		"" lit, sizeof(lit) - 1 \
	}
#define STRF(s) (int)(s).n, (s).p

/* Inline where that is fast; where code is made small it calls the one in str.c. */
inline struct str str_of(const char *z)
{
	return (struct str){ z, z ? strlen(z) : 0 };
}

inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

inline bool str_is(struct str s, const char *z)
{
	return str_eq(s, str_of(z));
}

/* Bytewise order, a prefix before what it is a prefix of. */
int str_cmp(struct str a, struct str b);

/* ASCII letters of either case count as equal. */
bool str_eq_fold(struct str a, struct str b);

bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* The bytes from i (at most s.n) up to j, or to the end. */
struct str str_from(struct str s, size_t i);
struct str str_sub(struct str s, size_t i, size_t j);

/* The offset of the first (last) c or needle, or -1. */
ptrdiff_t str_chr(struct str s, char c);
ptrdiff_t str_rchr(struct str s, char c);
ptrdiff_t str_find(struct str s, struct str needle);

/* Splits at the first c. False when there is none; outputs then untouched. */
bool str_cut(struct str s, char c, struct str *before, struct str *after);

/* Without ASCII white space at both ends. */
struct str str_trim(struct str s);

/* Takes the next line (without its \n) off *rest. False at the end. */
bool str_line(struct str *rest, struct str *line);

/* A C string in a; and a copy that outlives what s views. */
char *str_z(struct arena *a, struct str s);
struct str str_dup(struct arena *a, struct str s);

/* Base 10, whole string, no sign but '-'. False when not a number or too big. */
bool str_to_i64(struct str s, int64_t *out);

/* How many single-byte edits lead from a to b: for "did you mean". */
size_t str_distance(struct str a, struct str b);

#endif
