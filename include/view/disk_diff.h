/*
 * disk_diff: the changes of an update on a disk, path by path, as text.
 */
#ifndef VIEW_DISK_DIFF_H
#define VIEW_DISK_DIFF_H

#include "base/vec.h"
#include "view/contents_diff.h"

enum disk_kind {
	DISK_ABSENT,
	DISK_FILE,
	DISK_LINK,
	DISK_OTHER, /* a directory or device: contents ignored */
};

struct disk_state {
	enum disk_kind kind;
	int64_t mode, uid, gid; /* of a file; -1 for any */
	struct str data; /* contents, or a link's target */
};

struct disk_change {
	struct str path;
	struct disk_state from, to;
};

struct disk_changes {
	struct disk_change *v;
	size_t n, cap;
};

bool disk_same(const struct disk_state *x, const struct disk_state *y);

/* Appends each path that differs: a heading, then mode, owner and contents.
 * Returns how many there are. */
size_t disk_diff(struct buf *b, const struct disk_changes *list, const struct contents_opts *o);

#endif
