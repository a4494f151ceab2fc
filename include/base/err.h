/*
 * err: why something failed, named by what the caller does next.
 *
 * What can fail returns 0 or -code and takes struct err * last: untouched on
 * success, and never NULL. Its text lives in the arena given at the start, so it
 * may be as long as a validation report.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/buf.h"

enum err_code {
	ERR_INVALID = 1, /* bad input: report, never retry */
	ERR_NOTFOUND, /* not there: often an answer, not a fault */
	ERR_CONFLICT, /* changed in between: read and plan again */
	ERR_GONE, /* too old to resume: list again */
	ERR_AGAIN, /* for now: back off and retry */
	ERR_LIMIT, /* larger or deeper than we accept */
	ERR_SYS, /* the operating system refused */
};

struct err {
	struct arena *a;
	enum err_code code;
	struct str msg;
};

/* The code of a result that is not 0. */
static inline enum err_code err_code(int rc)
{
	return (enum err_code)(-rc);
}

#define ERR_INIT(arena) ((struct err){ .a = (arena) })

/* Sets code and text; returns -code. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "<text>: " before the message; returns -code. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ERR_SYS (ERR_NOTFOUND for ENOENT) with ": <errno's text>" behind the text. */
int err_sys(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* These never return 0; the attribute tells compilers and analyzers. */
static inline int err_negative(int rc)
{
	if (rc >= 0)
		__builtin_unreachable();
	return rc;
}
#define err_set(...) err_negative((err_set)(__VA_ARGS__))
#define err_wrap(...) err_negative((err_wrap)(__VA_ARGS__))
#define err_sys(...) err_negative((err_sys)(__VA_ARGS__))

#endif
