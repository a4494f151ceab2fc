/*
 * regex: does a string have a match? RE2's syntax as schemas use it: literals,
 * ., classes, \d \s \w and their opposites, groups, |, * + ? {m,n}, ^ and $.
 *
 * Matching takes time in proportion to pattern times text, whatever they are:
 * all ways through the pattern are followed at once.
 */
#ifndef DATA_REGEX_H
#define DATA_REGEX_H

#include "base/err.h"

struct regex;

/* ERR_INVALID when malformed or not of the syntax above, ERR_LIMIT when huge. */
int regex_compile(struct arena *a, struct str pattern, struct regex **out, struct err *err);

/* True when some part of s matches. a is for the search alone. */
bool regex_matches(struct arena *a, const struct regex *r, struct str s);

#endif
