/*
 * Log lines. A line is one write, or is counted as lost: logging never fails for its caller.
 */
#include "io/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/terminal.h"
#include "io/clock.h"

/* A busy reader catches up within this time, which the loop can afford. */
#define PATIENCE_MS 50

enum log_way { LOG_WAITS, LOG_PIPE, LOG_SOCKET };

static struct {
	int64_t verbosity;
	int fd;
	enum log_way way;
	unsigned long lost; /* lines since the last one that was written */
	bool cut; /* the last line was written partly */
} state = { .fd = STDERR_FILENO };

void log_init(int64_t verbosity, int fd)
{
	state.verbosity = verbosity;
	state.fd = fd;
	state.way = LOG_WAITS;
}

/*
 * O_NONBLOCK is a flag of the open file, which other processes share. So a pipe is
 * opened again, and a socket gets MSG_DONTWAIT.
 */
void log_never_wait(void)
{
	char path[32];
	struct stat st;
	int fd;

	if (fstat(state.fd, &st) < 0)
		return;
	if (S_ISSOCK(st.st_mode))
		state.way = LOG_SOCKET;
	if (!S_ISFIFO(st.st_mode))
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", state.fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return; /* it belongs to another user: writes block, as before */
	state.fd = fd;
	state.way = LOG_PIPE;
}

int log_fd(void)
{
	return state.fd;
}

static ssize_t put(const char *p, size_t n)
{
	return state.way == LOG_SOCKET ? send(state.fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL)
				       : write(state.fd, p, n);
}

/* The bytes that were written. */
static size_t put_all(struct str text)
{
	ssize_t n = put(text.p, text.n);
	bool full = n < 0 ? errno == EAGAIN : (size_t)n < text.n;
	struct pollfd p = { .fd = state.fd, .events = POLLOUT };
	size_t done = n < 0 ? 0 : (size_t)n;

	/* wait only for the first line that does not fit */
	if (!full || state.way == LOG_WAITS || state.lost || poll(&p, 1, PATIENCE_MS) <= 0)
		return done;
	n = put(text.p + done, text.n - done);
	return n < 0 ? done : done + (size_t)n;
}

bool log_enabled(int verbosity)
{
	return verbosity <= state.verbosity;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void header(struct buf *b, enum log_level level, const char *file, int line)
{
	struct instant now = clock_wall();
	struct civil t = rfc3339_civil(now); /* UTC, as in the API and on the nodes */

	buf_addf(b, "%c%02d%02d %02d:%02d:%02d.%06d %7ld %s:%d] ", "IWEF"[level], t.month, t.day,
		 t.hour, t.min, t.sec, (int)(now.nsec / 1000), (long)getpid(), base_name(file),
		 line);
}

/* Errors are ignored: a broken log must not stop the program. */
static void write_line(struct arena *a, struct str line)
{
	size_t note, n;
	struct buf b;

	buf_init(&b, a);
	if (state.cut)
		buf_addc(&b, '\n');
	if (state.lost) {
		header(&b, LOG_WARNING, __FILE__, __LINE__);
		buf_addf(&b, "%lu log lines were lost: the reader is too slow\n", state.lost);
	}
	note = b.n;
	buf_add(&b, line);
	n = put_all(buf_str(&b));
	if (n)
		state.cut = n < b.n && b.p[n - 1] != '\n';
	if (n >= note)
		state.lost = n < b.n;
	else
		state.lost++;
}

void log_line(enum log_level level, const char *file, int line, const char *fmt, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b, text;
	va_list ap;

	buf_init(&b, &a);
	buf_init(&text, &a);
	header(&b, level, file, line);
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	buf_add(&b, terminal_safe(&a, buf_str(&text)));
	if (b.p[b.n - 1] != '\n')
		buf_addc(&b, '\n');
	write_line(&a, buf_str(&b));
}

void log_to_pod(struct str why)
{
	int fd = open("/dev/termination-log", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return; /* not in a pod */
	if (write(fd, why.p, why.n) < 0)
		log_warn("termination-log: cannot write it");
	(void)close(fd);
}

void log_exit(void)
{
	exit(255);
}
