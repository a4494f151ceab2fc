/*
 * node_update: moves a node from one config to another, atomically.
 *
 * After a kill, power cut, full disk or failed command the node has the old config or the new one,
 * at the latest after node_update_recover, which every start runs first. Every function here that
 * changes the node takes its lock first: see tree_lock.
 */
#ifndef NODE_UPDATE_H
#define NODE_UPDATE_H

#include "mc/reconcile.h"
#include "node/journal.h"
#include "node/node.h"

struct node_update {
	const struct mc_current *from, *to;
	struct str from_image, to_image; /* images built in the cluster, or "" */
	const struct update_plan *plan; /* the actions after the update */
	bool force, skip_certificates;
	bool hosted; /* see struct steps_in */
	bool bare; /* files and units only, as once-from does with Ignition */
	const struct map *only; /* see struct steps_in */
};

/*
 * Runs every step and keeps the journal for rollback. A failure undoes all steps before this
 * returns; the error is the one that upstream reports.
 */
int node_update_apply(struct node *n, struct arena *a, const struct node_update *u,
		      struct err *err);

/* Records that the actions of the last update have run. A failure to write that is logged: the next
 * start then runs them again, unless the node has rebooted. */
void node_update_finished(struct node *n, struct arena *a);

/* Restores what was there before the last update. cause is the failure that made it necessary
 * and becomes part of the error text; "" for none. ERR_NOTFOUND when there is no journal,
 * ERR_INVALID when it is damaged. */
int node_update_rollback(struct node *n, struct arena *a, struct str cause, struct err *err);

struct node_journal_view {
	enum journal_state state;
	struct str from, to; /* names */
	struct strs actions; /* "Reload crio.service", … */
	bool finished; /* the actions have run, or the node has rebooted */
	struct str damage; /* why the other members are empty, or "" */
};
/* Reads the journal; without one, out->state is JOURNAL_NONE. */
int node_update_journal(struct node *n, struct arena *a, struct node_journal_view *out,
			struct err *err);

/*
 * Undoes an update that was cut short; *undone is then true and out describes that update. When an
 * update is complete but its actions have not run, out->finished is false: the caller runs them.
 */
int node_update_recover(struct node *n, struct arena *a, bool *undone,
			struct node_journal_view *out, struct err *err);

#endif
