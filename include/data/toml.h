/*
 * toml: TOML 1.0 to a JSON tree (dates become strings) and back, for
 * registries.conf, storage.conf and CRI-O's files.
 */
#ifndef DATA_TOML_H
#define DATA_TOML_H

#include "data/json.h"

#define TOML_DEPTH_MAX 100

/* ERR_INVALID 'toml: line 1 (last key "a"): problem', ERR_LIMIT too deep. */
int toml_parse(struct arena *a, struct str text, struct json **out, struct err *err);

/*
 * Appends an object as BurntSushi's encoder does: members in order, tables after everything else,
 * no nulls. If b is not empty, a blank line precedes the first table.
 */
void toml_emit(struct buf *b, const struct json *j);

#endif
