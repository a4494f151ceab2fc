/*
 * mismatch_text: the mismatches of node_verify as a table and as JSON.
 */
#ifndef NODE_MISMATCH_TEXT_H
#define NODE_MISMATCH_TEXT_H

#include "data/json.h"
#include "node/node_verify.h"

/* A table, then the differences of contents; secrets: unmasked. */
void mismatches_text(struct buf *b, struct arena *a, const struct mismatches *list, bool secrets,
		     bool no_headings);
struct json *mismatches_json(struct arena *a, const struct mismatches *list, struct str config);

#endif
