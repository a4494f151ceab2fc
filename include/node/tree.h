/*
 * tree: a node's files below a root folder, reached as a chroot would reach them.
 *
 * Paths are absolute as the node sees them. Symlinks are followed inside the
 * root: neither they nor ".." lead out of it, and those of users other than root
 * only to folders of the same user. Every change goes through
 * node_sys, so that a test can cut the power before any of them.
 */
#ifndef NODE_TREE_H
#define NODE_TREE_H

#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/sink.h"
#include "base/vec.h"

/* The calls that change something on a disk. */
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
	/* A command is about to start, or has ended: nothing but a place to
	 * cut. Non-zero refuses it. */
	int (*command)(const char *name);
};
extern const struct node_sys node_sys_real;
extern const struct node_sys *node_sys;

#define TREE_UNITS "/etc/systemd/system"
#define TREE_JOURNAL "/etc/machine-config-daemon/journal"

/* errno: a user's link leads to what is not theirs. No call below has it. */
#define TREE_STRAYED EREMCHG

struct tree {
	const char *root; /* as given */
	int fd;
	bool own; /* owners can be set: we are root */
	int lock; /* -1, or what tree_lock holds */
	/* While an update runs: the only paths that may be changed. */
	const struct map *allowed;
	bool links; /* and the links to units, which the journal has too */
	/* Folders changed since the last tree_sync, each fsynced there. */
	struct map dirty;
	struct arena dirty_arena;
	struct arena cache_arena;
	char *cached; /* the folder that cached_fd is */
	int cached_fd;
};

int tree_open(struct tree *t, const char *root, struct err *err);
void tree_close(struct tree *t);
/* Opens the root again by its path, after this process has changed its mount namespace. */
int tree_reopen(struct tree *t, struct err *err);
/*
 * Until tree_close, or the end of the process, no other process gets the lock for
 * the same root; one that has it keeps it. ERR_CONFLICT when another has had it
 * for ten seconds. Nobody but root and the user of this process can hold it.
 */
int tree_lock(struct tree *t, struct err *err);
void tree_unlock(struct tree *t);

/* ---- looking ------------------------------------------------------------- */

/* lstat; errors are worded as Go words them: "lstat /x: no such file …". */
int tree_lstat(struct tree *t, const char *path, struct stat *st, struct err *err);
/* Whether something, symlinks followed, is there. */
bool tree_exists(struct tree *t, const char *path);
/* Whether anything, if only a dangling link, is there. */
bool tree_lexists(struct tree *t, const char *path);
int tree_read(struct arena *a, struct tree *t, const char *path, size_t max, struct str *out,
	      struct err *err);
/* A descriptor of what is there, to read from; the last link is followed. */
int tree_open_file(struct tree *t, const char *path, struct err *err);
/* Whether a file has these bytes, and no others. */
bool tree_has(struct tree *t, const char *path, const struct producer *from);
int tree_readlink(struct arena *a, struct tree *t, const char *path, struct str *out,
		  struct err *err);
/* The path with every link in it followed, as filepath.EvalSymlinks does. */
int tree_realpath(struct arena *a, struct tree *t, const char *path, struct str *out,
		  struct err *err);
/* Where a file at path would be written: links in the directories above it are
 * followed, whether or not they lead to something. */
struct str tree_resolve(struct arena *a, struct tree *t, const char *path);
/* Names in a folder, sorted; none when it is not there. */
int tree_list(struct arena *a, struct tree *t, const char *path, struct strs *out, struct err *err);
/* The path below the host's own root, for watching and for messages. */
char *tree_host_path(struct arena *a, const struct tree *t, const char *path);

/* ---- changing ------------------------------------------------------------ */

struct tree_attr {
	mode_t mode, dir_mode;
	int64_t uid, gid; /* -1 -1: as they come */
};
#define TREE_DEFAULT ((struct tree_attr){ 0644, 0755, -1, -1 })

/*
 * Replaces path: a file beside it is written, fsynced and renamed over it. The
 * folder is fsynced by tree_sync.
 */
int tree_write(struct tree *t, const char *path, struct str data, struct tree_attr attr,
	       struct err *err);
/* The same with what comes in parts. */
int tree_write_from(struct tree *t, const char *path, const struct producer *from,
		    struct tree_attr attr, struct err *err);
/* The same with TREE_DEFAULT. */
int tree_put(struct tree *t, const char *path, struct str data, struct err *err);
int tree_symlink(struct tree *t, const char *target, const char *path, struct err *err);
int tree_mkdirs(struct tree *t, const char *path, mode_t mode, int64_t uid, int64_t gid,
		struct err *err);
/* Nothing there is no fault. A folder with something in it is ERR_CONFLICT. */
int tree_remove(struct tree *t, const char *path, struct err *err);
int tree_remove_all(struct tree *t, const char *path, struct err *err);
/* The same of what is not a node's; -1 and errno. */
int tree_remove_at(int dir, const char *name);
int tree_rename(struct tree *t, const char *from, const char *to, struct err *err);
/* Another name for a file or link. ERR_INVALID where there cannot be one: on
 * another device, say. */
int tree_link(struct tree *t, const char *from, const char *to, struct err *err);
/* As cp -a: contents or target, mode, owner, attributes. */
int tree_copy(struct tree *t, const char *from, const char *to, struct err *err);
int tree_chmod(struct tree *t, const char *path, mode_t mode, struct err *err);
int tree_chown(struct tree *t, const char *path, uid_t uid, gid_t gid, struct err *err);

/* A file without a name in the folder of path, to write to and read from; or a
 * negative err code. It is gone when it is closed. */
int tree_scratch(struct tree *t, const char *path, struct err *err);
/* Bytes that may still be written in the folder of path; 0 when it is not
 * known. */
uint64_t tree_free(struct tree *t, const char *path);

/* Makes every change so far durable. */
int tree_sync(struct tree *t, struct err *err);

/* Removes what a cut tree_write or tree_symlink of path left behind. */
int tree_clean(struct tree *t, const char *path, struct err *err);

/* "<op> <path>: <reason as Go words it>" from errno. */
int tree_err(struct err *err, const char *op, const char *path);
const char *go_errno(int no);

#endif
