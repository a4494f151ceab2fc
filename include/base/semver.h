/*
 * semver: versions as coreos/go-semver reads them: exactly three numbers, of
 * any number of leading zeros, then -pre and +meta.
 */
#ifndef BASE_SEMVER_H
#define BASE_SEMVER_H

#include "base/str.h"

struct semver {
	int64_t major, minor, patch;
	struct str pre, meta; /* views of what was parsed */
};

/* False when s is not a version; *out is then untouched. */
bool semver_parse(struct str s, struct semver *out);

/* <0, 0, >0 by the rules of semver 2.0: meta does not count, pre sorts first. */
int semver_cmp(struct semver a, struct semver b);

/* All parts equal, pre and meta included. */
bool semver_eq(struct semver a, struct semver b);

#endif
