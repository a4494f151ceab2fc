/*
 * Every component is opened on its own with O_NOFOLLOW, and symlinks are resolved here, on a stack
 * of the directories above: a symlink can be swapped at any time and still leads nowhere but below
 * the root. A symlink that is not root's leads only to directories of its owner: otherwise the
 * owner of a home directory could make root write into another's.
 */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define LINKS_MAX 40
#define MKDIR_BITS ((mode_t)01777)
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- walking ------------------------------------------------------------- */

static void walk_up(struct walk *w)
{
	if (w->n > 1)
		(void)close(w->fds[--w->n]);
}

void walk_end(struct walk *w)
{
	while (w->n > 1)
		walk_up(w);
	arena_free(&w->a);
}

int walk_top(const struct walk *w)
{
	return w->fds[w->n - 1];
}

/* Removes the next component from *rest and returns it; "" at the end. */
static struct str component(struct str *rest)
{
	struct str c;
	size_t i = 0, j;

	while (i < rest->n && rest->p[i] == '/')
		i++;
	for (j = i; j < rest->n && rest->p[j] != '/'; j++)
		;
	c = str_sub(*rest, i, j);
	*rest = str_from(*rest, j);
	return c;
}

static int push_dir(struct walk *w, int fd, struct str name)
{
	if (w->n == TREE_DEPTH_MAX) {
		(void)close(fd);
		errno = ENAMETOOLONG;
		return -1;
	}
	w->names[w->n] = name;
	w->fds[w->n++] = fd;
	return 0;
}

