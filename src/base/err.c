/*
 * Error messages, built in the arena that the caller put into struct err. Invariant: a
 * call sets code and text together.
 */
#include "base/err.h"

#include <errno.h>

static int set(struct err *err, enum err_code code, const char *fmt, va_list ap, struct str tail)
{
	struct buf b;

	buf_init(&b, err->a);
	buf_vaddf(&b, fmt, ap);
	if (tail.n) {
		buf_addz(&b, ": ");
		buf_add(&b, tail);
	}
	err->code = code;
	err->msg = buf_str(&b);
	return -(int)code;
}

int(err_set)(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = set(err, code, fmt, ap, S(""));
	va_end(ap);
	return rc;
}

int(err_wrap)(struct err *err, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = set(err, err->code, fmt, ap, err->msg);
	va_end(ap);
	return rc;
}

int(err_sys)(struct err *err, const char *fmt, ...)
{
	int no = errno;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = set(err, no == ENOENT ? ERR_NOTFOUND : ERR_SYS, fmt, ap, str_of(strerror(no)));
	va_end(ap);
	return rc;
}
