#ifndef APPLETS_DAEMON_DRY_RUN_H
#define APPLETS_DAEMON_DRY_RUN_H

#include "mco_daemon.h"

/* Each shows what the command would do, and changes nothing. */
int daemon_dry_apply(struct run *r, struct node *n, const struct mc_current *from,
		     const struct mc_current *to, bool secrets);
int daemon_dry_rollback(struct run *r, struct node *n, bool secrets);

#endif
