/*
 * Changes below a root. Files and symlinks are replaced by rename, so a power cut leaves the old or
 * the new one. The temporary name depends only on the name of the file: tree_clean finds what a cut
 * leaves behind.
 *
 * A name is durable after tree_sync, which fsyncs each changed directory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/file.h"
#include "walk.h"

#define XATTRS_MAX 4096

/* The temporary name beside a file: deterministic, and short however long the name is. */
static void temp_name(const char *name, char out[32])
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str sum = hash_hex_of(&a, HASH_MD5, str_of(name));

	(void)snprintf(out, 32, ".mco-%.20s", sum.p);
}

/* SELinux labels and others; those that the file system of the copy does not support are
 * skipped. */
static int copy_xattrs(int from, int to)
{
	char names[XATTRS_MAX], value[XATTRS_MAX];
	ssize_t n = flistxattr(from, names, sizeof(names));

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
		ssize_t v = fgetxattr(from, names + i, value, sizeof(value));

		if (v >= 0 && node_sys->fsetxattr(to, names + i, value, (size_t)v, 0) < 0 &&
		    errno != EOPNOTSUPP && errno != EPERM && errno != EACCES)
			return -1;
	}
	return 0;
}

static int put_part(void *ctx, struct str part, struct err *err)
{
	const int *fd = ctx;

	while (part.n) {
		ssize_t n = node_sys->write(*fd, part.p, part.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_SYS, "%s", go_errno(errno));
		part = str_from(part, (size_t)n);
	}
	return 0;
}

/* empty: there are no contents. like: a file whose extended attributes are copied, or -1. */
static int fill_file(struct tree *t, int fd, const struct producer *from, bool empty,
		     const struct tree_attr *attr, int like, const char *path, struct err *err)
{
	const struct sink to = { put_part, NULL, &fd };
	struct stat st;
	int rc;

	/* an empty file needs no fsync of its own */
	if (empty && attr->uid < 0 && like < 0 && fstat(fd, &st) == 0 &&
	    (st.st_mode & 07777) == attr->mode)
		return 0;
	if (node_sys->fchmod(fd, attr->mode) < 0)
		return tree_err(err, "write", path);
	rc = from->pump(from->ctx, &to, err);
	if (rc < 0)
		return err_wrap(err, "write %s", path);
	if (attr->uid >= 0 && attr->gid >= 0 && t->own &&
	    node_sys->fchown(fd, (uid_t)attr->uid, (gid_t)attr->gid) < 0)
		return tree_err(err, "write", path);
	/* a change of owner clears these bits */
	if ((attr->mode & 07000) && node_sys->fchmod(fd, attr->mode) < 0)
		return tree_err(err, "write", path);
	if (like >= 0 && copy_xattrs(like, fd) < 0)
		return tree_err(err, "write", path);
	return node_sys->fsync(fd) < 0 ? tree_err(err, "write", path) : 0;
}

static int replace_file(struct tree *t, const char *path, const struct producer *from, bool empty,
			struct tree_attr attr, int like, struct err *err)
{
	struct make make = { true, attr.dir_mode, -1, -1 };
	AUTO(fd) int fd = -1;
	char temp[32];
	const char *name = NULL;
	int dir = tree_changing(t, path, &make, &name, err), rc;

	if (dir < 0)
		return dir;
	temp_name(name, temp);
	if (node_sys->unlinkat(dir, temp, 0) < 0 && errno != ENOENT)
		return tree_err(err, "remove", path);
	fd = node_sys->openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			      empty ? attr.mode & 0777 : 0600);
	if (fd < 0)
		return tree_err(err, "open", path);
	rc = fill_file(t, fd, from, empty, &attr, like, path, err);
	if (rc == 0 && node_sys->renameat(dir, temp, dir, name) < 0)
		rc = tree_err(err, "rename", path);
	if (rc < 0)
		(void)node_sys->unlinkat(dir, temp, 0);
	return rc;
}

static int pump_str(void *ctx, const struct sink *to, struct err *err)
{
	const struct str *data = ctx;

	return to->put(to->ctx, *data, err);
}

int tree_write(struct tree *t, const char *path, struct str data, struct tree_attr attr,
	       struct err *err)
{
	const struct producer from = { pump_str, &data };

	return replace_file(t, path, &from, !data.n, attr, -1, err);
}

int tree_write_from(struct tree *t, const char *path, const struct producer *from,
		    struct tree_attr attr, struct err *err)
{
	return replace_file(t, path, from, false, attr, -1, err);
}

