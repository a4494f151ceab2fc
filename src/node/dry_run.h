/*
 * dry_run: what an update or a rollback would change on a node; read-only.
 *
 * It follows the same steps and the same journal as the real ones and reads the node's disk. The
 * only programs it runs are queries: systemctl is-enabled, rpm -qf.
 */
#ifndef NODE_DRY_RUN_H
#define NODE_DRY_RUN_H

#include "node/node_update.h"
#include "view/disk_diff.h"

struct dry_run {
	/* Without the daemon's own state (see mc_is_state) and without users, whose changes the
	 * configs show. */
	struct disk_changes disk;
	struct strs commands; /* "systemctl enable a.service", in order */
};

int dry_run_update(struct node *n, struct arena *a, const struct node_update *u,
		   struct dry_run *out, struct err *err);

/* The update that a rollback undoes. */
struct dry_back {
	struct mc_current from, to; /* of that update */
	bool os; /* the rollback changes the OS */
	struct strs put_right; /* edited since the update, restored to the old config; their
				* changes are in dry_run.disk too */
};
/* ERR_NOTFOUND and ERR_INVALID as for node_update_rollback. */
int dry_run_rollback(struct node *n, struct arena *a, struct dry_run *out, struct dry_back *back,
		     struct err *err);

#endif
