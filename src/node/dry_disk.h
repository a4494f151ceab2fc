/*
 * dry_disk: a copy-on-write view of a node's disk, in memory, that dry runs change.
 */
#ifndef SRC_NODE_DRY_DISK_H
#define SRC_NODE_DRY_DISK_H

#include "node/dry_run.h"

struct dry_disk {
	struct node *n;
	struct arena *a;
	struct dry_run *out;
	struct map index; /* path to its index in out->disk, plus 1 */
};

void dry_disk_init(struct dry_disk *s, struct node *n, struct arena *a, struct dry_run *out);
/* Reads the real disk. */
int dry_disk_read(struct dry_disk *s, const char *path, struct disk_state *out, struct err *err);
/* The contents of a config's file, in the form of dry_disk_read: size and checksum for large
 * ones. */
int dry_disk_contents(struct dry_disk *s, const struct ign_obj *file, struct str *out,
		      struct err *err);
/* The state in memory, to read and change; valid until the next call. */
int dry_disk_at(struct dry_disk *s, struct str path, struct disk_state **out, struct err *err);
/* Removes a path. */
int dry_disk_remove(struct dry_disk *s, struct str path, struct err *err);
int dry_disk_steps(struct dry_disk *s, const struct steps *steps, struct err *err);

#endif
