/*
 * tree: a node's files below a root directory, resolved as after a chroot.
 *
 * Paths are absolute as the node sees them. Neither symlinks nor ".." lead out of the root, and a
 * symlink of a user other than root leads only to directories of the same user. Every change goes
 * through node_sys, so that a test can simulate a power cut before any of them.
 */
#ifndef NODE_TREE_H
#define NODE_TREE_H

#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/sink.h"
#include "base/vec.h"

/* The system calls that change a disk. */
struct node_sys {
	int (*openat)(int dir, const char *name, int flags, mode_t mode);
	ssize_t (*write)(int fd, const void *p, size_t n);
	int (*fsync)(int fd);
	int (*fchmod)(int fd, mode_t mode);
	int (*fchown)(int fd, uid_t uid, gid_t gid);
	int (*fsetxattr)(int fd, const char *name, const void *p, size_t n, int flags);
	int (*renameat)(int from, const char *x, int to, const char *y);
	int (*linkat)(int from, const char *x, int to, const char *y);
	int (*symlinkat)(const char *target, int dir, const char *name);
	int (*unlinkat)(int dir, const char *name, int flags);
	int (*mkdirat)(int dir, const char *name, mode_t mode);
	/* Called before a command starts and after it has ended, as a place to cut. Non-zero
	 * refuses the command. */
	int (*command)(const char *name);
};
extern const struct node_sys node_sys_real;
extern const struct node_sys *node_sys;

#define TREE_UNITS "/etc/systemd/system"
#define TREE_JOURNAL "/etc/machine-config-daemon/journal"

/* errno for a symlink of a user that leads to a directory of another. No system call used here sets
 * it. */
#define TREE_STRAYED EREMCHG

struct tree {
	const char *root; /* as given */
	int fd;
	bool own; /* this process is root and can set owners */
	int lock; /* the descriptor that tree_lock holds, or -1 */
	/* While an update runs: the only paths that may change. */
	const struct map *allowed;
	bool links; /* the links to units may change too: the journal has them */
	/* Directories changed since the last tree_sync, which fsyncs each. */
	struct map dirty;
	struct arena dirty_arena;
	struct arena cache_arena;
	char *cached; /* the path of cached_fd */
	int cached_fd;
};

int tree_open(struct tree *t, const char *root, struct err *err);
void tree_close(struct tree *t);
/* Opens the root again by its path, after this process has changed its mount namespace. */
int tree_reopen(struct tree *t, struct err *err);
/*
 * Locks the root against other processes until tree_close or the end of the process; idempotent.
 * ERR_CONFLICT when another process has held the lock for ten seconds. Only root and the user of
 * this process can hold it.
 */
int tree_lock(struct tree *t, struct err *err);
void tree_unlock(struct tree *t);

/* ---- reading ------------------------------------------------------------- */

/* lstat. The error texts are those of Go: "lstat /x: no such file …". */
int tree_lstat(struct tree *t, const char *path, struct stat *st, struct err *err);
/* Whether path exists; symlinks are followed. */
bool tree_exists(struct tree *t, const char *path);
/* Whether path exists, even as a dangling symlink. */
bool tree_lexists(struct tree *t, const char *path);
int tree_read(struct arena *a, struct tree *t, const char *path, size_t max, struct str *out,
	      struct err *err);
/* A descriptor for reading, which the caller owns; a symlink at path is followed. */
int tree_open_file(struct tree *t, const char *path, struct err *err);
/* Whether a file has exactly these bytes. */
bool tree_has(struct tree *t, const char *path, const struct producer *from);
int tree_readlink(struct arena *a, struct tree *t, const char *path, struct str *out,
		  struct err *err);
/* The path with all symlinks resolved, as filepath.EvalSymlinks does. */
int tree_realpath(struct arena *a, struct tree *t, const char *path, struct str *out,
		  struct err *err);
/* Where a file at path would be written: symlinks in the directories above it are resolved, even
 * dangling ones. */
struct str tree_resolve(struct arena *a, struct tree *t, const char *path);
/* The names in a directory, sorted; none when it does not exist. */
int tree_list(struct arena *a, struct tree *t, const char *path, struct strs *out, struct err *err);
/* The path in our own root, for inotify and for messages. */
char *tree_host_path(struct arena *a, const struct tree *t, const char *path);

/* ---- changing ------------------------------------------------------------ */

struct tree_attr {
	mode_t mode, dir_mode;
	int64_t uid, gid; /* -1: not set */
};
#define TREE_DEFAULT ((struct tree_attr){ 0644, 0755, -1, -1 })

/*
 * Replaces path atomically: writes a file beside it, fsyncs and renames it. tree_sync fsyncs the
 * directory.
 */
int tree_write(struct tree *t, const char *path, struct str data, struct tree_attr attr,
	       struct err *err);
/* The same with bytes that come in parts. */
int tree_write_from(struct tree *t, const char *path, const struct producer *from,
		    struct tree_attr attr, struct err *err);
/* The same with TREE_DEFAULT. */
int tree_put(struct tree *t, const char *path, struct str data, struct err *err);
int tree_symlink(struct tree *t, const char *target, const char *path, struct err *err);
int tree_mkdirs(struct tree *t, const char *path, mode_t mode, int64_t uid, int64_t gid,
		struct err *err);
/* Succeeds when path does not exist. ERR_CONFLICT for a directory that is not empty. */
int tree_remove(struct tree *t, const char *path, struct err *err);
int tree_remove_all(struct tree *t, const char *path, struct err *err);
/* The same for a directory outside of any node; -1 and errno. */
int tree_remove_at(int dir, const char *name);
int tree_rename(struct tree *t, const char *from, const char *to, struct err *err);
/* A hard link. ERR_INVALID where there cannot be one, such as across devices. */
int tree_link(struct tree *t, const char *from, const char *to, struct err *err);
/* As cp -a: contents or target, mode, owner, extended attributes. */
int tree_copy(struct tree *t, const char *from, const char *to, struct err *err);
int tree_chmod(struct tree *t, const char *path, mode_t mode, struct err *err);
int tree_chown(struct tree *t, const char *path, uid_t uid, gid_t gid, struct err *err);

/* An unlinked temporary file in the directory of path, or a negative err code. The caller closes
 * it. */
int tree_scratch(struct tree *t, const char *path, struct err *err);
/* The free bytes of the file system of path; 0 when they are not known. */
uint64_t tree_free(struct tree *t, const char *path);

/* Makes every change so far durable. */
int tree_sync(struct tree *t, struct err *err);

/* Removes the temporary file of a tree_write or tree_symlink of path that was cut short. */
int tree_clean(struct tree *t, const char *path, struct err *err);

/* Sets "<op> <path>: <Go's text for errno>". */
int tree_err(struct err *err, const char *op, const char *path);
const char *go_errno(int no);

#endif
