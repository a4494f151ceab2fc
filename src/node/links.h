/*
 * links: units enabled by symlinks alone, as `systemctl --root` does without a running systemd.
 */
#ifndef SRC_NODE_LINKS_H
#define SRC_NODE_LINKS_H

#include "node/tree.h"

int links_preset(struct tree *t, struct arena *a, struct str unit, struct err *err);
int links_enable(struct tree *t, struct arena *a, struct str unit, struct err *err);
int links_disable(struct tree *t, struct arena *a, struct str unit, struct err *err);

/* "enabled", "disabled", "masked", "static", "indirect" or "not-found". */
struct str links_is_enabled(struct tree *t, struct arena *a, struct str unit);

/* The path of the unit's file, or "". by_template: the file of an instance's template counts. */
struct str links_find(struct tree *t, struct arena *a, struct str unit, bool by_template);

#endif
