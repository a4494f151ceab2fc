/*
 * toml: TOML 1.0 to a JSON tree (dates become strings): what registries.conf
 * and CRI-O's files are read with.
 */
#ifndef DATA_TOML_H
#define DATA_TOML_H

#include "data/json.h"

#define TOML_DEPTH_MAX 100

/* ERR_INVALID 'toml: line 1 (last key "a"): problem', ERR_LIMIT too deep. */
int toml_parse(struct arena *a, struct str text, struct json **out,
	       struct err *err);

#endif
