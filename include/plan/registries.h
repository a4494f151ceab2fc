/*
 * registries: from the Image config, mirror sets and image policies to the files
 * that tell a node where it may pull from and whose signatures it asks for.
 */
#ifndef PLAN_REGISTRIES_H
#define PLAN_REGISTRIES_H

#include "base/map.h"
#include "mc/generated.h"
#include "mc/load.h"

struct registries_in {
	/* The Image config, mirror sets and image policies among others. */
	const struct mc_object_list *objects;
	struct str release_image; /* what the cluster itself runs from */
	bool sigstore; /* gate SigstoreImageVerification */
	/* The first run: the allowed list counts twice there. */
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

/* An ImagePolicy that a ClusterImagePolicy outranks. */
struct registries_conflict {
	struct str namespace, name, message;
};

/* What holds for every pool. Views the input, which must outlive it. */
struct registries {
	struct str release_image;
	struct mirror_rules digest, tag;
	struct strs insecure, search;
	bool has_insecure, has_search; /* given, if only as an empty list */
	bool has_mirrors; /* there is a mirror set, if only an empty one */
	struct strs blocked; /* in registries.conf */
	struct strs policy_blocked, policy_allowed; /* in policy.json */
	struct map cluster; /* scope to its list of requirements */
	struct map scopes; /* of namespaces' policies, all of them */
	struct map namespaces; /* name to a struct map of the first kind */
	struct str note; /* what was left out and why, or "" */
	struct registries_conflict *conflicts;
	size_t n_conflicts, cap_conflicts;
};

/* ERR_INVALID in upstream's words. */
int registries_decide(struct arena *a, const struct registries_in *in, struct registries *out,
		      struct err *err);

/*
 * Appends the files of one pool, made from what its templates have in
 * registries.conf and policy.json. ERR_INVALID in upstream's words.
 */
int registries_files(struct arena *a, const struct registries *r, struct str base_conf,
		     struct str base_policy, struct mc_files *out, struct err *err);

/* A policy.json with images of that scope accepted, whoever has signed them. */
int registries_accept(struct arena *a, struct str policy, struct str transport, struct str scope,
		      struct str *out, struct err *err);

#endif
