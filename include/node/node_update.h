/*
 * update: a node moved from one config to another, or not at all.
 *
 * At any kill, power cut, full disk or failed command the node has the old
 * config or the new one, at the latest when node_update_recover has run: every start
 * runs it first. What changes a node locks it first: see tree_lock.
 */
#ifndef NODE_UPDATE_H
#define NODE_UPDATE_H

#include "mc/reconcile.h"
#include "node/journal.h"
#include "node/node.h"

struct node_update {
	const struct mc_current *from, *to;
	struct str from_image, to_image; /* built in the cluster; or "" */
	const struct update_plan *plan; /* what is done when it holds */
	bool force, skip_certificates;
	bool hosted; /* as hosted clusters have it: see steps_in */
	bool bare; /* files and units alone, as once-from does with Ignition */
	const struct map *only; /* of these, those in it: see steps_in */
};

/*
 * Carries out every step and keeps the journal for rollback. On failure all is
 * undone before it returns, and the error is what upstream would report.
 */
int node_update_apply(struct node *n, struct arena *a, const struct node_update *u,
		      struct err *err);

/* The actions of the last update have been taken: nothing is left to do. Where
 * that cannot be written down it is logged: the next start takes them again,
 * unless the node has rebooted. */
void node_update_finished(struct node *n, struct arena *a);

/* Goes back to what was there before the last update. cause, when it is not
 * "", is the failure that made it necessary and part of the error's text. */
int node_update_rollback(struct node *n, struct arena *a, struct str cause, struct err *err);

struct node_journal_view {
	enum journal_state state;
	struct str from, to; /* names */
	struct strs actions; /* "Reload crio.service", … */
	bool finished; /* they have been taken, or the node has rebooted */
	struct str damage; /* why the rest of it cannot be told; or "" */
};
/* What the journal tells; never ERR_NOTFOUND. */
int node_update_journal(struct node *n, struct arena *a, struct node_journal_view *out,
			struct err *err);

/*
 * Undoes what was cut short. *undone says that there was something, told in
 * out. An update that holds but whose actions have not been taken is left to
 * the caller: out->finished is then false.
 */
int node_update_recover(struct node *n, struct arena *a, bool *undone,
			struct node_journal_view *out, struct err *err);

#endif
