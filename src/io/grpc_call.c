/*
 * One connection per call. The protocol is data/grpc; this file moves bytes and keeps the deadline.
 */
#include "io/grpc_call.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/clock.h"

void grpc_call_cancel(struct grpc_call *c)
{
	if (!c->running)
		return;
	c->running = false;
	loop_remove(c->loop, &c->source);
	stream_close(&c->stream);
	arena_free(&c->a);
}

/* The error of the connection, as Go's grpc words it. */
static void unavailable(struct grpc_call *c, struct str what)
{
	grpc_fail(&c->answer, GRPC_UNAVAILABLE, what);
}

static void flush(struct grpc_call *c)
{
	struct err err = ERR_INIT(&c->a);

	while (c->sent < c->out.n) {
		const struct iovec part = { c->out.p + c->sent, c->out.n - c->sent };
		ssize_t n = stream_write(&c->stream, &part, 1, &err);

		if (n == -ERR_AGAIN)
			break;
		if (n < 0) {
			/* the last bytes may say why it closed the connection */
			c->out.n = c->sent;
			break;
		}
		c->sent += (size_t)n;
	}
	c->source.want = c->sent < c->out.n ? POLLIN | POLLOUT : POLLIN;
}

static void receive(struct grpc_call *c)
{
	struct err err = ERR_INIT(&c->a);
	char part[8192];
	ssize_t n = stream_read(&c->stream, part, sizeof(part), &err);

	if (n > 0)
		grpc_take(&c->answer, (struct str){ part, (size_t)n }, &c->out);
	else if (n != -ERR_AGAIN)
		unavailable(c, str_fmt(&c->a, "error reading from server: %.*s",
				       STRF(n ? err.msg : S("EOF"))));
}

static void on_ready(struct source *s, short events)
{
	struct grpc_call *c = s->ctx;

	s->due = c->due;
	if (!events && clock_ms() >= c->due)
		grpc_fail(&c->answer, GRPC_DEADLINE_EXCEEDED, S("context deadline exceeded"));
	else if (events & ~POLLOUT)
		receive(c);
	if (!c->answer.over)
		flush(c);
	if (c->answer.over) {
		struct grpc answer = c->answer;
		struct arena a = c->a;

		answer.a = &a;
		c->a = ARENA_INIT;
		grpc_call_cancel(c);
		c->done(c, &answer);
		arena_free(&a);
	}
}

static void dial(struct grpc_call *c)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strlen(c->socket);
	int rc = -1;

	errno = ENAMETOOLONG;
	if (n < sizeof(to.sun_path)) {
		memcpy(to.sun_path, c->socket, n);
		rc = connect(c->stream.fd, (struct sockaddr *)&to, sizeof(to));
	}
	if (rc < 0) {
		const char *why = strerror(errno); /* Go's texts start in lower case */

		unavailable(c, str_fmt(&c->a,
				       "connection error: desc = \"transport: "
				       "Error while dialing: dial unix %s: "
				       "connect: %c%s\"",
				       c->socket, tolower(*why), why + 1));
	}
}

void grpc_call_start(struct grpc_call *c)
{
	c->running = true;
	c->a = ARENA_INIT;
	c->sent = 0;
	c->due = clock_ms() + c->ms;
	grpc_init(&c->answer, &c->a);
	buf_init(&c->out, &c->a);
	c->stream = (struct stream){ .fd = socket(AF_UNIX,
						  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) };
	c->source = (struct source){
		.fd = c->stream.fd, .want = POLLOUT, .due = c->due, .ready = on_ready, .ctx = c
	};
	if (grpc_request(&c->out, c->path, c->message))
		dial(c);
	else
		grpc_fail(&c->answer, GRPC_INTERNAL, S("the request is too long"));
	if (c->answer.over) { /* done is only called from the loop */
		c->source.fd = -1;
		c->source.due = 1;
	}
	loop_add(c->loop, &c->source);
}