/* Puts the target of a symlink in front of the rest of the path. */
static int follow_link(struct walk *w, const char *name, struct str *rest)
{
	char *to = arena_alloc(&w->a, TREE_PATH_MAX);
	ssize_t n = readlinkat(walk_top(w), name, to, TREE_PATH_MAX - 1);
	struct stat st;

	if (n < 0 || fstatat(walk_top(w), name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (w->t->own && st.st_uid != 0) {
		w->theirs = true;
		w->owner = st.st_uid;
	}
	if (++w->links > LINKS_MAX || (size_t)n + rest->n + 2 > TREE_PATH_MAX) {
		errno = ELOOP;
		return -1;
	}
	if (n > 0 && to[0] == '/')
		while (w->n > 1)
			walk_up(w);
	*rest = str_fmt(&w->a, "%.*s/%.*s", (int)n, to, STRF(*rest));
	return 0;
}

static bool is_link(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

/* Checks that the path has not led to a directory of another user. */
static int check_owner(struct walk *w)
{
	struct stat st;

	if (!w->theirs)
		return 0;
	if (fstat(walk_top(w), &st) < 0)
		return -1;
	if (st.st_uid == w->owner)
		return 0;
	errno = TREE_STRAYED;
	return -1;
}

/* Sets what mkdir cannot: other mode bits and the owner. */
static int set_attrs(struct walk *w, int fd, const struct make *make)
{
	bool own = make->uid >= 0 && w->t->own, bits = make->mode & ~MKDIR_BITS;

	if (own && node_sys->fchown(fd, (uid_t)make->uid, (gid_t)make->gid) < 0)
		return -1;
	if (bits && node_sys->fchmod(fd, make->mode) < 0)
		return -1;
	return own || bits ? node_sys->fsync(fd) : 0;
}

/*
 * The mode is right from the start, whatever the umask is: nothing corrects a directory that a
 * power cut leaves behind.
 */
static int make_dir(struct walk *w, const char *name, const struct make *make)
{
	int top = walk_top(w), rc, fd;
	mode_t old;

	if (check_owner(w) < 0)
		return -1;
	old = umask(0);
	rc = node_sys->mkdirat(top, name, make->mode & MKDIR_BITS);
	(void)umask(old);
	/* its contents can be durable only if it is */
	if ((rc < 0 && errno != EEXIST) || node_sys->fsync(top) < 0)
		return -1;
	fd = openat(top, name, DIR_FLAGS);
	if (fd >= 0 && rc == 0 && set_attrs(w, fd, make) < 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static int enter_dir(struct walk *w, struct str c, struct str *rest, const struct make *make)
{
	char *name = str_z(&w->a, c);
	int top = walk_top(w), fd = openat(top, name, DIR_FLAGS);

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR) && is_link(top, name))
		return follow_link(w, name, rest);
	if (fd < 0 && errno == ENOENT && make->on)
		fd = make_dir(w, name, make);
	return fd < 0 ? -1 : push_dir(w, fd, c);
}

const struct make make_none = { 0 };

int walk_to(struct walk *w, const char *path, struct str *last, bool follow_last,
	    const struct make *make)
{
	struct str rest = str_of(path), c;

	if (rest.n >= TREE_PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (last)
		*last = S(".");
	for (c = component(&rest); c.n; c = component(&rest)) {
		struct str ahead = rest, none = component(&ahead);

		if (str_is(c, "."))
			continue;
		if (str_is(c, "..")) {
			walk_up(w);
			continue;
		}
		if (last && !none.n) {
			char *name = str_z(&w->a, c);

			if (!follow_last || !is_link(walk_top(w), name)) {
				*last = str_of(name);
				return check_owner(w);
			}
			if (follow_link(w, name, &rest) < 0)
				return -1;
			continue;
		}
		if (enter_dir(w, c, &rest, make) < 0) {
			w->left = str_fmt(&w->a, "%.*s/%.*s", STRF(c), STRF(rest));
			return -1;
		}
	}
	return check_owner(w);
}

void walk_start(struct walk *w, struct tree *t)
{
	*w = (struct walk){ .t = t, .n = 1, .a = ARENA_INIT };
	w->fds[0] = t->fd;
}

/* ---- the directory of a path --------------------------------------------- */

void tree_forget(struct tree *t)
{
	if (t->cached_fd >= 0)
		(void)close(t->cached_fd);
	t->cached_fd = -1;
	t->cached = NULL;
	arena_free(&t->cache_arena);
}

/*
 * Config files come many to a directory, so the last descriptor is cached.
 */
int tree_parent(struct tree *t, const char *path, const struct make *make, const char **name)
{
	struct str p = str_of(path), dir;
	ptrdiff_t slash = str_rchr(p, '/');
	struct walk w;
	int rc;

	if (slash < 0 || (size_t)slash + 1 == p.n) {
		errno = EINVAL;
		return -1;
	}
	*name = path + slash + 1;
	if (strcmp(*name, "..") == 0 || strcmp(*name, ".") == 0) {
		errno = EINVAL;
		return -1;
	}
	dir = str_sub(p, 0, (size_t)slash);
	if (t->cached && str_eq(str_of(t->cached), dir))
		return t->cached_fd;
	tree_forget(t);
	walk_start(&w, t);
	rc = walk_to(&w, str_z(&w.a, dir), NULL, true, make);
	if (rc == 0) {
		t->cached_fd = fcntl(walk_top(&w), F_DUPFD_CLOEXEC, 0);
		rc = t->cached_fd;
		if (rc >= 0)
			t->cached = str_z(&t->cache_arena, dir);
	}
	walk_end(&w);
	return rc;
}

/* Nothing escapes the journal: an update changes only what the journal has recorded. */
static bool may_change(const struct tree *t, struct str path)
{
	return map_find(t->allowed, path) || str_starts(path, S(TREE_JOURNAL "/")) ||
	       (t->links && str_starts(path, S(TREE_UNITS "/")));
}

/* A file is in place of a directory: names it as os.MkdirAll does. */
static int set_no_dir(struct tree *t, const char *path, struct err *err)
{
	struct str p = str_of(path), dir = str_sub(p, 0, (size_t)str_rchr(p, '/')), at = dir;

	while (at.n > 1 && !tree_lexists(t, str_z(err->a, at)))
		at.n = (size_t)str_rchr(at, '/');
	return err_set(err, ERR_SYS,
		       "failed to create directory \"%.*s\": mkdir %.*s: not a "
		       "directory",
		       STRF(dir), STRF(at));
}

int tree_changing(struct tree *t, const char *path, const struct make *make, const char **name,
		  struct err *err)
{
	struct str key;
	int dir;

	if (t->allowed && !may_change(t, str_of(path)))
		return err_set(err, ERR_INVALID, "%s is not in the update's journal: not changed",
			       path);
	dir = tree_parent(t, path, make, name);
	if (dir < 0)
		return make->on && errno == ENOTDIR ? set_no_dir(t, path, err)
						    : tree_err(err, "open", path);
	key = str_sub(str_of(path), 0, (size_t)(*name - path));
	if (!map_find(&t->dirty, key))
		(void)map_put(&t->dirty, str_dup(&t->dirty_arena, key), t);
	return dir;
}
