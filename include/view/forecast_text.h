/*
 * forecast_text: what becomes of the pools of a cluster, for people and for programs.
 */
#ifndef VIEW_FORECAST_TEXT_H
#define VIEW_FORECAST_TEXT_H

#include "plan/forecast.h"
#include "view/config_diff.h"

struct forecasts {
	const struct forecast **v;
	size_t n, cap;
};

/* What happens to the pool, in one line without its name: "each node: drain and
 * reboot (3 nodes, 1 at a time)". */
struct str forecast_headline(struct arena *a, const struct forecast *f);

/*
 * Every pool: first what changes, once for pools in which the same changes, then
 * what happens, and why.
 */
void forecasts_text(struct buf *b, const struct forecasts *list, const struct config_diff_opts *o);

/* One pool. */
struct json *forecast_json(struct arena *a, const struct forecast *f);

#endif
