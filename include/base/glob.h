/*
 * glob: shell patterns: * ? [a-z] [!a-z], without escapes.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/str.h"

/* All of s fits the pattern. A '[' that is never closed stands for itself. */
bool glob_match(struct str pattern, struct str s);

#endif
