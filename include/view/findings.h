/*
 * findings: the findings of a validation, as text and as JSON.
 */
#ifndef VIEW_FINDINGS_H
#define VIEW_FINDINGS_H

#include "mc/lint.h"

/* "file:line:column: error: object: path: message", one line for each. */
void findings_text(struct buf *b, struct arena *a, const struct mc_findings *list);
/* One line: "2 errors, 1 warning", or how many objects of set are valid. */
void findings_sum(struct buf *b, const struct mc_findings *list, const struct mc_set *set);
/* The findings in set, their number and the notes. problem: why the check is incomplete, or "". */
struct json *findings_report(struct arena *a, const struct mc_findings *list,
			     const struct mc_set *set, const struct strs *notes,
			     struct str problem);

#endif
