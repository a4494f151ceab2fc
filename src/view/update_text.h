/*
 * update_text: what an update does to a node, for people and for programs.
 */
#ifndef VIEW_UPDATE_TEXT_H
#define VIEW_UPDATE_TEXT_H

#include "plan/update.h"

/* "drain and reboot", "no drain, no reboot", … */
const char *update_plan_words(const struct update_plan *p);

/* A line for each action: what, of which change, by which rule. */
void update_plan_reasons(struct buf *b, const struct update_plan *p);

struct json *update_plan_json(struct arena *a, const struct update_plan *p);
struct json *update_changes_json(struct arena *a, const struct update_changes *c);

#endif
