/*
 * glob: shell patterns: * ? [a-z] [!a-z], without escapes.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/str.h"

/* Matches all of s. A '[' that is not closed matches itself. */
bool glob_match(struct str pattern, struct str s);

#endif
