#include "io/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/terminal.h"

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
	(void)gmtime_r(&now.tv_sec, &tm); /* as in the API and on the nodes */
	buf_addf(b, "%c%02d%02d %02d:%02d:%02d.%06ld %7ld %s:%d] ",
		 "IWEF"[level], tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		 tm.tm_min, tm.tm_sec, now.tv_nsec / 1000, (long)getpid(),
		 base_name(file), line);
}

void log_line(enum log_level level, const char *file, int line, const char *fmt,
	      ...)
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
	/* a log that cannot be written must not stop the work */
	if (write(state.fd, b.p, b.n) < 0)
		return;
}

void log_to_pod(struct str why)
{
	int fd = open("/dev/termination-log", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return; /* there is no pod */
	if (write(fd, why.p, why.n) < 0)
		log_warn("termination-log: it cannot be written");
	(void)close(fd);
}

void log_exit(void)
{
	exit(255);
}
