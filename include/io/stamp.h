/*
 * stamp: identifies the state of a file, to notice changes without reading it.
 */
#ifndef IO_STAMP_H
#define IO_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

struct stamp {
	bool there; /* a missing file has a stamp, too */
	/*
	 * False when the file had just been written: another write could leave the
	 * same times, so the stamp equals nothing.
	 */
	bool settled;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
};

/* Take it before reading the file, so that changes during the read are noticed. */
void stamp_take(const char *path, struct stamp *out);

/* The same file in the same state, settled or not. */
bool stamp_same(const struct stamp *x, const struct stamp *y);

/* Whether path is unchanged since s was taken. */
bool stamp_holds(const char *path, const struct stamp *s);

#endif
