/*
 * config_diff: the differences of two configs, as text and as JSON: contents decoded,
 * and the effect of the change on the nodes.
 */
#ifndef VIEW_CONFIG_DIFF_H
#define VIEW_CONFIG_DIFF_H

#include "plan/update.h"

struct config_diff {
	struct str pool; /* for external_diff; "" when it is not about a pool */
	struct str from_name, to_name;
	const struct mc_merged *from, *to;
	const struct update_plan *plan;
	const char *irreconcilable; /* NULL: a running node accepts the change */
};

struct config_diff_opts {
	bool colour, secrets;
	const char *whole; /* see udiff_opts: of each file and list */
};

/* Appends the differences; false (and nothing) when there are none. */
bool config_diff_text(struct buf *b, const struct config_diff *d, const struct config_diff_opts *o);

/* The effect on a node: one line, and one per reason. */
void config_diff_summary(struct buf *b, const struct config_diff *d,
			 const struct config_diff_opts *o);

/* Both as JSON. */
struct json *config_diff_json(struct arena *a, const struct config_diff *d);

#endif
