/* storage_conf: reads and writes container storage's settings. */
#ifndef SRC_PLAN_STORAGE_CONF_H
#define SRC_PLAN_STORAGE_CONF_H

#include "data/json.h"

struct storage_changes {
	struct str size; /* "" keeps the value */
	struct json *layers, *images; /* lists; NULL keeps the value */
};

/*
 * base with the changes, written as upstream's struct is: unknown members and comments
 * are lost. ERR_INVALID in upstream's words.
 */
int storage_conf(struct arena *a, struct str base, const struct storage_changes *c, struct str *out,
		 struct err *err);

#endif
