/*
 * table: the contents of the cells of a built-in kind's table.
 */
#ifndef SANDBOX_TABLE_H
#define SANDBOX_TABLE_H

#include "sandbox/sandbox.h"

/* The value at a JSONPath, in the simple form that CRDs can have, or NULL. */
const struct json *cell_find(struct arena *a, const struct json *o, struct str path);

/* A duration in seconds, with at most two units: "5m", "2d3h". */
struct str cell_duration(struct arena *a, int64_t s);
/* The time since a timestamp; "<unknown>" when it is not valid. */
struct str cell_age(struct arena *a, struct str since, int64_t now);

/* The summary of a pod's containers. */
struct cell_pod {
	struct str reason;
	int64_t restarts;
	size_t ready;
	bool starting, running; /* an init container; a container */
};
struct cell_pod cell_pod(struct arena *a, const struct json *pod);

/* Whether the object has a condition of that type with status True. */
bool cell_condition(const struct json *o, struct str type);

/* A computed cell by its code: a letter and its argument. */
struct str cell_text(struct sb_call *c, const struct json *o, struct str code);
int64_t cell_number(struct sb_call *c, const struct json *o, struct str code);

#endif
