/*
 * repeat: log a failure once, then with back-off.
 *
 * A failure is an object ("rendering pool worker") and a text. The first line is
 * logged at once, a repeat of the same text after 30 s, a minute, two, … and at
 * most once an hour. Another text of the same object is logged at once. After
 * repeat_over the next failure of the object is logged at once again.
 *
 * The table has a fixed size; a new failure replaces the one that was logged
 * longest ago.
 */
#ifndef IO_REPEAT_H
#define IO_REPEAT_H

#include "io/log.h"

#define REPEATS 128
#define REPEAT_FIRST_MS 30000
#define REPEAT_LAST_MS 3600000

struct repeat {
	uint64_t object, text; /* hashes; object 0: free */
	int64_t logged; /* milliseconds */
	unsigned repeats; /* that were logged */
	unsigned held; /* repeats that were not logged since */
	enum log_level level;
};

struct repeats {
	struct repeat v[REPEATS];
};

/* Whether to log this one; *held: the repeats that were not logged before it. */
bool repeat_due(struct repeats *r, enum log_level level, struct str object, struct str text,
		int64_t now, unsigned *held);
/* The object has recovered. True when a warning or an error of it was logged. */
bool repeat_over(struct repeats *r, struct str object);

/* The same with a table of the process and clock_ms, and writing the line. */
void log_repeat(enum log_level level, const char *file, int line, struct str object,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool log_over(struct str object);
/* The same for a line that the caller writes; text identifies its repeats. */
bool log_due(enum log_level level, struct str object, struct str text);

#define log_again(level, object, ...) log_repeat(level, __FILE__, __LINE__, object, __VA_ARGS__)

#endif
