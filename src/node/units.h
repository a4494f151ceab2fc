/*
 * units: systemd units of a config, written, enabled and removed. On a node that is offline the
 * links of links.h take the place of systemctl.
 */
#ifndef SRC_NODE_UNITS_H
#define SRC_NODE_UNITS_H

#include "node/node.h"
#include "plan/steps.h"

/* The three kinds of steps that write: a dropin; a unit, its mask or unmask; removal. */
int units_write_dropin(struct node *n, struct arena *a, const struct step *s, struct err *err);
int units_write(struct node *n, struct arena *a, const struct step *s, struct err *err);
int units_remove_stale(struct node *n, struct arena *a, const struct step *s, struct err *err);

/* Best effort: logs a failure and returns false. */
bool units_preset(struct node *n, struct arena *a, struct str unit);

/* Enables, or disables, all units with one command. */
int units_enable(struct node *n, struct arena *a, const struct strs *units, bool enable,
		 struct err *err);

/* What `systemctl is-enabled` prints ("enabled", "disabled", "masked" …) and its wait status. */
int units_is_enabled(struct node *n, struct arena *a, struct str unit, struct str *out, int *status,
		     struct err *err);

#endif
