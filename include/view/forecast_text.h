/*
 * forecast_text: the effect of a change on the pools of a cluster, as text and as JSON.
 */
#ifndef VIEW_FORECAST_TEXT_H
#define VIEW_FORECAST_TEXT_H

#include "plan/forecast.h"
#include "view/config_diff.h"

/* The effect on the pool in one line, without its name: "each node: drain and reboot
 * (3 nodes, 1 at a time)". */
struct str forecast_headline(struct arena *a, const struct forecast *f);

/*
 * All pools: first the changes, once for pools with the same changes, then the effect
 * on the nodes, and the reasons.
 */
void forecasts_text(struct buf *b, const struct forecasts *list, const struct config_diff_opts *o);

/* One pool. */
struct json *forecast_json(struct arena *a, const struct forecast *f);

#endif
