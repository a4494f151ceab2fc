/*
 * Reads and writes whole files. A file is replaced by rename(2) after fsync(2) of the new one;
 * the temporary file is in the same directory and is removed when a step fails.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP ((size_t)1 << 16)

void auto_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

int file_read_fd(struct arena *a, int fd, const char *name, size_t max, struct str *out,
		 struct err *err)
{
	struct stat st;
	struct buf b;

	buf_init(&b, a);
	if (fstat(fd, &st) == 0 && st.st_size > 0 && (size_t)st.st_size <= max)
		buf_reserve(&b, (size_t)st.st_size + 1);
	for (;;) {
		ssize_t n;

		if (b.cap < b.n + 2)
			buf_reserve(&b, STEP);
		n = read(fd, b.p + b.n, b.cap - b.n - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "read %s", name);
		if (n == 0)
			break;
		b.n += (size_t)n;
		if (b.n > max)
			return err_set(err, ERR_LIMIT, "%s is larger than %zu bytes", name, max);
	}
	*out = buf_str(&b);
	return 0;
}

int file_read(struct arena *a, const char *path, size_t max, struct str *out, struct err *err)
{
	AUTO(fd) int fd = -1;

	if (strcmp(path, "-") == 0)
		return file_read_fd(a, STDIN_FILENO, "standard input", max, out, err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_sys(err, "open %s", path);
	return file_read_fd(a, fd, path, max, out, err);
}

int file_write_fd(int fd, struct str s, const char *name, struct err *err)
{
	while (s.n) {
		ssize_t n = write(fd, s.p, s.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "write %s", name);
		s = str_from(s, (size_t)n);
	}
	return 0;
}

/* The directory of path, and a template for mkostemp in it. */
static void split(struct arena *a, const char *path, char **dir, char **temp)
{
	struct str p = str_of(path);
	ptrdiff_t slash = str_rchr(p, '/');
	struct str d = slash < 0 ? S(".") : str_sub(p, 0, (size_t)slash + 1);
	struct str base = str_from(p, (size_t)(slash + 1));
	struct buf b;

	*dir = str_z(a, d);
	buf_init(&b, a);
	buf_addf(&b, "%.*s/.%.*s.XXXXXX", STRF(d), STRF(base));
	*temp = b.p;
}

static int fill(int fd, struct str data, mode_t mode, const char *path, struct err *err)
{
	int rc = file_write_fd(fd, data, path, err);

	if (rc < 0)
		return rc;
	if (fchmod(fd, mode) < 0)
		return err_sys(err, "chmod %s", path);
	if (fsync(fd) < 0)
		return err_sys(err, "fsync %s", path);
	return 0;
}

static int sync_dir(const char *dir, struct err *err)
{
	AUTO(fd) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, "open %s", dir);
	if (fsync(fd) < 0)
		return err_sys(err, "fsync %s", dir);
	return 0;
}

int file_replace(const char *path, struct str data, mode_t mode, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	AUTO(fd) int fd = -1;
	char *dir, *temp;
	int rc;

	split(&a, path, &dir, &temp);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "create a file in %s", dir);
	rc = fill(fd, data, mode, path, err);
	if (rc == 0 && rename(temp, path) < 0)
		rc = err_sys(err, "rename to %s", path);
	if (rc < 0) {
		(void)unlink(temp);
		return rc;
	}
	return sync_dir(dir, err);
}

/* Gives fd the owner of st, if it differs. */
static int keep_owner(int fd, const struct stat *st, const char *path, struct err *err)
{
	struct stat now;

	if (fstat(fd, &now) < 0)
		return err_sys(err, "stat %s", path);
	if (now.st_uid == st->st_uid && now.st_gid == st->st_gid)
		return 0;
	return fchown(fd, st->st_uid, st->st_gid) < 0 ? err_sys(err, "keep the owner of %s", path)
						      : 0;
}

int file_rewrite(const char *path, struct str data, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	AUTO(fd) int fd = -1;
	char real[PATH_MAX], *dir, *temp;
	struct stat st;
	int rc;

	if (!realpath(path, real) || stat(real, &st) < 0 || access(real, W_OK) < 0)
		return err_sys(err, "open %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is not a regular file", path);
	split(&a, real, &dir, &temp);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "create a file in %s", dir);
	rc = keep_owner(fd, &st, path, err);
	if (rc == 0)
		rc = fill(fd, data, st.st_mode & 07777, path, err);
	if (rc == 0 && rename(temp, real) < 0)
		rc = err_sys(err, "rename to %s", path);
	if (rc < 0) {
		(void)unlink(temp);
		return rc;
	}
	return sync_dir(dir, err);
}
