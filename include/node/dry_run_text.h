/*
 * dry_run_text: what apply and rollback would do, for people. Read-only.
 */
#ifndef NODE_DRY_RUN_TEXT_H
#define NODE_DRY_RUN_TEXT_H

#include "node/node.h"

/* secrets: show secret values instead of masks. */
int dry_run_apply_text(struct node *n, struct arena *a, const struct mc_current *from,
		       const struct mc_current *to, bool secrets, struct buf *out, struct err *err);
int dry_run_rollback_text(struct node *n, struct arena *a, bool secrets, struct buf *out,
			  struct err *err);

#endif
