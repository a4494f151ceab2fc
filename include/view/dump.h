/*
 * dump: lists of a cluster's objects as one List, for `--base` and `-f`.
 *
 * Objects stay as they are but for what no preview reads: managedFields, and the
 * images that a Node has. Rendered MachineConfigs that neither a pool nor a node
 * refers to are left out: a cluster keeps every one there ever was.
 */
#ifndef VIEW_DUMP_H
#define VIEW_DUMP_H

#include "base/vec.h"
#include "data/json.h"

struct dump {
	struct arena *a;
	struct json *items;
};

void dump_init(struct dump *d, struct arena *a);

/* The items of a list as the API server gives it; the list is used up. */
void dump_add(struct dump *d, struct json *list);

/* All that was added: apiVersion v1, kind List. */
struct json *dump_list(struct dump *d);

#endif
