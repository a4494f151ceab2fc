/*
 * regex: whether a string has a match, in the part of RE2's syntax that schemas use: literals, .,
 * classes, \d \s \w and their negations, groups, |, * + ? {m,n}, ^ and $.
 *
 * Matching time is at most proportional to pattern length times text length: all alternatives are
 * followed at once, without backtracking.
 */
#ifndef DATA_REGEX_H
#define DATA_REGEX_H

#include "base/err.h"

struct regex;

/* ERR_INVALID when malformed or not in the syntax above, ERR_LIMIT when too large. */
int regex_compile(struct arena *a, struct str pattern, struct regex **out, struct err *err);

/* True when a part of s matches. a is used during the search only. */
bool regex_matches(struct arena *a, const struct regex *r, struct str s);

#endif