int tree_scratch(struct tree *t, const char *path, struct err *err)
{
	struct make make = { true, 0755, -1, -1 };
	const char *name = NULL;
	int dir = tree_changing(t, path, &make, &name, err), fd;

	if (dir < 0)
		return dir;
	if (node_sys->unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		return tree_err(err, "remove", path);
	fd = node_sys->openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return tree_err(err, "open", path);
	if (node_sys->unlinkat(dir, name, 0) == 0)
		return fd;
	(void)close(fd);
	return tree_err(err, "remove", path);
}

uint64_t tree_free(struct tree *t, const char *path)
{
	const char *name = NULL;
	int dir = tree_parent(t, path, &make_none, &name);
	struct statvfs st;

	return dir < 0 || fstatvfs(dir, &st) < 0 ? 0 : (uint64_t)st.f_bavail * st.f_frsize;
}

int tree_put(struct tree *t, const char *path, struct str data, struct err *err)
{
	return tree_write(t, path, data, TREE_DEFAULT, err);
}

int tree_symlink(struct tree *t, const char *target, const char *path, struct err *err)
{
	struct make make = { true, 0755, -1, -1 };
	char temp[32];
	const char *name = NULL;
	int dir = tree_changing(t, path, &make, &name, err), rc;

	if (dir < 0)
		return dir;
	temp_name(name, temp);
	if (node_sys->unlinkat(dir, temp, 0) < 0 && errno != ENOENT)
		return tree_err(err, "remove", path);
	if (node_sys->symlinkat(target, dir, temp) < 0)
		return tree_err(err, "symlink", path);
	if (node_sys->renameat(dir, temp, dir, name) == 0)
		return 0;
	rc = tree_err(err, "rename", path);
	(void)node_sys->unlinkat(dir, temp, 0);
	return rc;
}

int tree_clean(struct tree *t, const char *path, struct err *err)
{
	const char *name = NULL;
	int dir = tree_parent(t, path, &make_none, &name);
	char temp[32];

	if (dir < 0)
		return 0;
	temp_name(name, temp);
	if (node_sys->unlinkat(dir, temp, 0) < 0 && errno != ENOENT)
		return tree_err(err, "remove", path);
	return 0;
}

int tree_mkdirs(struct tree *t, const char *path, mode_t mode, int64_t uid, int64_t gid,
		struct err *err)
{
	struct make make = { true, mode, uid, gid };
	struct walk w;
	const char *name = NULL;
	int rc = tree_changing(t, path, &make, &name, err);

	if (rc < 0)
		return rc;
	walk_start(&w, t);
	rc = walk_to(&w, path, NULL, true, &make);
	if (rc < 0)
		rc = tree_err(err, "mkdir", path);
	walk_end(&w);
	return rc;
}

int tree_remove(struct tree *t, const char *path, struct err *err)
{
	struct stat st;
	const char *name = NULL;
	int dir;

	if (!tree_lexists(t, path))
		return 0;
	dir = tree_changing(t, path, &make_none, &name, err);
	if (dir < 0)
		return dir;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return tree_err(err, "lstat", path);
	if (node_sys->unlinkat(dir, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) < 0 &&
	    errno != ENOENT)
		return tree_err(err, "remove", path);
	if (S_ISDIR(st.st_mode))
		tree_forget(t);
	return 0;
}

static int remove_below(int dir, const char *name, int depth)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *e;
	DIR *d;
	int rc = 0;

	if (fd < 0)
		return node_sys->unlinkat(dir, name, 0);
	d = fdopendir(fd);
	if (!d || depth == TREE_DEPTH_MAX) {
		(void)close(fd);
		errno = ENAMETOOLONG;
		return -1;
	}
	while (rc == 0 && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = remove_below(fd, e->d_name, depth + 1);
	(void)closedir(d);
	return rc < 0 ? rc : node_sys->unlinkat(dir, name, AT_REMOVEDIR);
}

int tree_remove_at(int dir, const char *name)
{
	return remove_below(dir, name, 0);
}

int tree_remove_all(struct tree *t, const char *path, struct err *err)
{
	const char *name = NULL;
	int dir;

	if (!tree_lexists(t, path))
		return 0;
	dir = tree_changing(t, path, &make_none, &name, err);
	if (dir < 0)
		return dir;
	if (tree_remove_at(dir, name) < 0)
		return tree_err(err, "remove", path);
	tree_forget(t);
	return 0;
}

static int open_parents(struct tree *t, const char *from, const char *to, int *x, const char **xn,
			int *y, const char **yn, struct err *err)
{
	struct make make = { true, 0755, -1, -1 };

	*x = tree_changing(t, from, &make_none, xn, err);
	if (*x < 0)
		return *x;
	*x = fcntl(*x, F_DUPFD_CLOEXEC, 0);
	if (*x < 0)
		return tree_err(err, "open", from);
	*y = tree_changing(t, to, &make, yn, err);
	return *y < 0 ? *y : 0;
}

int tree_rename(struct tree *t, const char *from, const char *to, struct err *err)
{
	AUTO(fd) int x = -1;
	const char *xn = NULL, *yn = NULL;
	int y = -1, rc = open_parents(t, from, to, &x, &xn, &y, &yn, err);

	if (rc < 0)
		return rc;
	if (node_sys->renameat(x, xn, y, yn) < 0)
		return tree_err(err, "rename", from);
	return 0;
}

int tree_link(struct tree *t, const char *from, const char *to, struct err *err)
{
	AUTO(fd) int x = -1;
	const char *xn = NULL, *yn = NULL;
	int y = -1, rc = open_parents(t, from, to, &x, &xn, &y, &yn, err);

	if (rc < 0)
		return rc;
	if (node_sys->linkat(x, xn, y, yn) == 0)
		return 0;
	if (errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP)
		errno = EXDEV;
	return tree_err(err, "link", from);
}

/* Reads from the descriptor's offset to the end. */
static int pump_fd(void *ctx, const struct sink *to, struct err *err)
{
	const int *fd = ctx;
	char part[16384];

	for (;;) {
		ssize_t n = read(*fd, part, sizeof(part));
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_SYS, "%s", go_errno(errno));
		if (n == 0)
			return 0;
		rc = to->put(to->ctx, (struct str){ part, (size_t)n }, err);
		if (rc < 0)
			return rc;
	}
}

