/*
 * Reading below a root, and the table of system calls that change it. Every path is resolved by
 * walk.c; nothing here uses a path of the node with a plain open(2).
 */
#include "node/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/file.h"
#include "walk.h"

/* ---- system calls -------------------------------------------------------- */

static int sys_openat(int dir, const char *name, int flags, mode_t mode)
{
	return openat(dir, name, flags, mode);
}

static int sys_linkat(int from, const char *x, int to, const char *y)
{
	return linkat(from, x, to, y, 0);
}

static int sys_command(const char *name)
{
	(void)name;
	return 0;
}

const struct node_sys node_sys_real = {
	.openat = sys_openat,
	.write = write,
	.fsync = fsync,
	.fchmod = fchmod,
	.fchown = fchown,
	.fsetxattr = fsetxattr,
	.renameat = renameat,
	.linkat = sys_linkat,
	.symlinkat = symlinkat,
	.unlinkat = unlinkat,
	.mkdirat = mkdirat,
	.command = sys_command,
};
const struct node_sys *node_sys = &node_sys_real;

const char *go_errno(int no)
{
	static const struct {
		int no;
		const char *text;
	} texts[] = {
		{ ENOENT, "no such file or directory" },
		{ EACCES, "permission denied" },
		{ EPERM, "operation not permitted" },
		{ ENOTDIR, "not a directory" },
		{ EISDIR, "is a directory" },
		{ EEXIST, "file exists" },
		{ ENOTEMPTY, "directory not empty" },
		{ ELOOP, "too many levels of symbolic links" },
		{ ENAMETOOLONG, "file name too long" },
		{ ENOSPC, "no space left on device" },
		{ EDQUOT, "disk quota exceeded" },
		{ EIO, "input/output error" },
		{ EROFS, "read-only file system" },
		{ EXDEV, "invalid cross-device link" },
		{ TREE_STRAYED, "a symlink in it leads to a directory of another user: "
				"not followed" },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].no == no)
			return texts[i].text;
	return strerror(no);
}

int tree_err(struct err *err, const char *op, const char *path)
{
	int no = errno;

	return err_set(err,
		       no == ENOENT || no == ENOTDIR	   ? ERR_NOTFOUND
		       : no == EXDEV || no == TREE_STRAYED ? ERR_INVALID
		       : no == ENOTEMPTY || no == EEXIST   ? ERR_CONFLICT
							   : ERR_SYS,
		       "%s %s: %s", op, path, go_errno(no));
}

int tree_open(struct tree *t, const char *root, struct err *err)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, "open the root %s", root);
	*t = (struct tree){ .root = root,
			    .fd = fd,
			    .own = geteuid() == 0,
			    .lock = -1,
			    .dirty_arena = ARENA_INIT,
			    .cache_arena = ARENA_INIT,
			    .cached_fd = -1 };
	map_init(&t->dirty, &t->dirty_arena);
	return 0;
}

int tree_reopen(struct tree *t, struct err *err)
{
	int fd = open(t->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, "open the root %s", t->root);
	tree_forget(t);
	(void)close(t->fd);
	t->fd = fd;
	return 0;
}

void tree_close(struct tree *t)
{
	tree_unlock(t);
	tree_forget(t);
	arena_free(&t->dirty_arena);
	if (t->fd >= 0)
		(void)close(t->fd);
	t->fd = -1;
}

/* ---- reading ------------------------------------------------------------- */

int tree_lstat(struct tree *t, const char *path, struct stat *st, struct err *err)
{
	const char *name;
	int dir = tree_parent(t, path, &make_none, &name);

	if (dir < 0 || fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) < 0)
		return tree_err(err, "lstat", path);
	return 0;
}

bool tree_lexists(struct tree *t, const char *path)
{
	struct stat st;
	const char *name;
	int dir = tree_parent(t, path, &make_none, &name);

	return dir >= 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool tree_exists(struct tree *t, const char *path)
{
	struct walk w;
	struct str last;
	struct stat st;
	bool there;

	walk_start(&w, t);
	there = walk_to(&w, path, &last, true, &make_none) == 0 &&
		fstatat(walk_top(&w), last.p, &st, AT_SYMLINK_NOFOLLOW) == 0;
	walk_end(&w);
	return there;
}

int tree_open_file(struct tree *t, const char *path, struct err *err)
{
	const char *name;
	int dir = tree_parent(t, path, &make_none, &name), fd = -1;
	int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	if (dir >= 0)
		fd = openat(dir, name, flags);
	if (fd < 0 && errno == ELOOP) {
		struct walk w;
		struct str last;

		walk_start(&w, t);
		if (walk_to(&w, path, &last, true, &make_none) == 0)
			fd = openat(walk_top(&w), last.p, flags);
		walk_end(&w);
	}
	return fd < 0 ? tree_err(err, "open", path) : fd;
}

int tree_read(struct arena *a, struct tree *t, const char *path, size_t max, struct str *out,
	      struct err *err)
{
	AUTO(fd) int fd = tree_open_file(t, path, err);

	return fd < 0 ? fd : file_read_fd(a, fd, path, max, out, err);
}

/* ERR_CONFLICT: the file differs. */
static int same_part(void *ctx, struct str part, struct err *err)
{
	const int *fd = ctx;
	char have[8192];

	while (part.n) {
		size_t want = part.n < sizeof(have) ? part.n : sizeof(have);
		ssize_t n = read(*fd, have, want);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || memcmp(have, part.p, (size_t)n) != 0)
			return err_set(err, ERR_CONFLICT, "it differs");
		part = str_from(part, (size_t)n);
	}
	return 0;
}

