/*
 * registries: from the Image config, mirror sets and image policies to the files that say
 * which registries a node may use and which signatures it requires.
 */
#ifndef PLAN_REGISTRIES_H
#define PLAN_REGISTRIES_H

#include "base/map.h"
#include "mc/generated.h"
#include "mc/load.h"

struct registries_in {
	/* The Image config, mirror sets and image policies; others are ignored. */
	const struct mc_object_list *objects;
	struct str release_image; /* the release image of the cluster */
	bool sigstore; /* gate SigstoreImageVerification */
	/* The first run: counts the allowed list twice, as upstream. */
	bool bootstrap;
};

/* One rule of a mirror set. */
struct mirror_rule {
	struct str source, policy;
	struct strs mirrors;
};

struct mirror_rules {
	struct mirror_rule *v;
	size_t n, cap;
};

/* An ImagePolicy that a ClusterImagePolicy overrides. */
struct registries_conflict {
	struct str namespace, name, message;
};

/* The decisions for all pools. Views the input, which must outlive it. */
struct registries {
	struct str release_image;
	struct mirror_rules digest, tag;
	struct strs insecure, search;
	bool has_insecure, has_search; /* given, even if empty */
	bool has_mirrors; /* there is a mirror set, even if empty */
	struct strs blocked; /* in registries.conf */
	struct strs policy_blocked, policy_allowed; /* in policy.json */
	struct map cluster; /* requirements by scope */
	struct map scopes; /* scopes of all namespaced policies */
	struct map namespaces; /* such a map by namespace */
	struct str note; /* what was left out and why, or "" */
	struct registries_conflict *conflicts;
	size_t n_conflicts, cap_conflicts;
};

/* ERR_INVALID in upstream's words. */
int registries_decide(struct arena *a, const struct registries_in *in, struct registries *out,
		      struct err *err);

/*
 * Appends the files of one pool, made from the base registries.conf and policy.json.
 * ERR_INVALID in upstream's words.
 */
int registries_files(struct arena *a, const struct registries *r, struct str base_conf,
		     struct str base_policy, struct mc_files *out, struct err *err);

/* A policy.json that accepts images of that scope without signatures. */
int registries_accept(struct arena *a, struct str policy, struct str transport, struct str scope,
		      struct str *out, struct err *err);

#endif