static int copy_file(struct tree *t, const char *from, const struct stat *st, const char *to,
		     struct err *err)
{
	struct tree_attr attr = { st->st_mode & 07777, 0755, st->st_uid, st->st_gid };
	AUTO(fd) int like = tree_open_file(t, from, err);
	const struct producer bytes = { pump_fd, &like };

	return like < 0 ? like : replace_file(t, to, &bytes, !st->st_size, attr, like, err);
}

int tree_copy(struct tree *t, const char *from, const char *to, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str target = S("");
	struct stat st = { 0 };
	int rc = tree_lstat(t, from, &st, err);

	if (rc < 0)
		return rc;
	if (S_ISREG(st.st_mode))
		return copy_file(t, from, &st, to, err);
	if (!S_ISLNK(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is neither a file nor a link", from);
	rc = tree_readlink(&a, t, from, &target, err);
	return rc < 0 ? rc : tree_symlink(t, str_z(&a, target), to, err);
}

/* A descriptor for changing path itself; symlinks are not followed. */
static int open_path(struct tree *t, const char *path, struct err *err)
{
	const char *name = NULL;
	int dir = tree_changing(t, path, &make_none, &name, err), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? tree_err(err, "open", path) : fd;
}

int tree_chmod(struct tree *t, const char *path, mode_t mode, struct err *err)
{
	AUTO(fd) int fd = open_path(t, path, err);

	if (fd < 0)
		return fd;
	if (node_sys->fchmod(fd, mode) < 0)
		return tree_err(err, "chmod", path);
	return node_sys->fsync(fd) < 0 ? tree_err(err, "fsync", path) : 0;
}

int tree_chown(struct tree *t, const char *path, uid_t uid, gid_t gid, struct err *err)
{
	AUTO(fd) int fd = -1;

	if (!t->own)
		return 0;
	fd = open_path(t, path, err);
	if (fd < 0)
		return fd;
	if (node_sys->fchown(fd, uid, gid) < 0)
		return tree_err(err, "chown", path);
	return node_sys->fsync(fd) < 0 ? tree_err(err, "fsync", path) : 0;
}

static int sync_dir(struct tree *t, struct str path, struct err *err)
{
	struct walk w;
	int rc = 0;

	walk_start(&w, t);
	if (walk_to(&w, str_z(&w.a, path), NULL, true, &make_none) == 0 &&
	    node_sys->fsync(walk_top(&w)) < 0)
		rc = tree_err(err, "fsync", str_z(&w.a, path));
	walk_end(&w);
	return rc;
}

/*
 * The journal's directories come last: when a file has moved from there to its place, the new name
 * must be durable before the old one is removed.
 */
int tree_sync(struct tree *t, struct err *err)
{
	int rc = 0;

	for (int journal = 0; journal < 2; journal++)
		for (size_t i = 0; rc == 0 && i < t->dirty.n; i++)
			if (str_starts(t->dirty.v[i].key, S(TREE_JOURNAL)) == (journal == 1))
				rc = sync_dir(t, t->dirty.v[i].key, err);
	if (rc < 0)
		return rc;
	arena_free(&t->dirty_arena);
	map_init(&t->dirty, &t->dirty_arena);
	return 0;
}
