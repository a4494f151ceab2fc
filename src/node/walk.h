/*
 * walk: the way to a path below a root, one component after the other.
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
	/* A link of a user other than root was followed: the way may only end
	 * in a folder of the same user. */
	bool theirs;
	uid_t owner;
	struct arena a; /* targets of links */
	struct str left; /* where walk_to failed: what was still to go */
};

/* What to do about folders that are not there. */
struct make {
	bool on;
	mode_t mode;
	int64_t uid, gid;
};

extern const struct make make_none;

void walk_start(struct walk *w, struct tree *t);
/*
 * Goes into the folder path names. Unless last is NULL, its final component is
 * not entered but given back; when that is a link and follow_last is set, the
 * link is followed and what it leads to given back.
 */
int walk_to(struct walk *w, const char *path, struct str *last, bool follow_last,
	    const struct make *make);
int walk_top(const struct walk *w);
void walk_end(struct walk *w);

/*
 * A descriptor (the tree's) of the folder that path is in, and the name in it;
 * -1 and errno.
 */
int tree_parent(struct tree *t, const char *path, const struct make *make, const char **name);
/* The same for a change: the folder will be fsynced. A negative err code. */
int tree_changing(struct tree *t, const char *path, const struct make *make, const char **name,
		  struct err *err);
void tree_forget(struct tree *t);

#endif
