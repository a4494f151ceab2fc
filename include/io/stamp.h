/*
 * stamp: whether a file is still the one that was read.
 */
#ifndef IO_STAMP_H
#define IO_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

struct stamp {
	bool there; /* a file that is absent has a stamp too */
	/*
	 * False when the file had just been written: another write could then
	 * leave the same times behind, so it equals nothing.
	 */
	bool settled;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
};

/* Take it before reading the file: what changes meanwhile is then noticed. */
void stamp_take(const char *path, struct stamp *out);

/* The same file at the same state, settled or not. */
bool stamp_same(const struct stamp *x, const struct stamp *y);

/* Whether path is as it was when s was taken. */
bool stamp_holds(const char *path, const struct stamp *s);

#endif
