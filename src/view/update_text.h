/*
 * update_text: the effect of an update on a node, as text and as JSON.
 */
#ifndef VIEW_UPDATE_TEXT_H
#define VIEW_UPDATE_TEXT_H

#include "plan/update.h"

/* "drain and reboot", "no drain, no reboot", … */
const char *update_plan_words(const struct update_plan *p);

/* A line per action: the action, the change, the rule. */
void update_plan_reasons(struct buf *b, const struct update_plan *p);

struct json *update_plan_json(struct arena *a, const struct update_plan *p);
struct json *update_changes_json(struct arena *a, const struct update_changes *c);

#endif
