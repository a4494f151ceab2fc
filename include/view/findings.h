/*
 * findings: the findings of a validation, as text and as JSON.
 */
#ifndef VIEW_FINDINGS_H
#define VIEW_FINDINGS_H

#include "mc/lint.h"

/* "file:line:column: error: object: path: message", one line for each. */
void findings_text(struct buf *b, struct arena *a, const struct mc_findings *list);
/* An array with one object for each. */
struct json *findings_json(struct arena *a, const struct mc_findings *list);

#endif
