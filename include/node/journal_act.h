/*
 * journal_act: the post actions (reload, restart, reboot) that a journal records.
 */
#ifndef NODE_JOURNAL_ACT_H
#define NODE_JOURNAL_ACT_H

#include "node/node_update.h"

/* Adds the journal's actions to out, without those of kind None. */
void journal_actions(struct arena *a, const struct node_journal_view *v, struct update_plan *out);

/* Runs the journal's actions for the config called name. */
int journal_act(struct node *n, struct arena *a, const struct node_journal_view *v, struct str name,
		struct err *err);

#endif
