/*
 * walk: resolves a path below a root, component by component.
 */
#ifndef SRC_NODE_WALK_H
#define SRC_NODE_WALK_H

#include "node/tree.h"

#define TREE_DEPTH_MAX 64
#define TREE_PATH_MAX 4096

struct walk {
	struct tree *t;
	int fds[TREE_DEPTH_MAX]; /* [0] is the root's own */
	struct str names[TREE_DEPTH_MAX]; /* of fds[1..n) */
	size_t n;
	int links;
	/* A symlink of a user other than root was followed: the path must end in a directory of
	 * the same user. */
	bool theirs;
	uid_t owner;
	struct arena a; /* for targets of symlinks */
	struct str left; /* the unresolved rest where walk_to failed */
};

/* Whether and how to make missing directories. */
struct make {
	bool on;
	mode_t mode;
	int64_t uid, gid;
};

extern const struct make make_none;

void walk_start(struct walk *w, struct tree *t);
/*
 * Enters the directory path. Unless last is NULL, the last component is not entered but returned;
 * with follow_last a symlink there is resolved first. -1 and errno.
 */
int walk_to(struct walk *w, const char *path, struct str *last, bool follow_last,
	    const struct make *make);
int walk_top(const struct walk *w);
void walk_end(struct walk *w);

/*
 * A descriptor of the directory of path, which the tree owns, and the name in it; -1 and errno.
 */
int tree_parent(struct tree *t, const char *path, const struct make *make, const char **name);
/* The same for a change: tree_sync will fsync the directory. A negative err code. */
int tree_changing(struct tree *t, const char *path, const struct make *make, const char **name,
		  struct err *err);
/* Closes the cached descriptor, which would keep a mount busy. */
void tree_forget(struct tree *t);

#endif
