/*
 * log: klog's lines on standard error, each in one write.
 *
 *	I1116 02:10:46.123456       7 exec.c:88] pool worker: node a: new target
 *
 * Info: what changed. Warning: went wrong, going on. Error: gave up. log_v(4,
 * …): for a developer. Never a secret. What a terminal would obey is written out.
 */
#ifndef IO_LOG_H
#define IO_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_FATAL };

/* What -v was given, and where lines go (2 at first). */
void log_init(int64_t verbosity, int fd);
/*
 * For a process that serves others: a reader that has stopped reading must not
 * stop it. Lines that do not fit into the pipe or socket are dropped and counted;
 * the count is logged when there is room again.
 */
void log_never_wait(void);
/* Where lines go, for others who write there: never a line in parts. */
int log_fd(void);
bool log_enabled(int verbosity);

void log_line(enum log_level level, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#define log_info(...) log_line(LOG_INFO, __FILE__, __LINE__, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARNING, __FILE__, __LINE__, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __FILE__, __LINE__, __VA_ARGS__)
/* As upstream's programs end: the line, then exit status 255. */
#define log_fatal(...) (log_line(LOG_FATAL, __FILE__, __LINE__, __VA_ARGS__), log_exit())
_Noreturn void log_exit(void);
/* Has the pod's status tell why the process is about to end. */
void log_to_pod(struct str why);

#define log_v(n, ...)                          \
	do {                                   \
		if (log_enabled(n))            \
			log_info(__VA_ARGS__); \
	} while (0)

#endif
