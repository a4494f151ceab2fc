/*
 * file: reads and writes whole files. A file is replaced atomically: after a crash
 * it has its old contents or its new ones, never a mix.
 */
#ifndef IO_FILE_H
#define IO_FILE_H

#include <sys/types.h>

#include "base/err.h"

/* Reads all of a file, or of a stream up to its end; "-" is standard input.
 * ERR_LIMIT when it has more than max bytes. */
int file_read(struct arena *a, const char *path, size_t max, struct str *out, struct err *err);

/* Reads an open descriptor to its end; name is for error messages. */
int file_read_fd(struct arena *a, int fd, const char *name, size_t max, struct str *out,
		 struct err *err);

/*
 * Replaces path with data: a new file beside it, written and fsynced, renamed
 * over it, and the directory fsynced. mode is exact, whatever the umask.
 */
int file_replace(const char *path, struct str data, mode_t mode, struct err *err);

/*
 * The same for a regular file that exists: keeps its mode and owner, and follows a
 * symbolic link to it. Fails when that is not possible or the caller has no write
 * permission; the file is then unchanged.
 */
int file_rewrite(const char *path, struct str data, struct err *err);

/* Writes all of s, in as many calls as it takes. */
int file_write_fd(int fd, struct str s, const char *name, struct err *err);

/* AUTO(fd) int fd = open(…); closes itself unless negative. */
void auto_fd(int *fd);

#endif
