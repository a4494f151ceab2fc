/*
 * dry_run: what an update or a rollback would do to a node, without doing it.
 *
 * It goes by the same steps and the same journal as the real ones, and by what is
 * on the disk now. It runs only programs that ask: systemctl is-enabled, rpm -qf.
 */
#ifndef NODE_DRY_RUN_H
#define NODE_DRY_RUN_H

#include "node/node_update.h"
#include "view/disk_diff.h"

struct dry_run {
	/* Not among them: the daemon's own records (see mc_is_state) and what
	 * is done to users, which the configs tell. */
	struct disk_changes disk;
	struct strs commands; /* "systemctl enable a.service", in order */
};

int dry_run_update(struct node *n, struct arena *a, const struct node_update *u,
		   struct dry_run *out, struct err *err);

/* What a rollback knows of the update it goes back from. */
struct dry_back {
	struct mc_current from, to; /* that update's */
	bool os; /* the OS is changed back */
	struct strs put_right; /* paths edited since, as the old config has
				* them; among dry_run.disk */
};
/* ERR_NOTFOUND or ERR_INVALID as node_update_rollback has them. */
int dry_run_rollback(struct node *n, struct arena *a, struct dry_run *out, struct dry_back *back,
		     struct err *err);

#endif
