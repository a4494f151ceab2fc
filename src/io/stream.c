/*
 * The choice between a plain socket and TLS, in one place.
 */
#include "io/stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/tls.h"

/* The result for a failed system call. */
static int outcome(struct err *err, const char *what)
{
	if (errno == EAGAIN || errno == EINTR)
		return -ERR_AGAIN;
	return err_sys(err, "%s", what);
}

ssize_t stream_read(struct stream *s, void *to, size_t n, struct err *err)
{
	ssize_t got;

	if (s->tls)
		return tls_read(s->tls, s->fd, to, n, err);
	got = recv(s->fd, to, n, 0);
	return got >= 0 ? got : outcome(err, "read");
}

ssize_t stream_write(struct stream *s, const struct iovec *parts, int n_parts, struct err *err)
{
	/* not writev: a closed connection must not raise SIGPIPE */
	struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)parts,
			    .msg_iovlen = (size_t)n_parts };
	ssize_t sent;

	if (s->tls)
		return tls_write(s->tls, s->fd, parts, n_parts, err);
	sent = sendmsg(s->fd, &m, MSG_NOSIGNAL);
	return sent >= 0 ? sent : outcome(err, "write");
}

short stream_want(const struct stream *s, short want)
{
	return s->tls ? tls_want(s->tls, want) : want;
}

int stream_flush(struct stream *s, struct err *err)
{
	return s->tls ? tls_flush(s->tls, s->fd, err) : 0;
}

void stream_end(struct stream *s)
{
	if (s->tls)
		tls_close(s->tls, s->fd);
	(void)shutdown(s->fd, SHUT_WR);
}

void stream_close(struct stream *s)
{
	tls_free(s->tls);
	s->tls = NULL;
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = -1;
}
