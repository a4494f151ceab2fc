/* storage_conf: container storage's settings, read and written again. */
#ifndef SRC_PLAN_STORAGE_CONF_H
#define SRC_PLAN_STORAGE_CONF_H

#include "data/json.h"

struct storage_changes {
	struct str size; /* "" leaves it */
	struct json *layers, *images; /* lists, or NULL to leave them */
};

/*
 * base with the changes made, written as upstream's struct is: what that does
 * not have, and comments, are lost. ERR_INVALID in upstream's words.
 */
int storage_conf(struct arena *a, struct str base, const struct storage_changes *c, struct str *out,
		 struct err *err);

#endif
