/*
 * live: the controller of a running cluster, in process: the plans of plan/generate
 * over the objects as an API server keeps them, what they want written as bodies of
 * requests.
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
	struct generate_keys waiting; /* those that are tried again */
	const struct json *node; /* the last Node config that was allowed */
	unsigned long clock, uids;
	bool templated; /* the template controller is done */
};

/* Makes objects of text what a client sends; YAML. */
void live_objects(struct arena *a, struct mc_set *set, struct str text);

/* The controller starts. */
void live_start(struct live *l);

/* Objects are applied, and the controller acts on it. */
void live_apply(struct live *l, const struct mc_set *change);

/* A KubeletConfig or ContainerRuntimeConfig is deleted. */
void live_delete(struct live *l, enum mc_kind kind, struct str name);

/* The config that a pool is told to have, or "". */
struct str live_target(const struct live *l, struct str pool);

/* Why the key failed in the last run, or "". */
struct str live_error(const struct live *l, enum generate_kind kind, struct str name);

#endif
