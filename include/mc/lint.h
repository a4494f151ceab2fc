/*
 * lint: what is wrong with manifests, with the place of each finding; and what
 * upstream accepts and people later regret.
 */
#ifndef MC_LINT_H
#define MC_LINT_H

#include "mc/load.h"
#include "mc/reconcile.h"

struct mc_finding {
	bool error; /* else a warning */
	struct str file;
	size_t line, col; /* 0 when it is about no place in particular */
	struct str object; /* "MachineConfig 10-a" */
	struct str path; /* "spec.config.storage.files.0.mode", or "" */
	struct str message;
	size_t order; /* among those of one place */
};

struct mc_findings {
	struct mc_finding *v;
	size_t n, cap;
};

/* By file, line and column; those of no file last. */
void mc_findings_sort(struct mc_findings *list);
size_t mc_findings_errors(const struct mc_findings *list);

/* Adds findings about one object. */
struct mc_linter {
	struct arena *a;
	const struct doc *doc;
	struct str file, object;
	struct mc_findings *out;
	bool failed; /* an error was found in this one */
	struct ign_locator where;
	const struct ign_review *review; /* of spec.config, or NULL */
};

struct mc_linter mc_linter_of(struct arena *a, const struct doc *doc, struct str file,
			      struct str object, struct mc_findings *out);

struct mc_linter mc_linter_of_mc(struct arena *a, const struct mc *mc, struct mc_findings *out);

/* Whether path has an error in spec.config's review, or is inside a value of the
 * wrong type: mc_linter_add adds nothing more there. */
bool mc_linter_told(const struct mc_linter *l, struct str path);

/* At path, or what of it there is: at its value, or at its key. */
void mc_linter_add(struct mc_linter *l, bool error, struct str path, bool at_key,
		   struct str message);
/* At a value of the document, or its key. */
void mc_linter_add_at(struct mc_linter *l, bool error, struct str path, const struct json *at,
		      bool at_key, struct str message);

/* What loading found: values of a wrong type, documents that cannot be parsed. */
void mc_lint_faults(struct arena *a, const struct mc_faults *faults, struct mc_findings *out);

/*
 * What the API server would refuse or drop, of every kind that is known: kinds and
 * versions that it does not have, fields, names, labels, the size.
 */
void mc_lint_docs(struct arena *a, const struct mc_docs *docs, struct mc_findings *out);

/* Whether controllers made it: then it is not its user's to mend. */
bool mc_is_generated(const struct mc *mc);

/* What the MachineConfig makes of a node that has nothing, in as far as mc_lint
 * could judge it; false: nothing can be said. */
bool mc_lint_alone(struct arena *a, struct mc *mc, struct mc_merged *out);

/* Every rule on one MachineConfig, but of running nodes. Sets mc's judged and
 * review. */
void mc_lint(struct arena *a, struct mc *mc, struct mc_findings *out);

/* What shows only among all of a set: names that are there twice. */
void mc_lint_set(struct arena *a, const struct mc_set *set, struct mc_findings *out);

/*
 * What shows only among those that one pool merges (in merge order): paths that
 * several set, and how near to etcd's limit the result of size bytes is. Paths are
 * told of that a user's MachineConfig among given sets, too.
 */
void mc_lint_pool(struct arena *a, struct str pool, const struct mc_list *sources, size_t size,
		  const struct mc_list *given, struct mc_findings *out);

/* The pools, and master and worker, which every cluster has, where they lack. */
struct mcp_list mc_lint_pools(struct arena *a, const struct mcp_list *pools);

/* " worker (a=b), infra (a in (b,c))": the pools, with what says() tells of each. */
struct str mc_lint_pool_names(struct arena *a, const struct mcp_list *pools,
			      struct str (*says)(struct arena *a, const struct mcp *pool));

/* Users' MachineConfigs of the list that none of the pools selects. */
void mc_lint_selected(struct arena *a, const struct mc_list *mcs, const struct mcp_list *pools,
		      struct mc_findings *out);

/*
 * What running nodes refuse of a user's MachineConfig in itself: what it has that
 * no update may bring.
 */
void mc_lint_refused(struct arena *a, struct mc *mc, struct mc_findings *out);

/*
 * What the nodes of a pool refuse when they go from one config to another. It is
 * told of those among given that have a part in it, else of the pool.
 */
void mc_lint_change(struct arena *a, const struct mcp *pool, const struct mc_merged *from,
		    const struct mc_merged *to, const struct mc_overrides *allow,
		    const struct mc_list *given, struct mc_findings *out);

#endif
