/*
 * post_action: the actions after an update: reload or restart of services, or a reboot.
 */
#ifndef NODE_POST_ACTION_H
#define NODE_POST_ACTION_H

#include "node/node.h"
#include "plan/update.h"

/* Runs one action for the update to the config called name. */
int post_action_run(struct node *n, struct arena *a, const struct update_action *act,
		    struct str name, struct err *err);
/* Runs all actions of a plan in order, with one reboot at most, and logs each before it runs. Does
 * nothing on a node that is offline. */
int post_action_run_all(struct node *n, struct arena *a, const struct update_plan *p,
			struct str name, struct err *err);

/* Reloads or restarts crio (verb). Upstream has one error text for both. */
int post_action_crio(struct node *n, struct arena *a, const char *verb, struct err *err);

#endif
