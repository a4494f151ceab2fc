/*
 * live: the controller of a running cluster, in process. It runs the plans of
 * plan/generate over the objects as an API server keeps them, and reads their
 * writes as request bodies.
 */
#ifndef TEST_PLAN_LIVE_H
#define TEST_PLAN_LIVE_H

#include "../test.h"
#include "plan/render/settle.h"

#define LIVE_RAW "v4.22.0"
#define LIVE_HASH "0123456789abcdef0123456789abcdef01234567"

struct live {
	struct arena *a;
	const struct template_tree *tree;
	struct mc_set set; /* the cluster */
	struct settle_keys failed; /* of the last run */
	struct generate_keys waiting; /* keys to retry */
	const struct json *node; /* the last Node config that was accepted */
	unsigned long clock, uids;
	bool templated; /* the template controller has finished */
};

/* Parses YAML into the objects that a client sends. */
void live_objects(struct arena *a, struct mc_set *set, struct str text);

/* Starts the controller. */
void live_start(struct live *l);

/* Applies objects, and lets the controller react. */
void live_apply(struct live *l, const struct mc_set *change);

/* Deletes a KubeletConfig or ContainerRuntimeConfig. */
void live_delete(struct live *l, enum mc_kind kind, struct str name);

/* The target config of a pool, or "". */
struct str live_target(const struct live *l, struct str pool);

/* Why the key failed in the last run, or "". */
struct str live_error(const struct live *l, enum generate_kind kind, struct str name);

#endif