bool tree_has(struct tree *t, const char *path, const struct producer *from)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	AUTO(fd) int fd = tree_open_file(t, path, &err);
	const struct sink compare = { same_part, NULL, &fd };
	char more;

	return fd >= 0 && from->pump(from->ctx, &compare, &err) == 0 && read(fd, &more, 1) == 0;
}

int tree_readlink(struct arena *a, struct tree *t, const char *path, struct str *out,
		  struct err *err)
{
	const char *name;
	int dir = tree_parent(t, path, &make_none, &name);
	char *to = arena_alloc(a, TREE_PATH_MAX);
	ssize_t n = dir < 0 ? -1 : readlinkat(dir, name, to, TREE_PATH_MAX - 1);

	if (n < 0)
		return tree_err(err, "readlink", path);
	*out = (struct str){ to, (size_t)n };
	return 0;
}

int tree_realpath(struct arena *a, struct tree *t, const char *path, struct str *out,
		  struct err *err)
{
	struct walk w;
	struct str last;
	struct stat st;
	struct buf b;
	int rc;

	walk_start(&w, t);
	buf_init(&b, a);
	rc = walk_to(&w, path, &last, true, &make_none);
	for (size_t i = 1; rc == 0 && i < w.n; i++)
		buf_addf(&b, "/%.*s", STRF(w.names[i]));
	if (rc == 0 && !str_is(last, "."))
		buf_addf(&b, "/%.*s", STRF(last));
	if (rc == 0)
		rc = fstatat(walk_top(&w), last.p, &st, AT_SYMLINK_NOFOLLOW);
	if (rc < 0)
		rc = tree_err(err, "lstat", b.n ? b.p : path);
	else
		*out = buf_str(&b);
	walk_end(&w);
	return rc;
}

/* Appends the components of path; ".." removes one. */
static void add_path(struct buf *b, struct str path)
{
	struct str part;
	bool more = true;

	while (more) {
		more = str_cut(path, '/', &part, &path);
		if (!more)
			part = path;
		if (str_is(part, "..")) {
			ptrdiff_t slash = str_rchr(buf_str(b), '/');

			b->n = slash < 0 ? 0 : (size_t)slash;
		} else if (part.n && !str_is(part, ".")) {
			buf_addf(b, "/%.*s", STRF(part));
		}
	}
}

struct str tree_resolve(struct arena *a, struct tree *t, const char *path)
{
	struct walk w;
	struct str last = S("");
	struct buf b;
	int rc;

	buf_init(&b, a);
	walk_start(&w, t);
	rc = walk_to(&w, path, &last, false, &make_none);
	for (size_t i = 1; i < w.n; i++)
		buf_addf(&b, "/%.*s", STRF(w.names[i]));
	add_path(&b, rc == 0 ? last : w.left);
	walk_end(&w);
	return buf_str(&b);
}

static int by_name(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

int tree_list(struct arena *a, struct tree *t, const char *path, struct strs *out, struct err *err)
{
	struct walk w;
	struct dirent *e;
	DIR *d = NULL;
	int rc, fd = -1;

	walk_start(&w, t);
	rc = walk_to(&w, path, NULL, true, &make_none);
	if (rc == 0)
		fd = openat(walk_top(&w), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	walk_end(&w);
	if (fd >= 0)
		d = fdopendir(fd);
	if (!d) {
		if (fd >= 0)
			(void)close(fd);
		return errno == ENOENT ? 0 : tree_err(err, "open", path);
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			VEC_PUSH(a, out, str_dup(a, str_of(e->d_name)));
	(void)closedir(d);
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
	return 0;
}

char *tree_host_path(struct arena *a, const struct tree *t, const char *path)
{
	struct str root = str_of(t->root);

	while (root.n && root.p[root.n - 1] == '/')
		root.n--;
	return str_z(a, str_fmt(a, "%.*s%s", STRF(root), path));
}
