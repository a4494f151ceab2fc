/*
 * dump: lists of a cluster's objects as one List, for `--base` and `-f`.
 *
 * Objects are unchanged except for fields that no preview reads: managedFields, and
 * the images of Nodes. Rendered MachineConfigs to which neither a pool nor a node refers
 * are omitted: a cluster keeps all old ones.
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

/* Adds the items of a list from the API server, and consumes the list. */
void dump_add(struct dump *d, struct json *list);

/* Everything added so far: apiVersion v1, kind List. */
struct json *dump_list(struct dump *d);

#endif
