#include "io/stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a failed system call means to the caller. */
static int outcome(struct err *err, const char *what)
{
	if (errno == EAGAIN || errno == EINTR)
		return -ERR_AGAIN;
	return err_sys(err, "%s", what);
}

ssize_t stream_read(struct stream *s, void *to, size_t n, struct err *err)
{
	ssize_t got = recv(s->fd, to, n, 0);

	return got >= 0 ? got : outcome(err, "read");
}

ssize_t stream_write(struct stream *s, const struct iovec *parts, int n_parts,
		     struct err *err)
{
	/* not writev: a peer that left must not send us SIGPIPE */
	struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)parts,
			    .msg_iovlen = (size_t)n_parts };
	ssize_t sent = sendmsg(s->fd, &m, MSG_NOSIGNAL);

	return sent >= 0 ? sent : outcome(err, "write");
}

short stream_want(const struct stream *s, short want)
{
	(void)s;
	return want;
}
