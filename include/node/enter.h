/*
 * enter: the daemon moves from its own root into the node's.
 *
 * Mounts are made in a mount namespace that only this process has: however a
 * start fails or is killed, no mount stays behind below the root, and nothing
 * that removes the root can reach the host's files through it. Every mount is
 * read-only.
 */
#ifndef NODE_ENTER_H
#define NODE_ENTER_H

#include "node/tree.h"

struct enter_bind {
	const char *from; /* a directory of our own root */
	const char *to; /* where the node's root gets it */
	bool deep; /* with what is mounted below it */
};

struct enter {
	struct arena *a;
	struct tree tree; /* the node's root */
	struct enter_bind *v; /* in the order they are mounted */
	size_t n, cap;
	size_t given; /* how many of them come from paths */
};

/* The root without links in it. ERR_INVALID when it is not the root of a
 * machine: it has no os-release. "/" is one that needs no entering. */
int enter_root(struct arena *a, const char *root, const char **out, struct err *err);

int enter_open(struct enter *e, struct arena *a, const char *root, struct err *err);
void enter_close(struct enter *e);

/* Adds a directory of our own and what is mounted below it, if it is there. */
bool enter_add(struct enter *e, const char *from, const char *to);

/*
 * What a path, given before the change of root, is called after it. An absolute
 * path that the node has is the node's, as upstream reads it. Any other is ours:
 * unless it is below the root, its directory is added. ERR_NOTFOUND when neither
 * has it.
 */
int enter_path(struct enter *e, struct str path, struct str *inside, struct err *err);
/* Reads what has this name inside, before the change of root. */
int enter_read(struct enter *e, struct str inside, size_t max, struct str *out, struct err *err);
/* Whether something has this name inside. */
bool enter_has(struct enter *e, struct str inside);

/* Makes the namespace, then the mounts; on failure nothing is mounted outside
 * this process. */
int enter_mount(struct enter *e, struct err *err);
/* Changes the root and runs argv there: returns only if that fails. */
int enter_exec(struct enter *e, const char *const *argv, struct err *err);

#endif
