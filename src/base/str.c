/*
 * Views of bytes. No function here reads beyond s.n or needs a NUL; those that copy
 * take an arena.
 */
#include "base/str.h"

#include "base/scan.h"

extern inline struct str str_of(const char *z);
extern inline bool str_eq(struct str a, struct str b);
extern inline bool str_is(struct str s, const char *z);

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

bool str_eq_fold(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_eq(str_sub(s, 0, prefix.n), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_eq(str_from(s, s.n - suffix.n), suffix);
}

struct str str_from(struct str s, size_t i)
{
	return str_sub(s, i, s.n);
}

struct str str_sub(struct str s, size_t i, size_t j)
{
	if (j > s.n)
		j = s.n;
	if (i > j)
		i = j;
	return (struct str){ s.p ? s.p + i : s.p, j - i };
}

ptrdiff_t str_chr(struct str s, char c)
{
	size_t i = scan_byte(s.p, s.n, c);

	return i < s.n ? (ptrdiff_t)i : -1;
}

ptrdiff_t str_rchr(struct str s, char c)
{
	const char *q = s.n ? memrchr(s.p, c, s.n) : NULL;

	return q ? q - s.p : -1;
}

ptrdiff_t str_find(struct str s, struct str needle)
{
	const char *q;

	if (!needle.n)
		return 0;
	q = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
	return q ? q - s.p : -1;
}

bool str_cut(struct str s, char c, struct str *before, struct str *after)
{
	ptrdiff_t i = str_chr(s, c);

	if (i < 0)
		return false;
	*before = str_sub(s, 0, (size_t)i);
	*after = str_from(s, (size_t)i + 1);
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0]))
		s = str_from(s, 1);
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_line(struct str *rest, struct str *line)
{
	if (!rest->n)
		return false;
	if (!str_cut(*rest, '\n', line, rest)) {
		*line = *rest;
		*rest = str_from(*rest, rest->n);
	}
	return true;
}

char *str_z(struct arena *a, struct str s)
{
	return arena_dup(a, s.p, s.n);
}

struct str str_dup(struct arena *a, struct str s)
{
	return (struct str){ arena_dup(a, s.p, s.n), s.n };
}

bool str_to_i64(struct str s, int64_t *out)
{
	bool neg = s.n && s.p[0] == '-';
	uint64_t v = 0, max = neg ? (uint64_t)1 << 63 : INT64_MAX;

	if (neg)
		s = str_from(s, 1);
	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)(unsigned char)s.p[i] - '0';

		if (d > 9 || v > (max - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* One row of the edit matrix is enough; names longer than it are not alike. */
#define DISTANCE_MAX 63

size_t str_distance(struct str a, struct str b)
{
	size_t row[DISTANCE_MAX + 1];

	if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diag = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t best = diag + (a.p[i - 1] != b.p[j - 1]);

			diag = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b.n];
}
