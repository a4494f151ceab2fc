/*
 * A child process looks up a name, writes the addresses into a pipe and exits;
 * numeric addresses and "localhost" need none. The addresses are then tried one
 * after the other. One source serves every step.
 */
#include "io/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/file.h"

#define ADDRS 8
#define HOST_MAX 255 /* the length of a DNS name */

struct dial {
	struct loop *loop;
	struct source src; /* the pipe, the socket, or a timer */
	char host[HOST_MAX + 1];
	uint16_t port;
	int64_t due;
	dial_done *done;
	void *ctx;
	struct child child;
	bool asking; /* the child is running */
	size_t got; /* bytes of addrs read */
	struct sock_addr addrs[ADDRS];
	size_t n, at;
	int last; /* errno of the last address tried */
};

static void reaped(struct child *c, int status)
{
	(void)status;
	c->pid = 0;
}

static void drop(struct dial *d)
{
	int fd = d->src.fd;

	loop_remove(d->loop, &d->src);
	if (fd >= 0)
		(void)close(fd);
	if (d->child.pid)
		loop_kill(d->loop, &d->child);
	free(d);
}

void dial_cancel(struct dial *d)
{
	if (d)
		drop(d);
}

static void fail(struct dial *d, enum err_code code, const char *why)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	dial_done *done = d->done;
	void *ctx = d->ctx;

	(void)err_set(&err, code, "connect to %s port %u: %s", d->host, d->port, why);
	drop(d);
	done(ctx, -1, &err);
}

static void set(int fd, int level, int option, int value)
{
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

/* Keep-alive: a watch may be silent for long, and a dead server must be noticed. */
static void tune(int fd)
{
	set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
	set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
	set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 60000);
}

static void succeed(struct dial *d)
{
	dial_done *done = d->done;
	void *ctx = d->ctx;
	int fd = d->src.fd;

	tune(fd);
	loop_remove(d->loop, &d->src);
	d->src.fd = -1;
	drop(d);
	done(ctx, fd, NULL);
}

/* Tries the next address. */
static void try_next(struct dial *d)
{
	int64_t now = clock_ms(), left = d->due - now;
	int fd = d->src.fd;

	loop_remove(d->loop, &d->src);
	if (fd >= 0)
		(void)close(fd);
	d->src.fd = -1;
	for (; d->at < d->n && left > 0; d->at++) {
		const struct sock_addr *to = &d->addrs[d->at];

		fd = socket(to->ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (fd >= 0 &&
		    (connect(fd, (const void *)&to->ss, to->len) == 0 || errno == EINPROGRESS)) {
			d->src.fd = fd;
			d->src.want = POLLOUT;
			d->src.due = now + left / (int64_t)(d->n - d->at) + 1;
			d->at++;
			loop_add(d->loop, &d->src);
			return;
		}
		d->last = errno;
		if (fd >= 0)
			(void)close(fd);
	}
	fail(d, ERR_AGAIN, d->last ? strerror(d->last) : "timed out");
}

static void on_connect(struct dial *d, short events)
{
	int e = 0;
	socklen_t n = sizeof(e);

	if (!events) {
		d->last = ETIMEDOUT;
		try_next(d);
		return;
	}
	if (getsockopt(d->src.fd, SOL_SOCKET, SO_ERROR, &e, &n) < 0)
		e = errno;
	if (e == 0) {
		succeed(d);
		return;
	}
	d->last = e;
	try_next(d);
}

/* The child writes whole addresses, or one byte when it has none. */
static void on_answer(struct dial *d, short events)
{
	char *to = (char *)d->addrs;
	ssize_t n;

	if (!events) {
		fail(d, ERR_AGAIN, "looking up the name took too long");
		return;
	}
	n = read(d->src.fd, to + d->got, sizeof(d->addrs) - d->got);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		d->got += (size_t)n;
		if (d->got < sizeof(d->addrs))
			return;
	}
	d->asking = false;
	d->n = d->got / sizeof(d->addrs[0]);
	if (d->n)
		try_next(d);
	else
		fail(d, ERR_AGAIN, "no such host");
}

static void ready(struct source *s, short events)
{
	struct dial *d = s->ctx;

	if (d->asking)
		on_answer(d, events);
	else if (d->src.fd < 0)
		try_next(d);
	else
		on_connect(d, events);
}

static _Noreturn void look_up(const char *host, uint16_t port, int out, unsigned seconds)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_ADDRCONFIG };
	struct addrinfo *list = NULL;
	struct sock_addr all[ADDRS] = { 0 };
	size_t n = 0;
	sigset_t none;

	(void)sigemptyset(&none);
	(void)signal(SIGALRM, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* the child must not keep the parent's connections open */
	if (out > STDERR_FILENO + 1)
		(void)syscall(SYS_close_range, STDERR_FILENO + 1, out - 1, 0);
	(void)syscall(SYS_close_range, out + 1, ~0U, 0);
	(void)alarm(seconds);
	if (getaddrinfo(host, NULL, &hints, &list) == 0)
		for (struct addrinfo *i = list; i && n < ADDRS; i = i->ai_next) {
			if (i->ai_addrlen > sizeof(all[n].ss))
				continue;
			memcpy(&all[n].ss, i->ai_addr, i->ai_addrlen);
			all[n].len = i->ai_addrlen;
			((struct sockaddr_in *)(void *)&all[n].ss)->sin_port = htons(port);
			n++;
		}
	if (n && write(out, all, n * sizeof(*all)) < 0)
		_exit(1);
	_exit(0);
}

/* False when pipe or fork fails. */
static bool ask(struct dial *d)
{
	int64_t left = d->due - clock_ms();
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	pid = fork();
	if (pid == 0)
		look_up(d->host, d->port, fds[1], left > 0 ? (unsigned)(left / 1000 + 1) : 1);
	(void)close(fds[1]);
	if (pid < 0) {
		(void)close(fds[0]);
		return false;
	}
	d->child = (struct child){ .pid = pid, .done = reaped };
	loop_child(d->loop, &d->child);
	d->asking = true;
	d->src.fd = fds[0];
	d->src.want = POLLIN;
	d->src.due = d->due;
	return true;
}

static void known(struct dial *d, struct str host)
{
	bool local = str_eq_fold(host, S("localhost"));

	if (sock_parse(local ? S("127.0.0.1") : host, d->port, &d->addrs[0]))
		d->n = 1;
	if (local && sock_parse(S("::1"), d->port, &d->addrs[1]))
		d->n = 2;
}

struct dial *dial_start(struct loop *l, struct str host, uint16_t port, int64_t due,
			dial_done *done, void *ctx)
{
	struct dial *d = calloc(1, sizeof(*d));

	if (!d)
		abort();
	d->loop = l;
	d->port = port;
	d->due = due;
	d->done = done;
	d->ctx = ctx;
	d->src = (struct source){ .fd = -1, .due = 1, .ready = ready, .ctx = d };
	/* a name that is too long stays empty, and has no address */
	if (host.n <= HOST_MAX && host.n && !memchr(host.p, 0, host.n))
		memcpy(d->host, host.p, host.n);
	known(d, host);
	if (!d->n && d->host[0] && !ask(d))
		d->last = errno;
	if (!d->n && !d->asking && !d->last)
		d->last = EINVAL;
	loop_add(l, &d->src);
	return d;
}
