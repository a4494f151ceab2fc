/*
 * change_text: a change of a cluster, as text and as JSON.
 */
#ifndef VIEW_CHANGE_TEXT_H
#define VIEW_CHANGE_TEXT_H

#include "plan/change.h"
#include "view/forecast_text.h"

/* Pruned objects, the effect on pools, refused objects, assumptions. */
void change_text(struct buf *b, struct arena *a, const struct change *c,
		 const struct forecasts *list, const struct config_diff_opts *o);

/* "assumed: TEXT" for each assumption. */
void change_assumed_text(struct buf *b, const struct change *c);

/* differences: of forecast_json or config_diff_json. warnings: what the command has printed. */
struct json *change_json(struct arena *a, const struct change *c, struct json *differences,
			 const struct strs *warnings);

#endif
