/*
 * Shell patterns, matched without recursion: time is O(pattern * text) at worst.
 */
#include "base/glob.h"

/* Whether c is in the set that begins at p[*i] = '['; *i moves behind it. */
static bool in_set(struct str p, size_t *i, char c)
{
	size_t at = *i + 1;
	bool negated = at < p.n && (p.p[at] == '!' || p.p[at] == '^'), found = false;
	size_t first = at + (negated ? 1 : 0);

	/* A ']' at the beginning is a member. */
	for (at = first; at < p.n && (p.p[at] != ']' || at == first); at++) {
		char from = p.p[at], to = from;

		if (at + 2 < p.n && p.p[at + 1] == '-' && p.p[at + 2] != ']') {
			to = p.p[at + 2];
			at += 2;
		}
		found = found || (c >= from && c <= to);
	}
	if (at >= p.n) { /* not closed */
		(*i)++;
		return c == '[';
	}
	*i = at + 1;
	return found != negated;
}

bool glob_match(struct str p, struct str s)
{
	size_t i = 0, j = 0, star = SIZE_MAX, taken = 0;

	/* Backtracks to the last star only: it takes one more byte each time the rest
	 * does not match; earlier stars need no retry. */
	while (j < s.n) {
		size_t next = i + 1;
		bool fits = false;

		if (i < p.n && p.p[i] == '*') {
			star = i++;
			taken = j;
			continue;
		}
		if (i < p.n && p.p[i] == '[') {
			next = i;
			fits = in_set(p, &next, s.p[j]);
		} else if (i < p.n) {
			fits = p.p[i] == '?' || p.p[i] == s.p[j];
		}
		if (fits) {
			i = next;
			j++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			j = ++taken;
		} else {
			return false;
		}
	}
	while (i < p.n && p.p[i] == '*')
		i++;
	return i == p.n;
}
