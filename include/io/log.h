/*
 * log: klog's lines on standard error, each in one write.
 *
 *	I1116 02:10:46.123456       7 exec.c:88] pool worker: node a: new target
 *
 * Info: something changed. Warning: it failed, and the program continues. Error: it
 * gave up. log_v(4, …): for developers. Never log a secret. Control characters are
 * escaped.
 */
#ifndef IO_LOG_H
#define IO_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_FATAL };

/* Sets the verbosity (-v) and the descriptor that lines are written to (initially 2). */
void log_init(int64_t verbosity, int fd);
/*
 * Makes logging non-blocking, for servers: a reader that stops reading must not
 * stop the process. Lines that do not fit into the pipe or socket are dropped and
 * counted; the count is logged when there is room again.
 */
void log_never_wait(void);
/* The descriptor, for other writers: write whole lines. */
int log_fd(void);
bool log_enabled(int verbosity);

void log_line(enum log_level level, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#define log_info(...) log_line(LOG_INFO, __FILE__, __LINE__, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARNING, __FILE__, __LINE__, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __FILE__, __LINE__, __VA_ARGS__)
/* Logs the line and exits with status 255, as upstream's programs do. */
#define log_fatal(...) (log_line(LOG_FATAL, __FILE__, __LINE__, __VA_ARGS__), log_exit())
_Noreturn void log_exit(void);
/* Writes why the process ends to the pod's termination log. */
void log_to_pod(struct str why);

#define log_v(n, ...)                          \
	do {                                   \
		if (log_enabled(n))            \
			log_info(__VA_ARGS__); \
	} while (0)

#endif
