#include "io/log.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

static struct {
	int64_t verbosity;
	int fd;
} state = { 0, STDERR_FILENO };

void log_init(int64_t verbosity, int fd)
{
	state.verbosity = verbosity;
	state.fd = fd;
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

static void header(struct buf *b, enum log_level level, const char *file,
		   int line)
{
	struct timespec now;
	struct tm tm;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)localtime_r(&now.tv_sec, &tm);
	buf_addf(b, "%c%02d%02d %02d:%02d:%02d.%06ld %7ld %s:%d] ",
		 "IWEF"[level], tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		 tm.tm_min, tm.tm_sec, now.tv_nsec / 1000, (long)getpid(),
		 base_name(file), line);
}

void log_line(enum log_level level, const char *file, int line, const char *fmt,
	      ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;
	va_list ap;

	buf_init(&b, &a);
	header(&b, level, file, line);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (b.p[b.n - 1] != '\n')
		buf_addc(&b, '\n');
	/* a log that cannot be written must not stop the work */
	if (write(state.fd, b.p, b.n) < 0)
		return;
}

void log_exit(void)
{
	exit(255);
}
