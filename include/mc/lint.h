/*
 * lint: errors in manifests with their positions, and warnings about risky settings that upstream
 * accepts.
 */
#ifndef MC_LINT_H
#define MC_LINT_H

#include "mc/load.h"
#include "mc/reconcile.h"

struct mc_finding {
	bool error; /* else a warning */
	struct str file;
	size_t line, col; /* 0: no position */
	struct str object; /* "MachineConfig 10-a" */
	struct str path; /* "spec.config.storage.files.0.mode", or "" */
	struct str message;
	size_t order; /* among findings with the same position */
};

struct mc_findings {
	struct mc_finding *v;
	size_t n, cap;
};

/* Sorts by file, line and column; findings without a file come last. */
void mc_findings_sort(struct mc_findings *list);
size_t mc_findings_errors(const struct mc_findings *list);

/* Adds findings about one object. */
struct mc_linter {
	struct arena *a;
	const struct doc *doc;
	struct str file, object;
	struct mc_findings *out;
	bool failed; /* an error was found in this object */
	struct ign_locator where;
	const struct ign_review *review; /* of spec.config, or NULL */
};

struct mc_linter mc_linter_of(struct arena *a, const struct doc *doc, struct str file,
			      struct str object, struct mc_findings *out);

struct mc_linter mc_linter_of_mc(struct arena *a, const struct mc *mc, struct mc_findings *out);

/* Whether path has an error in the review of spec.config, or is inside a value of the wrong type:
 * mc_linter_add adds no more findings there. */
bool mc_linter_reported(const struct mc_linter *l, struct str path);

/* Adds a finding at path, or at the longest part of it that exists; at_key: at its key. */
void mc_linter_add(struct mc_linter *l, bool error, struct str path, bool at_key,
		   struct str message);
/* Adds a finding at a value of the document; at_key: at its key. */
void mc_linter_add_at(struct mc_linter *l, bool error, struct str path, const struct json *at,
		      bool at_key, struct str message);

/* Adds the faults of loading: values of the wrong type, documents that do not parse. */
void mc_lint_faults(struct arena *a, const struct mc_faults *faults, struct mc_findings *out);

/*
 * Adds what the API server would refuse or drop, for every known kind: unknown kinds, versions and
 * fields, invalid names and labels, the size.
 */
void mc_lint_docs(struct arena *a, const struct mc_docs *docs, struct mc_findings *out);

/* Whether a controller generated it: then a user cannot fix it. */
bool mc_is_generated(const struct mc *mc);

/* The merge of this MachineConfig alone, as far as mc_lint could read it; false: it cannot be
 * merged. */
bool mc_lint_alone(struct arena *a, struct mc *mc, struct mc_merged *out);

/* Applies every rule about one MachineConfig, except those about running nodes. Sets mc->judged
 * and mc->review. */
void mc_lint(struct arena *a, struct mc *mc, struct mc_findings *out);

/* Adds findings about the whole set: duplicate names. */
void mc_lint_set(struct arena *a, const struct mc_set *set, struct mc_findings *out);

/*
 * Adds findings about the MachineConfigs that a pool merges (sources, in merge order): paths that
 * several of them set, and a result of size bytes that is near etcd's limit. A path is reported
 * only if a user's MachineConfig in given sets it.
 */
void mc_lint_pool(struct arena *a, struct str pool, const struct mc_list *sources, size_t size,
		  const struct mc_list *given, struct mc_findings *out);

/* The pools, plus master and worker if they are missing: every cluster has them. */
struct mcp_list mc_lint_pools(struct arena *a, const struct mcp_list *pools);

/* " worker (a=b), infra (a in (b,c))": the names of the pools, each with the text of says(). */
struct str mc_lint_pool_names(struct arena *a, const struct mcp_list *pools,
			      struct str (*says)(struct arena *a, const struct mcp *pool));

/* Adds the MachineConfigs of users that no pool selects. */
void mc_lint_selected(struct arena *a, const struct mc_list *mcs, const struct mcp_list *pools,
		      struct mc_findings *out);

/*
 * Adds the parts of a user's MachineConfig that running nodes refuse in any update.
 */
void mc_lint_refused(struct arena *a, struct mc *mc, struct mc_findings *out);

/*
 * Adds what the nodes of a pool refuse in an update from one config to another. The finding is
 * about the MachineConfigs in given that set the refused part, else about the pool.
 */
void mc_lint_change(struct arena *a, const struct mcp *pool, const struct mc_merged *from,
		    const struct mc_merged *to, const struct mc_overrides *allow,
		    const struct mc_list *given, struct mc_findings *out);

#endif
