/*
 * sandbox/table: what the cells of a built-in kind's table show.
 */
#ifndef SANDBOX_TABLE_H
#define SANDBOX_TABLE_H

#include "sandbox/sandbox.h"

/* The value at a JSONPath of the simple kind CRDs may have, or NULL. */
const struct json *cell_find(struct arena *a, const struct json *o, struct str path);

/* Seconds, in two figures at most: "5m", "2d3h". */
struct str cell_duration(struct arena *a, int64_t s);
/* How long ago a time was; "<unknown>" when it is none. */
struct str cell_age(struct arena *a, struct str since, int64_t now);

/* What a pod's containers come to. */
struct cell_pod {
	struct str reason;
	int64_t restarts;
	size_t ready;
	bool starting, running; /* some init container; some container */
};
struct cell_pod cell_pod(struct arena *a, const struct json *pod);

/* The object has a condition of that type, and it is True. */
bool cell_condition(const struct json *o, struct str type);

/* A computed cell by its code, a letter and what it applies to. */
struct str cell_text(struct sb_call *c, const struct json *o, struct str code);
int64_t cell_number(struct sb_call *c, const struct json *o, struct str code);

#endif
