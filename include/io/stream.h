/*
 * stream: bytes over a connected socket, plain or through TLS, never blocking.
 */
#ifndef IO_STREAM_H
#define IO_STREAM_H

#include <sys/types.h>
#include <sys/uio.h>

#include "base/err.h"

struct tls;

struct stream {
	int fd;
	struct tls *tls; /* NULL: plain */
};

/*
 * Bytes read; 0 at the other side's end; -ERR_AGAIN (err untouched) when there
 * are none yet; or -code.
 */
ssize_t stream_read(struct stream *s, void *to, size_t n, struct err *err);

/* Bytes taken of the n_parts, in order; else as stream_read, never 0. */
ssize_t stream_write(struct stream *s, const struct iovec *parts, int n_parts, struct err *err);

/* 0 when all that was taken is with the kernel, -ERR_AGAIN, or -code. */
int stream_flush(struct stream *s, struct err *err);

/* Says that nothing more will be written. */
void stream_end(struct stream *s);

/* Gives up descriptor and TLS. */
void stream_close(struct stream *s);

/*
 * What to wait for after -ERR_AGAIN, in poll's bits, when the caller wants to
 * read or to write. With TLS that may be the other direction.
 */
short stream_want(const struct stream *s, short want);

#endif
