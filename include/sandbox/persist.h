/*
 * persist: stores the sandbox's objects in a file, across restarts.
 *
 * The file is a snapshot followed by a log of changes; when the log is larger than the objects, a
 * new snapshot replaces the file. A process that is killed at any byte loses only changes that it
 * has not acknowledged: a truncated or damaged record at the end is ignored when the file is read.
 * flock allows one sandbox at a time.
 */
#ifndef SANDBOX_PERSIST_H
#define SANDBOX_PERSIST_H

#include "sandbox/sandbox.h"

struct persist;

/*
 * Loads path into s, which must be empty, or creates the file from s; then records the changes of
 * s. ERR_INVALID when the file is damaged before its end, or another sandbox uses it.
 */
int persist_open(struct sandbox *s, const char *path, struct persist **out, struct err *err);

/* Writes the changes since the last call; durable when it returns 0. */
int persist_flush(struct persist *p, struct err *err);

void persist_close(struct persist *p);

/* Loads the records of text into s; *used is the length of the complete records. */
int persist_replay(struct sandbox *s, struct str text, size_t *used, struct err *err);

#endif
