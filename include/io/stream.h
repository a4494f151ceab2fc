/*
 * stream: non-blocking bytes over a connected socket, plain or TLS.
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
 * Bytes read; 0 at the end of the stream; -ERR_AGAIN (err untouched) when none have
 * arrived; or -code.
 */
ssize_t stream_read(struct stream *s, void *to, size_t n, struct err *err);

/* Bytes accepted of the n_parts, in order; never 0. Errors as in stream_read. */
ssize_t stream_write(struct stream *s, const struct iovec *parts, int n_parts, struct err *err);

/* 0 when the kernel has all accepted bytes, -ERR_AGAIN, or -code. */
int stream_flush(struct stream *s, struct err *err);

/* Ends the direction of writing. */
void stream_end(struct stream *s);

/* Closes the descriptor and frees the TLS state. */
void stream_close(struct stream *s);

/*
 * The poll events to wait for after -ERR_AGAIN, when the caller wants to read or to
 * write. With TLS that may be the other direction.
 */
short stream_want(const struct stream *s, short want);

#endif
