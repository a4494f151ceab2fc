/*
 * The disk in memory that dry runs change.
 */
#ifndef SRC_NODE_DRY_DISK_H
#define SRC_NODE_DRY_DISK_H

#include "node/dry_run.h"

struct dry_disk {
	struct node *n;
	struct arena *a;
	struct dry_run *out;
	struct map index; /* path to its place in out->disk, from 1 */
};

void dry_disk_init(struct dry_disk *s, struct node *n, struct arena *a, struct dry_run *out);
/* What is on the disk itself. */
int dry_disk_read(struct dry_disk *s, const char *path, struct disk_state *out, struct err *err);
/* What a file of a config has, as dry_disk_read has it: large contents are told by
 * their size and sum. */
int dry_disk_contents(struct dry_disk *s, const struct ign_obj *file, struct str *out,
		      struct err *err);
/* What is in memory, to look at and to change; until the next call. */
int dry_disk_at(struct dry_disk *s, struct str path, struct disk_state **out, struct err *err);
/* Removes a path. */
int dry_disk_remove(struct dry_disk *s, struct str path, struct err *err);
int dry_disk_steps(struct dry_disk *s, const struct steps *steps, struct err *err);

#endif
