/*
 * enter: the daemon moves from its own root into the node's.
 *
 * All mounts are made in a mount namespace of this process: a start that fails or is killed leaves
 * no mount below the root, and a program that removes the root cannot reach the host's files
 * through one. Every mount is read-only.
 */
#ifndef NODE_ENTER_H
#define NODE_ENTER_H

#include "node/tree.h"

struct enter_bind {
	const char *from; /* a directory in this process's own root */
	const char *to; /* its path in the node's root */
	bool deep; /* with the mounts below it */
};

struct enter {
	struct arena *a;
	struct tree tree; /* the node's root */
	struct enter_bind *v; /* in mount order */
	size_t n, cap;
	size_t given; /* how many of them enter_path has added */
};

/* The root as an absolute path without links. ERR_INVALID when it is not the root of a machine: it
 * has no os-release. "/" is the root of a machine; the caller need not enter it. */
int enter_root(struct arena *a, const char *root, const char **out, struct err *err);

int enter_open(struct enter *e, struct arena *a, const char *root, struct err *err);
void enter_close(struct enter *e);

/* Adds a directory of our own root, with the mounts below it. False when it does not exist. */
bool enter_add(struct enter *e, const char *from, const char *to);

/*
 * Translates a path for use after the change of root. As in upstream, an absolute path that exists
 * in the node's root is the node's. Any other is a path of our own root: its directory is added
 * unless it is below the node's root. ERR_NOTFOUND when it exists in neither.
 */
int enter_path(struct enter *e, struct str path, struct str *inside, struct err *err);
/* Reads a translated path before the change of root. */
int enter_read(struct enter *e, struct str inside, size_t max, struct str *out, struct err *err);
/* Whether a translated path exists. */
bool enter_has(struct enter *e, struct str inside);

/* Makes the namespace, then the mounts. On failure nothing is mounted outside of this process. */
int enter_mount(struct enter *e, struct err *err);
/* Changes the root and executes argv there; returns only on failure. */
int enter_exec(struct enter *e, const char *const *argv, struct err *err);

#endif
