/*
 * The disk in memory that dry runs change.
 */
#ifndef SRC_NODE_DRY_RUN_H
#define SRC_NODE_DRY_RUN_H

#include "node/dry_run.h"

struct sim {
	struct node *n;
	struct arena *a;
	struct dry_run *out;
	struct map index; /* path to its place in out->disk, from 1 */
};

void sim_init(struct sim *s, struct node *n, struct arena *a, struct dry_run *out);
/* What is on the disk itself. */
int sim_read(struct sim *s, const char *path, struct disk_state *out, struct err *err);
/* What a file of a config has, as sim_read has it: large contents are told by
 * their size and sum. */
int sim_contents(struct sim *s, const struct ign_obj *file, struct str *out, struct err *err);
/* What is in memory, to look at and to change; until the next call. */
int sim_at(struct sim *s, struct str path, struct disk_state **out, struct err *err);
int sim_steps(struct sim *s, const struct steps *steps, struct err *err);

#endif
