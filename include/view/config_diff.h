/*
 * config_diff: how one pool's config differs from another, for people and for
 * programs: contents decoded, and what the change does to the nodes.
 */
#ifndef VIEW_CONFIG_DIFF_H
#define VIEW_CONFIG_DIFF_H

#include "plan/update.h"

struct config_diff {
	struct str pool; /* for external_diff; "" when it is not about a pool */
	struct str from_name, to_name;
	const struct mc_merged *from, *to;
	const struct update_plan *plan;
	const char *irreconcilable; /* NULL: a running node can follow */
};

struct config_diff_opts {
	bool colour, secrets;
	const char *whole; /* see udiff_opts: of each file and list */
};

/* Appends the differences; false (and nothing) when there are none. */
bool config_diff_text(struct buf *b, const struct config_diff *d, const struct config_diff_opts *o);

/* What a node goes through: a line, and one for each reason. */
void config_diff_summary(struct buf *b, const struct config_diff *d,
			 const struct config_diff_opts *o);

/* Both as JSON. */
struct json *config_diff_json(struct arena *a, const struct config_diff *d);

#endif
