/*
 * imageref: names of container images, by the grammar of docker/reference.
 *
 *	host[:port]/path/path[:tag][@algorithm:hex]
 *
 * Strings are views of what was parsed.
 */
#ifndef BASE_IMAGEREF_H
#define BASE_IMAGEREF_H

#include "base/err.h"

struct imageref {
	struct str name; /* host and path */
	struct str tag, digest; /* "" when there is none */
};

/* Any reference with a name; the host may be missing. ERR_INVALID in
 * docker/reference's words. */
int imageref_parse(struct str s, struct imageref *out, struct err *err);

/* A short reference such as "fedora:40": a missing host and path mean
 * docker.io/library. The name is then made in a. */
int imageref_normalized(struct arena *a, struct str s, struct imageref *out, struct err *err);

/* A full reference, to which normalizing would add nothing. */
int imageref_canonical(struct arena *a, struct str s, struct imageref *out, struct err *err);

/* "host[:port]" and "host[:port][/path...]". */
bool imageref_is_host(struct str s);
bool imageref_is_place(struct str s);

#endif
