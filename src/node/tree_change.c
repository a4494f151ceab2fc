#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/file.h"
#include "node/tree.h"
#include "walk.h"

#define XATTRS_MAX 4096

/* A name of our own beside path: always the same, so that what a power cut
 * leaves behind can be found; short, however long path's name is. */
static void temp_name(const char *name, char out[32])
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str sum = hash_hex_of(&a, HASH_MD5, str_of(name));

	(void)snprintf(out, 32, ".mco-%.20s", sum.p);
}

static int fill(struct tree *t, int fd, struct str data,
		const struct tree_attr *attr)
{
	struct stat st;

	/* an empty file is as durable as its name */
	if (!data.n && attr->uid < 0 && fstat(fd, &st) == 0 &&
	    (st.st_mode & 07777) == attr->mode)
		return 0;
	if (node_sys->fchmod(fd, attr->mode) < 0)
		return -1;
	while (data.n) {
		ssize_t n = node_sys->write(fd, data.p, data.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data = str_from(data, (size_t)n);
	}
	if (attr->uid >= 0 && attr->gid >= 0 && t->own &&
	    node_sys->fchown(fd, (uid_t)attr->uid, (gid_t)attr->gid) < 0)
		return -1;
	/* a change of owner takes these bits away */
	if ((attr->mode & 07000) && node_sys->fchmod(fd, attr->mode) < 0)
		return -1;
	return node_sys->fsync(fd);
}

int tree_write(struct tree *t, const char *path, struct str data,
	       struct tree_attr attr, struct err *err)
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
	fd = node_sys->openat(
		dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		data.n ? 0600 : attr.mode & 0777);
	if (fd < 0)
		return tree_err(err, "open", path);
	if (fill(t, fd, data, &attr) < 0)
		rc = tree_err(err, "write", path);
	else if (node_sys->renameat(dir, temp, dir, name) < 0)
		rc = tree_err(err, "rename", path);
	else
		return 0;
	(void)node_sys->unlinkat(dir, temp, 0);
	return rc;
}

int tree_put(struct tree *t, const char *path, struct str data, struct err *err)
{
	return tree_write(t, path, data, TREE_DEFAULT, err);
}

int tree_symlink(struct tree *t, const char *target, const char *path,
		 struct err *err)
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

int tree_mkdirs(struct tree *t, const char *path, mode_t mode, int64_t uid,
		int64_t gid, struct err *err)
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
	if (node_sys->unlinkat(dir, name,
			       S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) < 0 &&
	    errno != ENOENT)
		return tree_err(err, "remove", path);
	if (S_ISDIR(st.st_mode))
		tree_forget(t);
	return 0;
}

static int remove_below(int dir, const char *name, int depth)
{
	int fd = openat(dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

static int two_parents(struct tree *t, const char *from, const char *to, int *x,
		       const char **xn, int *y, const char **yn,
		       struct err *err)
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

int tree_rename(struct tree *t, const char *from, const char *to,
		struct err *err)
{
	AUTO(fd) int x = -1;
	const char *xn = NULL, *yn = NULL;
	int y = -1, rc = two_parents(t, from, to, &x, &xn, &y, &yn, err);

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
	int y = -1, rc = two_parents(t, from, to, &x, &xn, &y, &yn, err);

	if (rc < 0)
		return rc;
	if (node_sys->linkat(x, xn, y, yn) == 0)
		return 0;
	if (errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP)
		errno = EXDEV;
	return tree_err(err, "link", from);
}

/* Labels and the like; what cannot be set on the copy is left out. */
static void copy_xattrs(int from, int to)
{
	char names[XATTRS_MAX], value[XATTRS_MAX];
	ssize_t n = flistxattr(from, names, sizeof(names));

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
		ssize_t v = fgetxattr(from, names + i, value, sizeof(value));

		if (v >= 0)
			(void)fsetxattr(to, names + i, value, (size_t)v, 0);
	}
}

static int copy_file(struct tree *t, const char *from, const struct stat *st,
		     const char *to, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct tree_attr attr = { st->st_mode & 07777, 0755, st->st_uid,
				  st->st_gid };
	struct str data = S("");
	int rc = tree_read(&a, t, from, SIZE_MAX / 2, &data, err), dir;
	AUTO(fd) int x = -1;
	AUTO(fd) int y = -1;
	const char *name = NULL;

	if (rc == 0)
		rc = tree_write(t, to, data, attr, err);
	if (rc < 0)
		return rc;
	dir = tree_parent(t, from, &make_none, &name);
	if (dir >= 0)
		x = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	dir = tree_parent(t, to, &make_none, &name);
	if (dir >= 0)
		y = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (x >= 0 && y >= 0)
		copy_xattrs(x, y);
	return 0;
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
		return err_set(err, ERR_INVALID,
			       "%s is neither a file nor a link", from);
	rc = tree_readlink(&a, t, from, &target, err);
	return rc < 0 ? rc : tree_symlink(t, str_z(&a, target), to, err);
}

/* A descriptor for changing what is at path itself. */
static int open_here(struct tree *t, const char *path, struct err *err)
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
	AUTO(fd) int fd = open_here(t, path, err);

	if (fd < 0)
		return fd;
	if (node_sys->fchmod(fd, mode) < 0)
		return tree_err(err, "chmod", path);
	return node_sys->fsync(fd) < 0 ? tree_err(err, "fsync", path) : 0;
}

int tree_chown(struct tree *t, const char *path, uid_t uid, gid_t gid,
	       struct err *err)
{
	AUTO(fd) int fd = -1;

	if (!t->own)
		return 0;
	fd = open_here(t, path, err);
	if (fd < 0)
		return fd;
	if (node_sys->fchown(fd, uid, gid) < 0)
		return tree_err(err, "chown", path);
	return node_sys->fsync(fd) < 0 ? tree_err(err, "fsync", path) : 0;
}

static int sync_one(struct tree *t, struct str path, struct err *err)
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

int tree_sync(struct tree *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->dirty.n; i++)
		rc = sync_one(t, t->dirty.v[i].key, err);
	if (rc < 0)
		return rc;
	arena_free(&t->dirty_arena);
	map_init(&t->dirty, &t->dirty_arena);
	return 0;
}
