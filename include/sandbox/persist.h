/*
 * persist: the sandbox's objects in a file, so that they outlive it.
 *
 * The file begins with a snapshot and goes on with each change as it is made;
 * when the changes outweigh the objects, a new snapshot replaces it. A process
 * killed at any byte loses at most what it had not answered yet: a record at the
 * end that is cut short or damaged is left out when the file is read again. One
 * sandbox at a time has the file, by flock.
 */
#ifndef SANDBOX_PERSIST_H
#define SANDBOX_PERSIST_H

#include "sandbox/sandbox.h"

struct persist;

/*
 * Reads path into s, which is fresh, or begins the file with what s has; then
 * follows s. ERR_INVALID when the file is damaged elsewhere than at its end, or
 * another sandbox has it.
 */
int persist_open(struct sandbox *s, const char *path, struct persist **out, struct err *err);

/* Writes what happened since the last time; after 0 it is on disk. */
int persist_flush(struct persist *p, struct err *err);

void persist_close(struct persist *p);

/* Takes the records of text into s; *used is how much of it was whole. */
int persist_replay(struct sandbox *s, struct str text, size_t *used, struct err *err);

#endif
